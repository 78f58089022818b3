import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { liveJs, pagesCss } from './assets.ts'

export type PageOptions = {
  title: string
  /** Reloads the page each time after this many seconds. */
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
