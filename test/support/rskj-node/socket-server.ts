import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { isObject } from '../../../scripts/dev/rootstock-pool/answers.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import { headFields } from '../../../src/node/feed/chain.ts'
import type { Block, Chain } from './chain.ts'
import { type Answer, replyTo } from './http-server.ts'
import { wantedBy } from './logs.ts'
import { refusals } from './quirks.ts'

type Subscription = { type: string; filter: Record<string, unknown>; socket: WebSocket }

/** How often new blocks are looked for while a client listens. */
const lookMs = 50

/** What `BlockHeaderNotification` prints: the fields that the service tells, and one that it does not. */
const printedFields = [...headFields, 'baseEvent']

/** RSKj's WebSocket: `eth_subscribe` here alone, `syncing` in a form and with numbers of its own. */
export function createSocketServer(chain: Chain, answer: Answer) {
  const subscriptions = new Map<string, Subscription>()
  let told = 0
  let looking = false
  const server = createServer((_, response) => response.writeHead(404).end())
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    socket.on('message', (text) => void reply(socket, `${text}`))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      for (const [id, one] of subscriptions) if (one.socket === socket) subscriptions.delete(id)
    })
  })
  const timer = setInterval(() => {
    if (looking || subscriptions.size === 0) return
    looking = true
    void look()
  }, lookMs)

  async function reply(socket: WebSocket, text: string): Promise<void> {
    const { body } = await replyTo(text, async (method, params) => {
      if (method === 'eth_subscribe') return await subscribe(socket, params)
      if (method === 'eth_unsubscribe') return subscriptions.delete(`${params[0]}`)
      return await answer(method, params)
    })
    socket.send(JSON.stringify(body))
  }

  async function subscribe(socket: WebSocket, [type, filter]: readonly unknown[]): Promise<string> {
    const types = ['newHeads', 'logs', 'newPendingTransactions', 'syncing']
    if (!types.includes(`${type}`)) throw refusals.noMethod()
    await chain.follow()
    if (subscriptions.size === 0) told = chain.head().number
    const id = `0x${randomBytes(16).toString('hex')}`
    subscriptions.set(id, { type: `${type}`, filter: isObject(filter) ? filter : {}, socket })
    return id
  }

  async function look(): Promise<void> {
    try {
      await chain.follow()
      while (told < chain.head().number) {
        told += 1
        const block = chain.at(told)
        if (block !== undefined) tellOf(block)
      }
    } catch (error) {
      // The chain was ended before this server.
      if (!(error instanceof RpcError || error instanceof TypeError)) throw error
    } finally {
      looking = false
    }
  }

  function tellOf({ printed, receipts }: Block): void {
    const head = Object.fromEntries(printedFields.map((field) => [field, printed[field]]))
    tell('newHeads', () => [head])
    tell('logs', (filter) =>
      receipts
        .flatMap(({ logs }) => logs.filter(wantedBy(filter)))
        .map((log) => ({ ...log, removed: false })),
    )
  }

  function tell(type: string, results: (filter: Record<string, unknown>) => unknown[]): void {
    for (const [subscription, one] of subscriptions) {
      if (one.type !== type) continue
      for (const result of results(one.filter)) {
        const params = { subscription, result }
        const message = { jsonrpc: '2.0', method: 'eth_subscription', params }
        one.socket.send(JSON.stringify(message))
      }
    }
  }

  return {
    server,
    /** `SyncNotification`: a flag, and numbers in decimal while it synchronizes. */
    setSyncing(syncing: boolean) {
      const number = chain.head().number
      const status = { startingBlock: 0, currentBlock: number, highestBlock: number + 100 }
      tell('syncing', () => [syncing ? { syncing, status } : { syncing }])
    },
    stop() {
      clearInterval(timer)
      for (const socket of sockets.clients) socket.terminate()
    },
  }
}
