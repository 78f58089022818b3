import type { Clock } from './clock.ts'

/** What became of work: its value, or the error with which it failed. */
export type Outcome<Value> = { kind: 'done'; value: Value } | { kind: 'failed'; error: unknown }

/**
 * Work that one request does and that others look at.
 *
 * They share its outcome and never its promise. In a Worker a promise belongs to the request that made
 * it: whoever awaits another's goes on as a part of that one, and dies with it in the middle of what
 * he does.
 */
export type Flight<Value> = { outcome: Outcome<Value> | undefined }

/** Others look first after this time, then after twice as long each, up to the longest pause. */
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 16

/** Does the work as whoever calls this; its outcome is put down for the others. */
export async function fly<Value>(
  flight: Flight<Value>,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    const value = await work()
    flight.outcome = { kind: 'done', value }
    return value
  } catch (error) {
    flight.outcome = { kind: 'failed', error }
    throw error
  }
}

/**
 * Waits for the outcome of somebody's work, by timers of the caller's own. Undefined when there was
 * none within this time, in ms, or before the signal aborted: its request may have ended.
 */
export async function outcomeOf<Value>(
  flight: Flight<Value>,
  clock: Clock,
  withinMs: number,
  signal?: AbortSignal,
): Promise<Outcome<Value> | undefined> {
  const until = clock.now() + withinMs
  let pauseMs = FIRST_PAUSE_MS
  while (flight.outcome === undefined && signal?.aborted !== true) {
    const leftMs = until - clock.now()
    if (leftMs <= 0) break
    await clock.sleep(Math.min(pauseMs, leftMs), signal)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
  return flight.outcome
}
