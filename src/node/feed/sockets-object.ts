import { DurableObject } from 'cloudflare:workers'
import { createNodeFeed, type Feed } from './network-feed.ts'
import type { FeedDeps, SocketServer } from './options.ts'
import type { FeedSocket } from './sessions.ts'
import { createFeedStore } from './store.ts'

/** Sets after how long an instance that was lost with subscriptions starts again, in ms. */
const restartAfterMs = 30_000

/** What a WebSocket keeps while its object sleeps: a deployment of other code disconnects it. */
type Attachment = Pick<FeedSocket, 'id' | 'keyHash'>

/** Creates the Durable Object that holds a network's WebSockets and follows its chain. */
export function createFeedObject<Env>(getDeps: (env: Env, chainId: number) => FeedDeps) {
  return class FeedObject extends DurableObject<Env> {
    readonly #deps: FeedDeps
    readonly #feed: Feed

    constructor(state: DurableObjectState, env: Env) {
      super(state, env)
      // An alarm may start the object without its name.
      const chainId = Number(state.id.name ?? state.storage.kv.get(chainIdKey))
      const deps = getDeps(env, chainId)
      state.storage.kv.put(chainIdKey, chainId)
      const store = createFeedStore(state.storage.sql)
      this.#deps = deps
      this.#feed = createNodeFeed(deps, store)
      this.#feed.restore(state.getWebSockets().map(readSocket))
      this.#feed.follow()
    }

    /** Accepts a WebSocket with a valid key; looks up the key's limits itself. */
    override async fetch(request: Request): Promise<Response> {
      const keyHash = request.headers.get(keyHashHeader) ?? ''
      const key = await this.#deps.keys.lookup(keyHash)
      if (key.kind === 'unknown') return new Response(null, { status: 401 })
      const { 0: client, 1: server } = new WebSocketPair()
      server.serializeAttachment({ id: crypto.randomUUID(), keyHash } satisfies Attachment)
      if (!this.#feed.open(readSocket(server), key.maxSockets)) {
        return new Response(null, { status: 429 })
      }
      this.ctx.acceptWebSocket(server)
      return new Response(null, { status: 101, webSocket: client })
    }

    override async webSocketMessage(
      server: WebSocket,
      message: string | ArrayBuffer,
    ): Promise<void> {
      await this.#feed.handleMessage(readSocket(server), message)
      if (!this.#feed.isFollowed()) return
      this.#feed.follow()
      if ((await this.ctx.storage.getAlarm()) === null) await this.#setAlarm()
    }

    override async webSocketClose(server: WebSocket, code: number): Promise<void> {
      this.#feed.handleClose(readSocket(server))
      // 1005 and 1006 stand for a missing code or a missing close frame, and must never be sent.
      server.close(code === 1005 || code === 1006 ? 1000 : code)
    }

    override async webSocketError(server: WebSocket): Promise<void> {
      this.#feed.handleClose(readSocket(server))
    }

    /** Starts an instance again that was lost while it had subscriptions. */
    override async alarm(): Promise<void> {
      if (!this.#feed.isFollowed()) return
      await this.#setAlarm()
      this.#feed.follow()
    }

    async #setAlarm(): Promise<void> {
      await this.ctx.storage.setAlarm(Date.now() + restartAfterMs)
    }
  }
}

const chainIdKey = 'chainId'

/** Passes the key's hash from the route to the object, which no client can reach. */
const keyHashHeader = 'x-key-hash'

export type FeedNamespace = {
  getByName: (name: string) => { fetch: (request: Request) => Promise<Response> }
}

export function createObjectSockets(namespace: () => FeedNamespace): SocketServer {
  return {
    async accept(request, keyHash, chainId) {
      const headers = new Headers(request.headers)
      headers.set(keyHashHeader, keyHash)
      // The original URL is dropped, since it may contain the key.
      const response = await namespace()
        .getByName(`${chainId}`)
        .fetch(new Request('http://feed/', { headers }))
      if ([101, 401, 429].includes(response.status)) return response
      throw new Error(`the feed's object answered ${response.status}`)
    },
  }
}

function readSocket(server: WebSocket): FeedSocket {
  return {
    ...(server.deserializeAttachment() as Attachment),
    send: (text) => server.send(text),
    close: (code, reason) => server.close(code, reason),
  }
}
