import * as z from 'zod/mini'
import { parseJson } from '../../runtime/json.ts'

const notification = z.object({
  method: z.literal('eth_subscription'),
  params: z.object({ result: z.union([z.string(), z.object({ number: z.coerce.number() })]) }),
})

const reply = z.object({ id: z.number(), result: z.string() })

const subscriptions = { newHeads: 1, newPendingTransactions: 2 } as const

type Subscription = keyof typeof subscriptions

/** Limits the wait before a failed connection is tried again; it doubles each time. */
const retryMs = { first: 3_000, longest: 600_000 }

const patienceMs = 60_000

/** Limits the transaction hashes that are kept for a reader. */
const mostHashes = 50_000

/** Holds the last head that a connection told, and when (Unix ms). */
export type ToldHead = { number: number; at: number }

type SocketEvents = {
  /** Is called for a new head, and when the connection takes a subscription or ends. */
  changed: () => void
  entered: () => void
}

export type NodeSocket = ReturnType<typeof createNodeSocket>

/** Listens to one of the nodes at its address for WebSockets. */
export function createNodeSocket(
  urls: readonly string[],
  now: () => number,
  events: SocketEvents,
  open = (url: string): WebSocket => new WebSocket(url),
) {
  let connection: Connection | undefined
  let attempts = 0
  let failures = 0
  let triedAt = Number.NEGATIVE_INFINITY
  let told: ToldHead | undefined
  let hashes: string[] = []
  const listener = { take, changed: events.changed, ended }

  return {
    /** Connects unless connected or resting; after a failure to the next node. */
    ensure(): void {
      const waitMs = Math.min(retryMs.longest, retryMs.first * 2 ** Math.max(0, failures - 1))
      if (connection !== undefined || now() - triedAt < waitMs) return
      triedAt = now()
      const url = urls[attempts % urls.length]
      attempts += 1
      // It counts as one until it has told of a head.
      failures += 1
      if (url !== undefined) connection = connect(() => open(url), listener)
    },
    /** Returns the last head, undefined until this connection has told one. */
    told: () => told,
    /** Has the connection tell of the pool, and gives its number, each its own, once it does. */
    connection(): number | undefined {
      connection?.subscribe('newPendingTransactions')
      return connection?.isTaken('newPendingTransactions') ? attempts : undefined
    },
    /** Gives the hashes that entered the pool since the last call. */
    takeHashes(): string[] {
      const taken = hashes
      hashes = []
      return taken
    },
    /**
     * Ends a connection that left out a head, unless it is new; the next waits as after a failure.
     */
    doubt(): void {
      if (told !== undefined || now() - triedAt > patienceMs) connection?.close()
    },
    /** Ends a connection that nobody needs; the next need not wait. */
    close(): void {
      if (connection?.isTaken('newHeads')) {
        failures = Math.max(0, failures - 1)
        triedAt = Number.NEGATIVE_INFINITY
      }
      connection?.close()
    },
  }

  function take(result: string | { number: number }): void {
    if (typeof result === 'string') {
      if (hashes.length < mostHashes) hashes.push(result)
      events.entered()
    } else {
      told = { number: result.number, at: now() }
      failures = 0
      events.changed()
    }
  }

  function ended(): void {
    connection = undefined
    told = undefined
    events.changed()
  }
}

type Listener = {
  take: (result: string | { number: number }) => void
  changed: () => void
  ended: () => void
}

type Connection = Exclude<ReturnType<typeof connect>, undefined>

/** Opens a connection that gets new heads; undefined if the URL is not valid. */
function connect(open: () => WebSocket, { take, changed, ended }: Listener) {
  let socket: WebSocket
  try {
    socket = open()
  } catch {
    return undefined
  }
  const asked = new Set<Subscription>(['newHeads'])
  const taken = new Set<number>()
  let isOpen = false
  let isEnded = false

  function ask(type: Subscription): void {
    const request = { jsonrpc: '2.0', id: subscriptions[type], method: 'eth_subscribe' }
    socket.send(JSON.stringify({ ...request, params: [type] }))
  }

  function end(): void {
    if (isEnded) return
    isEnded = true
    ended()
  }

  socket.addEventListener('open', () => {
    isOpen = true
    if (!isEnded) asked.forEach(ask)
  })
  socket.addEventListener('message', ({ data }) => {
    if (isEnded || typeof data !== 'string') return
    const message = parseJson(data)
    const answer = reply.safeParse(message)
    if (answer.success) {
      taken.add(answer.data.id)
      changed()
    }
    const notified = notification.safeParse(message)
    if (notified.success) take(notified.data.params.result)
  })
  socket.addEventListener('close', end)
  socket.addEventListener('error', end)

  return {
    subscribe(type: Subscription): void {
      if (asked.has(type)) return
      asked.add(type)
      if (isOpen) ask(type)
    },
    isTaken: (type: Subscription) => taken.has(subscriptions[type]),
    close(): void {
      end()
      socket.close()
    },
  }
}
