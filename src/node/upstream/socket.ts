import * as z from 'zod/mini'
import { jsonOf } from '../../runtime/json.ts'

const notification = z.object({
  method: z.literal('eth_subscription'),
  params: z.object({ result: z.unknown() }),
})

const reply = z.object({ id: z.number(), result: z.string() })

const subscriptions = { heads: 1, hashes: 2 } as const

/** A node that does not take the connection is left alone for so long. */
const retryMs = 3_000

/** More than this is not held for a reader who does not come. */
const mostHashes = 50_000

export type NodeSocket = ReturnType<typeof createNodeSocket>

/** Listens to one of the nodes at its HTTP address; without a WebSocket there it is polled. */
export function createNodeSocket(urls: readonly string[], now: () => number, nudge: () => void) {
  let socket: WebSocket | undefined
  let isOpen = false
  let attempts = 0
  let triedAt = Number.NEGATIVE_INFINITY
  let hashes: string[] = []

  return {
    /** Connects where it is not connected; to the next address after a failure. */
    ensure(): void {
      if (socket !== undefined || now() - triedAt < retryMs) return
      triedAt = now()
      const url = urls[attempts % urls.length]
      attempts += 1
      if (url !== undefined) open(url.replace(/^http/, 'ws'))
    },
    /** Which connection is open: each has a number of its own. */
    connection: (): number | undefined => (isOpen ? attempts : undefined),
    /** Gives the hashes that entered the pool since the last call. */
    takeHashes(): string[] {
      const taken = hashes
      hashes = []
      return taken
    },
    close(): void {
      socket?.close()
      drop()
      // It was no failure: the next connection need not wait.
      triedAt = Number.NEGATIVE_INFINITY
    },
  }

  function open(url: string): void {
    let own: WebSocket
    try {
      own = new WebSocket(url)
    } catch {
      return
    }
    socket = own
    own.addEventListener('open', () => {
      send(own, subscriptions.heads, 'newHeads')
      send(own, subscriptions.hashes, 'newPendingTransactions')
    })
    own.addEventListener('message', ({ data }) => {
      if (socket === own && typeof data === 'string') take(data)
    })
    for (const ended of ['close', 'error'] as const) {
      own.addEventListener(ended, () => {
        if (socket === own) drop()
      })
    }
  }

  function send(own: WebSocket, id: number, type: string): void {
    own.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: [type] }))
  }

  function take(text: string): void {
    const message = jsonOf(text)
    const answer = reply.safeParse(message)
    // Only a node that took both subscriptions tells everything.
    if (answer.success && answer.data.id === subscriptions.hashes) {
      isOpen = true
      nudge()
    }
    const told = notification.safeParse(message)
    if (!told.success) return
    const { result } = told.data.params
    if (typeof result === 'string' && hashes.length < mostHashes) hashes.push(result)
    nudge()
  }

  function drop(): void {
    socket = undefined
    isOpen = false
    nudge()
  }
}
