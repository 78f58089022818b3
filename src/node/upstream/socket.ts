import * as z from 'zod/mini'
import { parseJson } from '../../runtime/json.ts'

const notification = z.object({
  method: z.literal('eth_subscription'),
  params: z.object({ result: z.union([z.string(), z.object({ number: z.coerce.number() })]) }),
})

const reply = z.object({ id: z.number(), result: z.string() })

const subscriptions = { newHeads: 1, newPendingTransactions: 2 } as const

type Subscription = keyof typeof subscriptions

/** Sets the wait before a reconnect, in ms; it doubles with each failure. */
const retryMs = { first: 3_000, longest: 600_000 }

const newConnectionMs = 60_000

/** Limits the transaction hashes that wait to be read. */
const maxHashes = 50_000

/** Holds the last head that a connection reported, and when (Unix ms). */
export type ReportedHead = { number: number; at: number }

type SocketEvents = {
  /** Is called for a new head, and when a subscription starts or the connection ends. */
  onChange: () => void
  onHash: () => void
}

export type NodeSocket = ReturnType<typeof createNodeSocket>

/** Creates a WebSocket connection to one node, and to the next node after a failure. */
export function createNodeSocket(
  urls: readonly string[],
  now: () => number,
  events: SocketEvents,
  openSocket = (url: string): WebSocket => new WebSocket(url),
) {
  let connection: Connection | undefined
  let attempts = 0
  let failures = 0
  let triedAt = Number.NEGATIVE_INFINITY
  let reportedHead: ReportedHead | undefined
  let hashes: string[] = []
  const listener = { receive, onChange: events.onChange, onEnd }

  return {
    /** Connects to the next node, unless connected or waiting after a failure. */
    connectIfDue(): void {
      const waitMs = Math.min(retryMs.longest, retryMs.first * 2 ** Math.max(0, failures - 1))
      if (connection !== undefined || now() - triedAt < waitMs) return
      triedAt = now()
      const url = urls[attempts % urls.length]
      attempts += 1
      // The attempt counts as a failure until a head arrives.
      failures += 1
      if (url !== undefined) connection = connect(() => openSocket(url), listener)
    },
    /** Returns the last head; undefined until this connection has reported one. */
    getReportedHead: () => reportedHead,
    /** Subscribes to pending transactions; returns the connection's number once confirmed. */
    connection(): number | undefined {
      connection?.subscribe('newPendingTransactions')
      return connection?.isConfirmed('newPendingTransactions') ? attempts : undefined
    },
    /** Returns and clears the hashes that arrived since the last call. */
    takeHashes(): string[] {
      const confirmed = hashes
      hashes = []
      return confirmed
    },
    /** Closes a connection that missed a head, unless it is new; the next one waits. */
    closeIfLate(): void {
      if (reportedHead !== undefined || now() - triedAt > newConnectionMs) connection?.close()
    },
    /** Closes an unused connection; the next one opens without a wait. */
    close(): void {
      if (connection?.isConfirmed('newHeads')) {
        failures = Math.max(0, failures - 1)
        triedAt = Number.NEGATIVE_INFINITY
      }
      connection?.close()
    },
  }

  function receive(result: string | { number: number }): void {
    if (typeof result === 'string') {
      if (hashes.length < maxHashes) hashes.push(result)
      events.onHash()
    } else {
      reportedHead = { number: result.number, at: now() }
      failures = 0
      events.onChange()
    }
  }

  function onEnd(): void {
    connection = undefined
    reportedHead = undefined
    events.onChange()
  }
}

type Listener = {
  receive: (result: string | { number: number }) => void
  onChange: () => void
  onEnd: () => void
}

type Connection = Exclude<ReturnType<typeof connect>, undefined>

/** Opens a connection subscribed to new heads; returns undefined if the URL is not valid. */
function connect(openSocket: () => WebSocket, { receive, onChange, onEnd }: Listener) {
  let socket: WebSocket
  try {
    socket = openSocket()
  } catch {
    return undefined
  }
  const requested = new Set<Subscription>(['newHeads'])
  const confirmed = new Set<number>()
  let isOpen = false
  let isEnded = false

  function request(type: Subscription): void {
    const request = { jsonrpc: '2.0', id: subscriptions[type], method: 'eth_subscribe' }
    socket.send(JSON.stringify({ ...request, params: [type] }))
  }

  function end(): void {
    if (isEnded) return
    isEnded = true
    onEnd()
  }

  socket.addEventListener('open', () => {
    isOpen = true
    if (!isEnded) requested.forEach(request)
  })
  socket.addEventListener('message', ({ data }) => {
    if (isEnded || typeof data !== 'string') return
    const message = parseJson(data)
    const answer = reply.safeParse(message)
    if (answer.success) {
      confirmed.add(answer.data.id)
      onChange()
    }
    const notified = notification.safeParse(message)
    if (notified.success) receive(notified.data.params.result)
  })
  socket.addEventListener('close', end)
  socket.addEventListener('error', end)

  return {
    subscribe(type: Subscription): void {
      if (requested.has(type)) return
      requested.add(type)
      if (isOpen) request(type)
    },
    isConfirmed: (type: Subscription) => confirmed.has(subscriptions[type]),
    close(): void {
      end()
      socket.close()
    },
  }
}
