import type { Clock } from './clock.ts'

/**
 * Stores the outcome, not a promise: in a Cloudflare Worker, a request that awaits another
 * request's promise is cancelled when that request ends.
 */
type SharedWork<Value> = {
  outcome: { kind: 'done'; value: Value } | { kind: 'failed'; error: unknown } | undefined
}

/** Sets when a waiting request looks again. The pause doubles up to the longest one. */
const firstPauseMs = 2
const maxPauseMs = 32

/** Limits the wait for another request's work, because that work may end with its request. */
const maxWaitMs = 2_000

export type WorkSharingOptions = {
  clock: Clock
  /** Tells whether an error is the result for all callers, not a fault of one request. */
  isSharedError: (error: unknown) => boolean
}

/** Runs equal work once at a time. Callers that waited for a run which failed try once more. */
export function createWorkSharing({ clock, isSharedError }: WorkSharingOptions) {
  const running = new Map<string, SharedWork<unknown>>()

  async function share<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let sawFailedRun = false
    for (;;) {
      const otherRun = running.get(key) as SharedWork<T> | undefined
      if (otherRun === undefined) break
      await waitFor(otherRun, clock, signal)
      const { outcome } = otherRun
      if (outcome?.kind === 'done') return outcome.value
      if (outcome === undefined) {
        // The wait ended without an outcome: this call takes over, unless another already has.
        if (running.get(key) === otherRun) break
      } else {
        if (sawFailedRun || isSharedError(outcome.error)) throw outcome.error
        sawFailedRun = true
      }
    }
    const ownRun: SharedWork<T> = { outcome: undefined }
    running.set(key, ownRun)
    try {
      const value = await work()
      ownRun.outcome = { kind: 'done', value }
      return value
    } catch (error) {
      ownRun.outcome = { kind: 'failed', error }
      throw error
    } finally {
      if (running.get(key) === ownRun) running.delete(key)
    }
  }

  return { share }
}

/**
 * Waits for another request's work, with the caller's own timers and up to the limit. An abort ends
 * it after the pause: a listener for it costs more than the timer.
 */
async function waitFor(shared: SharedWork<unknown>, clock: Clock, signal: AbortSignal | undefined) {
  const endsAt = clock.now() + maxWaitMs
  let pauseMs = firstPauseMs
  while (shared.outcome === undefined && signal?.aborted !== true) {
    const leftMs = endsAt - clock.now()
    if (leftMs <= 0) return
    await clock.sleep(Math.min(pauseMs, leftMs))
    pauseMs = Math.min(pauseMs * 2, maxPauseMs)
  }
}
