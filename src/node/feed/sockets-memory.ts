import { tryOrLog } from '../../runtime/log.ts'
import { createNodeFeed, type Feed } from './network-feed.ts'
import type { FeedDeps, SocketServer } from './options.ts'
import type { FeedSocket } from './sessions.ts'

export type MemorySocketsOptions = {
  /** Returns the dependencies of a network's feed; called once per network. */
  getDeps: (chainId: number) => FeedDeps
  upgrade: (request: Request) => { socket: WebSocket; response: Response }
  /** Aborts when the process ends: each connection is closed, so that its client reconnects. */
  shutdownSignal: AbortSignal
}

/** Says that the server is going away (RFC 6455, section 7.4.1). */
const goingAwayCode = 1001

/** Serves WebSockets that end with this process; each network has one feed. */
export function createMemorySockets(options: MemorySocketsOptions): SocketServer {
  const { getDeps, upgrade, shutdownSignal } = options
  const feeds = new Map<number, { feed: Feed; deps: FeedDeps }>()
  const sockets = new Set<WebSocket>()

  shutdownSignal.addEventListener('abort', () => {
    for (const socket of sockets) socket.close(goingAwayCode, 'the server ends: connect again')
  })

  function getFeed(chainId: number): { feed: Feed; deps: FeedDeps } {
    const existing = feeds.get(chainId)
    if (existing !== undefined) return existing
    const deps = getDeps(chainId)
    const entry = { deps, feed: createNodeFeed(deps, undefined) }
    feeds.set(chainId, entry)
    return entry
  }

  return {
    async accept(request, keyHash, chainId) {
      const { feed, deps } = getFeed(chainId)
      const key = await deps.keys.lookup(keyHash)
      if (key.kind === 'unknown') return new Response(null, { status: 401 })
      let server: WebSocket | undefined
      const client: FeedSocket = {
        id: crypto.randomUUID(),
        keyHash,
        send: (text) => server?.send(text),
        close: (code, reason) => server?.close(code, reason),
        getUnsentLength: () => server?.bufferedAmount ?? 0,
      }
      if (!feed.open(client, key.maxSockets)) return new Response(null, { status: 429 })
      try {
        const { socket, response } = upgrade(request)
        server = socket
        listen(socket, client, feed, deps)
        return response
      } catch (error) {
        feed.handleClose(client)
        throw error
      }
    },
  }

  function listen(socket: WebSocket, client: FeedSocket, feed: Feed, deps: FeedDeps): void {
    sockets.add(socket)
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', ({ data }) => {
      const message = data instanceof ArrayBuffer ? data : String(data)
      void tryOrLog(deps.log, { level: 'error', event: 'socket.failed' }, async () => {
        await feed.handleMessage(client, message)
        feed.follow()
      })
    })
    for (const ended of ['close', 'error'] as const) {
      socket.addEventListener(ended, () => {
        sockets.delete(socket)
        feed.handleClose(client)
      })
    }
  }
}
