import type { Draft } from '../draft.ts'
import { readMeta, saveMeta } from '../meta.ts'
import type { Row } from '../rows.ts'

/** Counts the payments that wait for a nonce, and holds their last deadline (Unix time in s). */
type QueueTotals = { waitingCount: number; lastDeadline: number }

const emptyQueue: QueueTotals = { waitingCount: 0, lastDeadline: 0 }

/** Returns the queue's totals. */
export function readQueueTotals(rows: Draft): QueueTotals {
  const stored = readMeta(rows, 'queue')
  return stored ? { waitingCount: stored.waiting, lastDeadline: stored.until } : emptyQueue
}

export const addToQueue = (queue: QueueTotals, { request }: Row<'payments'>): QueueTotals => ({
  waitingCount: queue.waitingCount + 1,
  lastDeadline: Math.max(queue.lastDeadline, request.deadline),
})

/** Removes a payment, but keeps the last deadline until the queue is empty. */
export const removeFromQueue = ({ waitingCount, lastDeadline }: QueueTotals): QueueTotals =>
  waitingCount > 1 ? { waitingCount: waitingCount - 1, lastDeadline } : emptyQueue

export function saveQueueTotals(rows: Draft, { waitingCount, lastDeadline }: QueueTotals): void {
  saveMeta(rows, 'queue', { waiting: waitingCount, until: lastDeadline })
}
