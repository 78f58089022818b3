import type { Context } from 'hono'
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { NONCE, type SecureHeadersVariables, secureHeaders } from 'hono/secure-headers'
import { Hono } from 'hono/tiny'
import { liveJs, pagesCss } from './assets.ts'
import { renderInZone } from './parts.tsx'

const contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: [NONCE],
  styleSrc: [NONCE],
  imgSrc: ['data:'],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
}

type PageEnv = { Variables: SecureHeadersVariables }

/** Creates routes of pages, with a strict content security policy and without caching. */
export function pageRoutes() {
  const routes = new Hono<PageEnv>()
  // The deployment decides whether its host allows HTTPS only.
  routes.use(secureHeaders({ contentSecurityPolicy, strictTransportSecurity: false }))
  routes.use(async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
  })
  return routes
}

type ShownPage = PageOptions & { timeZone?: string | undefined }

/** Answers with a page; a live update gets the parts that change. Times are in UTC by default. */
export function showPage(
  c: Context<PageEnv>,
  content: Child,
  { timeZone = 'UTC', ...options }: ShownPage,
) {
  const isUpdate = c.req.header('x-fresh') !== undefined
  const page = isUpdate ? (
    <>
      {options.nav}
      {content}
    </>
  ) : (
    <Page {...options} nonce={c.get('secureHeadersNonce') ?? ''}>
      {content}
    </Page>
  )
  return c.html(renderInZone(timeZone, () => `${page}`))
}

export type PageOptions = {
  title: string
  refreshSeconds?: number
  nav?: Child
  css?: string
  js?: string
}

/** Renders a whole page. The browser accepts only styles and scripts with the nonce. */
export function Page(options: PageOptions & { nonce: string; children?: Child }) {
  const { title, refreshSeconds, nav, css = '', js = '', nonce, children } = options
  return (
    <>
      {raw('<!doctype html>')}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <link rel="icon" href="data:," />
          <title>{title}</title>
          <style nonce={nonce}>{raw(pagesCss + css)}</style>
        </head>
        <body data-refresh={refreshSeconds}>
          {nav}
          <header>
            <h1>{title}</h1>
            <p id="freshness" class="bad" role="status" />
          </header>
          <main>{children}</main>
          <script type="module" nonce={nonce}>
            {raw(liveJs + js)}
          </script>
        </body>
      </html>
    </>
  )
}
