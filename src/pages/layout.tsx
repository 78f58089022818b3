import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { liveJs, pagesCss } from './assets.ts'

export type PageOptions = {
  title: string
  /** Is asked for again after so many seconds; undefined for a page that stays. */
  refreshSeconds?: number
  /** Stands above the content on each page of a kind. */
  nav?: Child
  /** Are the page's own, beside those that all pages have. */
  css?: string
  js?: string
}

/** Draws a whole page. Only what carries the nonce is run or styles. */
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
          <header>
            {nav}
            <h1>{title}</h1>
            <p id="freshness" class="bad" role="status" />
            <p id="said" class="unseen" role="status" />
          </header>
          <main>{children}</main>
          <script nonce={nonce}>{raw(liveJs + js)}</script>
        </body>
      </html>
    </>
  )
}
