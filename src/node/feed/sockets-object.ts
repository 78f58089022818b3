import { DurableObject } from 'cloudflare:workers'
import * as z from 'zod/mini'
import { type FeedBlock, keptBlocks } from './chain.ts'
import type { FeedStore } from './feed-store.ts'
import type { Feed } from './network-feed.ts'
import { createNodeFeed } from './node-feed.ts'
import type { FeedDeps, SocketServer } from './options.ts'
import type { FeedSocket } from './sessions.ts'
import type { Topic } from './subscriptions.ts'

/** Sets after how long a lost instance with subscriptions starts again, in ms. */
const alarmMs = 30_000

const attachment = z.object({ id: z.string(), keyHash: z.string() })

/** Creates the Durable Object that holds a network's WebSockets and follows its chain. */
export function createFeedObject<Env>(getDeps: (env: Env, chainId: number) => FeedDeps) {
  return class FeedObject extends DurableObject<Env> {
    readonly #deps: FeedDeps
    readonly #feed: Feed

    constructor(state: DurableObjectState, env: Env) {
      super(state, env)
      // An alarm may start the object without its name.
      const chainId = Number(state.id.name ?? state.storage.kv.get(chainKey))
      const deps = getDeps(env, chainId)
      state.storage.kv.put(chainKey, chainId)
      const store = createFeedStore(state.storage.sql)
      this.#deps = deps
      this.#feed = createNodeFeed(deps, store)
      this.#feed.restore(state.getWebSockets().flatMap(findSocket))
      this.#feed.follow()
    }

    /** Accepts a WebSocket with a valid key; looks up the key's limits itself. */
    override async fetch(request: Request): Promise<Response> {
      const keyHash = request.headers.get(keyHashHeader) ?? ''
      const key = await this.#deps.keys.lookup(keyHash)
      if (key.kind === 'unknown') return new Response(null, { status: 401 })
      const { 0: client, 1: server } = new WebSocketPair()
      const id = crypto.randomUUID()
      server.serializeAttachment({ id, keyHash })
      const [socket] = findSocket(server)
      if (socket === undefined || !this.#feed.open(socket, key.sockets)) {
        return new Response(null, { status: 429 })
      }
      this.ctx.acceptWebSocket(server)
      return new Response(null, { status: 101, webSocket: client })
    }

    override async webSocketMessage(
      server: WebSocket,
      message: string | ArrayBuffer,
    ): Promise<void> {
      const [socket] = findSocket(server)
      if (socket === undefined) return
      await this.#feed.handleMessage(socket, message)
      if (!this.#feed.isFollowed()) return
      this.#feed.follow()
      if ((await this.ctx.storage.getAlarm()) === null) await this.#arm()
    }

    override async webSocketClose(server: WebSocket, code: number): Promise<void> {
      for (const socket of findSocket(server)) this.#feed.handleClose(socket)
      // 1005 and 1006 stand for a missing code or a missing close frame, and must never be sent.
      server.close(code === 1005 || code === 1006 ? 1000 : code)
    }

    override async webSocketError(server: WebSocket): Promise<void> {
      for (const socket of findSocket(server)) this.#feed.handleClose(socket)
    }

    /** Starts an instance again that was lost while it had subscriptions. */
    override async alarm(): Promise<void> {
      if (!this.#feed.isFollowed()) return
      await this.#arm()
      this.#feed.follow()
    }

    async #arm(): Promise<void> {
      await this.ctx.storage.setAlarm(Date.now() + alarmMs)
    }
  }
}

const chainKey = 'chainId'

/** Limits the characters of a row; a block with many logs takes several rows. */
const rowLength = 500_000

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

function findSocket(server: WebSocket): FeedSocket[] {
  const known = attachment.safeParse(server.deserializeAttachment())
  if (!known.success) return []
  return [
    {
      ...known.data,
      send: (text) => server.send(text),
      close: (code, reason) => server.close(code, reason),
    },
  ]
}

function createFeedStore(sql: SqlStorage): FeedStore {
  sql.exec(`CREATE TABLE IF NOT EXISTS blocks (
    hash TEXT NOT NULL, part INTEGER NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (hash, part))`)
  sql.exec(`CREATE TABLE IF NOT EXISTS subscriptions (
    id TEXT PRIMARY KEY, socket TEXT NOT NULL, topic TEXT NOT NULL)`)
  return {
    blocks() {
      const bodies = new Map<string, string>()
      const rows = sql.exec<{ hash: string; body: string }>(
        'SELECT hash, body FROM blocks ORDER BY number, part',
      )
      for (const { hash, body } of rows) bodies.set(hash, (bodies.get(hash) ?? '') + body)
      return [...bodies.values()].map((body) => JSON.parse(body) as FeedBlock)
    },
    move(removed, added) {
      for (const { hash } of removed) sql.exec('DELETE FROM blocks WHERE hash = ?', hash)
      for (const block of added) {
        const body = JSON.stringify(block)
        for (let part = 0; part * rowLength < body.length; part += 1) {
          sql.exec(
            'INSERT OR REPLACE INTO blocks (hash, part, number, body) VALUES (?, ?, ?, ?)',
            block.hash,
            part,
            block.number,
            body.slice(part * rowLength, (part + 1) * rowLength),
          )
        }
      }
      sql.exec(
        'DELETE FROM blocks WHERE number <= (SELECT max(number) FROM blocks) - ?',
        keptBlocks,
      )
    },
    subscriptions: () =>
      sql
        .exec<{ id: string; socket: string; topic: string }>('SELECT * FROM subscriptions')
        .toArray()
        .map(({ id, socket, topic }) => ({ id, socket, topic: JSON.parse(topic) as Topic })),
    add({ id, socket, topic }) {
      sql.exec(
        'INSERT INTO subscriptions (id, socket, topic) VALUES (?, ?, ?)',
        id,
        socket,
        JSON.stringify(topic),
      )
    },
    remove(id) {
      sql.exec('DELETE FROM subscriptions WHERE id = ?', id)
    },
    removeSocket(socket) {
      sql.exec('DELETE FROM subscriptions WHERE socket = ?', socket)
    },
  }
}
