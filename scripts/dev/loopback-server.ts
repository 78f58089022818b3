import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Reads the whole body of a request. */
export { text as textOf } from 'node:stream/consumers'

/** Is an HTTP server on loopback that can stop and start again on its port. */
export type LoopbackServer = Awaited<ReturnType<typeof startLoopbackServer>>

/** A fault while a request is served ends its connection. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export async function startLoopbackServer(serve: Serve) {
  const http = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  http.keepAliveTimeout = 60_000
  let opening: Promise<void> | undefined
  await listen(0)
  const own = (http.address() as AddressInfo).port

  return {
    url: `http://127.0.0.1:${own}`,
    /** Handles what is no plain request. */
    http,
    async open() {
      if (http.listening) return
      opening ??= listen(own).finally(() => {
        opening = undefined
      })
      await opening
    },
    async close() {
      if (!http.listening) return
      await new Promise<void>((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      })
    },
  }

  async function listen(on: number): Promise<void> {
    await once(http.listen(on, '127.0.0.1'), 'listening')
  }
}
