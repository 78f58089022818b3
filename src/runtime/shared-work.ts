import type { Clock } from './clock.ts'

/** Shares an outcome, never a promise: a Worker's request that awaits another's ends with it. */
type SharedWork<Value> = {
  outcome: { kind: 'done'; value: Value } | { kind: 'failed'; error: unknown } | undefined
}

/** Sets when other requests look again; the pause doubles up to the longest. */
const firstPauseMs = 1
const longestPauseMs = 16

/** Limits the wait for another request's work, which may end with that request. */
const patienceMs = 2_000

export type WorkSharingOptions = {
  clock: Clock
  /** Tells whether an error answers all callers, and is not one request's own trouble. */
  isAnswer: (error: unknown) => boolean
}

/** Runs equal work once at a time; callers that joined a failed run try once more. */
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

/** Waits for another request's work by the caller's own timers, up to the limit. */
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
