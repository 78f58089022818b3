import type { Clock } from './clock.ts'

/** Shares an outcome and no promise: a Worker's request that awaits another's ends with it. */
type SharedWork<Value> = {
  outcome: { kind: 'done'; value: Value } | { kind: 'failed'; error: unknown } | undefined
}

/** Sets when other requests look again: after this time, doubling up to the longest pause. */
const firstPauseMs = 1
const longestPauseMs = 16

/** Limits the wait for another request's work, which may end with that request. */
const patienceMs = 2_000

export type WorkSharingOptions = {
  clock: Clock
  /** Tells whether an error is the answer for all that asked, and not one request's trouble. */
  isAnswer: (error: unknown) => boolean
}

/** Does equal work once while it is under way; those who joined a failed one try once more. */
export function createWorkSharing({ clock, isAnswer }: WorkSharingOptions) {
  const running = new Map<string, SharedWork<unknown>>()

  async function share<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let hasFailed = false
    for (;;) {
      const others = running.get(key) as SharedWork<T> | undefined
      if (others === undefined) break
      await waitFor(others, clock, signal)
      const { outcome } = others
      if (outcome?.kind === 'done') return outcome.value
      if (outcome === undefined) {
        if (running.get(key) === others) break
      } else {
        if (hasFailed || isAnswer(outcome.error)) throw outcome.error
        hasFailed = true
      }
    }
    const own: SharedWork<T> = { outcome: undefined }
    running.set(key, own)
    try {
      const value = await work()
      own.outcome = { kind: 'done', value }
      return value
    } catch (error) {
      own.outcome = { kind: 'failed', error }
      throw error
    } finally {
      if (running.get(key) === own) running.delete(key)
    }
  }

  return { share }
}

/** Waits for another request's work by timers of the caller's own, as long as there is patience. */
async function waitFor(shared: SharedWork<unknown>, clock: Clock, signal: AbortSignal | undefined) {
  const until = clock.now() + patienceMs
  let pauseMs = firstPauseMs
  while (shared.outcome === undefined && signal?.aborted !== true) {
    const leftMs = until - clock.now()
    if (leftMs <= 0) return
    await clock.sleep(Math.min(pauseMs, leftMs), signal)
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
}
