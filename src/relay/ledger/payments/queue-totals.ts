import type { Draft } from '../draft.ts'
import { type MetaValue, readMeta, saveMeta } from '../meta.ts'

/** Counts the payments that wait for a nonce, and holds their last deadline (Unix time in s). */
export const readQueue = (rows: Draft): MetaValue<'queue'> =>
  readMeta(rows, 'queue') ?? { waiting: 0, until: 0 }

/** Counts payments that wait for a nonce, and keeps the last deadline until none waits. */
export function countWaiting(rows: Draft, change: -1 | 0 | 1, deadline: number): void {
  const { waiting, until } = readQueue(rows)
  const left = Math.max(0, waiting + change)
  const last = change > 0 ? Math.max(until, deadline) : until
  saveMeta(rows, 'queue', { waiting: left, until: left === 0 ? 0 : last })
}
