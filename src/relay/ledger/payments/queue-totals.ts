import type { Draft } from '../draft.ts'
import { noLimit, type Row } from '../rows.ts'

/** Counts the payments that wait for a nonce, and holds their last deadline (Unix time in s). */
export type QueueTotals = { waitingCount: number; lastDeadline: number }

const emptyQueue: QueueTotals = { waitingCount: 0, lastDeadline: 0 }

/** Returns the queue's totals, counted from the waiting payments if they are not stored. */
export function readQueueTotals(rows: Draft): QueueTotals {
  const stored = findStoredTotals(rows)
  if (stored !== undefined) return stored
  const waiting = { table: 'payments', list: 'phase', group: 'waiting', limit: noLimit } as const
  return rows.list({ ...waiting, totalRow: ['meta', 'queue'] }).reduce(addToQueue, emptyQueue)
}

/** Returns the queue's totals, and stores them if they were lost, so that they are counted once. */
export function ensureQueueTotals(rows: Draft): QueueTotals {
  const totals = readQueueTotals(rows)
  if (rows.row('meta', 'queue') === undefined) saveQueueTotals(rows, totals)
  return totals
}

export const addToQueue = (queue: QueueTotals, { request }: Row<'payments'>): QueueTotals => ({
  waitingCount: queue.waitingCount + 1,
  lastDeadline: Math.max(queue.lastDeadline, request.deadline),
})

/** Removes a payment, but keeps the last deadline until the queue is empty. */
export const removeFromQueue = ({ waitingCount, lastDeadline }: QueueTotals): QueueTotals =>
  waitingCount > 1 ? { waitingCount: waitingCount - 1, lastDeadline } : emptyQueue

/** Resets the totals if no payment waits. They count a payment even after its row was lost. */
export function resetQueueIfEmpty(rows: Draft): void {
  const stored = findStoredTotals(rows)
  if (stored === undefined || stored.waitingCount === 0) return
  const first = rows.list({ table: 'payments', list: 'phase', group: 'waiting', limit: 1 })
  if (first.length === 0) saveQueueTotals(rows, emptyQueue)
}

function findStoredTotals(rows: Draft): QueueTotals | undefined {
  const row = rows.row('meta', 'queue')
  if (row === undefined) return undefined
  const { waiting, until } = JSON.parse(row.value) as { waiting: number; until: number }
  return { waitingCount: waiting, lastDeadline: until }
}

export function saveQueueTotals(rows: Draft, { waitingCount, lastDeadline }: QueueTotals): void {
  const value = JSON.stringify({ waiting: waitingCount, until: lastDeadline })
  rows.put('meta', { name: 'queue', value })
}
