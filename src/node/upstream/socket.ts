import * as z from 'zod/mini'
import { parseJson } from '../../runtime/json.ts'
import { tryTo } from '../../runtime/log.ts'

const notification = z.object({
  method: z.literal('eth_subscription'),
  params: z.object({ result: z.union([z.string(), z.object({ number: z.coerce.number() })]) }),
})

const reply = z.object({ id: z.number(), result: z.string() })

const subscriptionIds = { newHeads: 1, newPendingTransactions: 2 } as const

type Subscription = keyof typeof subscriptionIds

/** Limits the wait before a reconnect, in ms. Each failure doubles the wait. */
const retryDelay = { minMs: 3_000, maxMs: 600_000 }

const maxFirstHeadMs = 60_000

const maxHashes = 50_000

/** Holds the last head that a connection reported, and when it did (Unix ms). */
export type ReportedHead = { number: number; reportedAt: number }

type SocketEvents = {
  /** Is called for a new head, and when a subscription starts or the connection ends. */
  onChange: () => void
  onHash: () => void
}

export type NodeSocket = ReturnType<typeof createNodeSocket>

/** Creates a WebSocket connection to one node, or to the next node after a failure. */
export function createNodeSocket(
  urls: readonly string[],
  now: () => number,
  events: SocketEvents,
  openSocket = (url: string): WebSocket => new WebSocket(url),
) {
  let connection: ReturnType<typeof connect>
  let attempts = 0
  let failures = 0
  let lastAttemptAt = Number.NEGATIVE_INFINITY
  let reportedHead: ReportedHead | undefined
  let hashes: string[] = []

  return {
    /** Connects to the next node, unless connected or waiting after a failure. */
    connectIfDue(): void {
      const waitMs = Math.min(retryDelay.maxMs, retryDelay.minMs * 2 ** Math.max(0, failures - 1))
      if (connection !== undefined || now() - lastAttemptAt < waitMs) return
      lastAttemptAt = now()
      const url = urls[attempts % urls.length]
      attempts += 1
      // The attempt counts as a failure until a head arrives.
      failures += 1
      if (url !== undefined)
        connection = connect(() => openSocket(url), events.onChange, handleResult, handleEnd)
    },
    /** Returns the last head, or undefined until this connection has reported one. */
    getReportedHead: () => reportedHead,
    /** Subscribes to pending transactions. Returns the connection's number once confirmed. */
    subscribeToPending(): number | undefined {
      connection?.subscribe('newPendingTransactions')
      return connection?.isConfirmed('newPendingTransactions') ? attempts : undefined
    },
    /** Returns and clears the hashes that arrived since the last call. */
    takeHashes(): string[] {
      const receivedHashes = hashes
      hashes = []
      return receivedHashes
    },
    /** Closes the connection, which missed a head, unless it still waits for its first one. */
    closeUnlessNew(): void {
      if (reportedHead !== undefined || now() - lastAttemptAt > maxFirstHeadMs) connection?.close()
    },
    /** Closes an unused connection. The next one opens without a wait. */
    close(): void {
      if (connection?.isConfirmed('newHeads')) {
        failures = Math.max(0, failures - 1)
        lastAttemptAt = Number.NEGATIVE_INFINITY
      }
      connection?.close()
    },
  }

  function handleResult(result: string | { number: number }): void {
    if (typeof result === 'string') {
      if (hashes.length < maxHashes) hashes.push(result)
      events.onHash()
    } else {
      reportedHead = { number: result.number, reportedAt: now() }
      failures = 0
      events.onChange()
    }
  }

  function handleEnd(): void {
    connection = undefined
    reportedHead = undefined
    events.onChange()
  }
}

/** Opens a connection subscribed to new heads. Returns undefined if the URL is not valid. */
function connect(
  openSocket: () => WebSocket,
  onChange: () => void,
  onResult: (result: string | { number: number }) => void,
  onEnd: () => void,
) {
  const opened = tryTo(openSocket)
  if (opened === undefined) return undefined
  const socket: WebSocket = opened
  const requestedTypes = new Set<Subscription>(['newHeads'])
  const confirmedIds = new Set<number>()
  let isOpen = false
  let isEnded = false

  function requestSubscription(type: Subscription): void {
    const request = { jsonrpc: '2.0', id: subscriptionIds[type], method: 'eth_subscribe' }
    socket.send(JSON.stringify({ ...request, params: [type] }))
  }

  function endOnce(): void {
    if (isEnded) return
    isEnded = true
    onEnd()
  }

  socket.addEventListener('open', () => {
    isOpen = true
    if (!isEnded) requestedTypes.forEach(requestSubscription)
  })
  socket.addEventListener('message', ({ data }) => {
    if (isEnded || typeof data !== 'string') return
    const message = parseJson(data)
    const answer = reply.safeParse(message)
    if (answer.success) {
      confirmedIds.add(answer.data.id)
      onChange()
    }
    const notified = notification.safeParse(message)
    if (notified.success) onResult(notified.data.params.result)
  })
  socket.addEventListener('close', endOnce)
  socket.addEventListener('error', endOnce)

  return {
    subscribe(type: Subscription): void {
      if (requestedTypes.has(type)) return
      requestedTypes.add(type)
      if (isOpen) requestSubscription(type)
    },
    isConfirmed: (type: Subscription) => confirmedIds.has(subscriptionIds[type]),
    close(): void {
      endOnce()
      socket.close()
    },
  }
}
