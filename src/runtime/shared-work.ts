import type { Clock } from './clock.ts'

/** Shares an outcome, never a promise: a Worker's request that awaits another's ends with it. */
type SharedWork<Value> = {
  outcome: { kind: 'done'; value: Value } | { kind: 'failed'; error: unknown } | undefined
}

/** Sets when a waiting request looks again. The pause doubles up to the longest one. */
const firstPauseMs = 1
const maxPauseMs = 16

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
    let hasFailed = false
    for (;;) {
      const other = running.get(key) as SharedWork<T> | undefined
      if (other === undefined) break
      await waitFor(other, clock, signal)
      const { outcome } = other
      if (outcome?.kind === 'done') return outcome.value
      if (outcome === undefined) {
        if (running.get(key) === other) break
      } else {
        if (hasFailed || isSharedError(outcome.error)) throw outcome.error
        hasFailed = true
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

/** Waits for another request's work, with the caller's own timers and up to the limit. */
async function waitFor(shared: SharedWork<unknown>, clock: Clock, signal: AbortSignal | undefined) {
  const endsAt = clock.now() + maxWaitMs
  let pauseMs = firstPauseMs
  while (shared.outcome === undefined && signal?.aborted !== true) {
    const leftMs = endsAt - clock.now()
    if (leftMs <= 0) return
    await clock.sleep(Math.min(pauseMs, leftMs), signal)
    pauseMs = Math.min(pauseMs * 2, maxPauseMs)
  }
}
