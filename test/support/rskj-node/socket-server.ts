import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { isObject } from '../../../scripts/dev/rootstock-pool/answers.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import { headFields } from '../../../src/node/feed/chain.ts'
import type { Block, Chain } from './chain.ts'
import { type Answer, replyTo } from './http-server.ts'
import { wantedBy } from './logs.ts'
import { refusals } from './quirks.ts'
import { frameOf, framesIn } from './web-socket-frames.ts'

type Subscription = { type: string; filter: Record<string, unknown>; socket: Socket }

/** How often new blocks are looked for while a client listens. */
const lookMs = 50

/** What `BlockHeaderNotification` prints: the fields that the service tells, and one that it does not. */
const printedFields = [...headFields, 'baseEvent']

/** RSKj's WebSocket: `eth_subscribe` here alone, `syncing` in a form and with numbers of its own. */
export function createSocketServer(chain: Chain, answer: Answer) {
  const subscriptions = new Map<string, Subscription>()
  const open = new Set<Socket>()
  let told = 0
  let looking = false
  const server: Server = createServer((_, response) => response.writeHead(404).end())
  server.on('upgrade', (request, socket: Socket) => {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    const head = `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}`
    socket.write(`${head}\r\n\r\n`)
    open.add(socket)
    serve(socket)
  })
  const timer = setInterval(() => {
    if (looking || subscriptions.size === 0) return
    looking = true
    void look()
  }, lookMs)

  function serve(socket: Socket): void {
    let received: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      const { texts, rest, isClosed } = framesIn(Buffer.concat([received, chunk]))
      received = rest
      for (const text of texts) void reply(socket, text)
      if (isClosed) socket.end(frameOf('', 'close'))
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      open.delete(socket)
      for (const [id, one] of subscriptions) if (one.socket === socket) subscriptions.delete(id)
    })
  }

  async function reply(socket: Socket, text: string): Promise<void> {
    const { body } = await replyTo(text, async (method, params) => {
      if (method === 'eth_subscribe') return await subscribe(socket, params)
      if (method === 'eth_unsubscribe') return subscriptions.delete(`${params[0]}`)
      return await answer(method, params)
    })
    socket.write(frameOf(JSON.stringify(body)))
  }

  async function subscribe(socket: Socket, [type, filter]: readonly unknown[]): Promise<string> {
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
        one.socket.write(frameOf(JSON.stringify(message)))
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
      for (const socket of open) socket.destroy()
    },
  }
}
