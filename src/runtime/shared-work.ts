import type { Clock } from './clock.ts'

/** What became of work: its value, or the error with which it failed. */
export type WorkOutcome<Value> = { kind: 'done'; value: Value } | { kind: 'failed'; error: unknown }

/**
 * Work that one request does and that other requests look at.
 *
 * They share its outcome and never its promise. In a Worker a promise belongs to the request that made
 * it: a request that awaits another's goes on as a part of that one, and is cancelled with it.
 */
export type SharedWork<Value> = { outcome: WorkOutcome<Value> | undefined }

/** Other requests look first after this time, then after twice as long each, up to the longest pause. */
const firstPauseMs = 1
const longestPauseMs = 16

/** Does the work as a part of the caller's request, and notes its outcome for the others. */
export async function runShared<Value>(
  shared: SharedWork<Value>,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    const value = await work()
    shared.outcome = { kind: 'done', value }
    return value
  } catch (error) {
    shared.outcome = { kind: 'failed', error }
    throw error
  }
}

/**
 * Waits for the outcome of another request's work, by timers of the caller's own. Undefined when there
 * was no outcome within this time, in ms, or before the signal aborted: that request may have ended.
 */
export async function outcomeOf<Value>(
  shared: SharedWork<Value>,
  clock: Clock,
  withinMs: number,
  signal?: AbortSignal,
): Promise<WorkOutcome<Value> | undefined> {
  const until = clock.now() + withinMs
  let pauseMs = firstPauseMs
  while (shared.outcome === undefined && signal?.aborted !== true) {
    const leftMs = until - clock.now()
    if (leftMs <= 0) break
    await clock.sleep(Math.min(pauseMs, leftMs), signal)
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
  return shared.outcome
}

export type WorkSharingOptions = {
  clock: Clock
  /** Whether an error is an answer for all that asked, and not the trouble of one request. */
  isAnswer: (error: unknown) => boolean
}

/** Others wait so long and then work on their own: a request's end may take its work along. */
const patienceMs = 1_500

/** Equal work that is under way at the same time is done once. */
export function createWorkSharing({ clock, isAnswer }: WorkSharingOptions) {
  const running = new Map<string, SharedWork<unknown>>()

  return {
    async share<T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      const others = running.get(key) as SharedWork<T> | undefined
      if (others !== undefined) {
        const outcome = await outcomeOf(others, clock, patienceMs, signal)
        if (outcome?.kind === 'done') return outcome.value
        if (outcome !== undefined && isAnswer(outcome.error)) throw outcome.error
      }
      const own: SharedWork<T> = { outcome: undefined }
      running.set(key, own)
      try {
        return await runShared(own, work)
      } finally {
        if (running.get(key) === own) running.delete(key)
      }
    },
  }
}
