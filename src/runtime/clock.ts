/** Gives the time, which a simulator may replace. */
export type Clock = {
  now(): number
  /** Resolves after this time, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  timeout(ms: number): AbortSignal
}

/** Limits how far a process's clock may differ from a store's before payments stop. */
export const mostOffMs = 60_000

/**
 * Returns how far a clock surely leads another that was read between two own readings, in ms;
 * negative if it lags.
 */
export function aheadBy(told: number, before: number, after: number): number {
  if (before > told) return before - told
  return after < told ? after - told : 0
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const timer = setTimeout(done, ms)
      function done(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      signal?.addEventListener('abort', done)
    }),
  timeout: (ms) => AbortSignal.timeout(ms),
}

/** Ends time limits with the work: a Durable Object is paid for as long as timers run. */
export async function withEndingLimits<T>(clock: Clock, work: (clock: Clock) => Promise<T>) {
  const done = new AbortController()
  const timeout = (ms: number): AbortSignal => {
    const limit = new AbortController()
    void clock.sleep(ms, done.signal).then(() => {
      // The reason that `AbortSignal.timeout` gives.
      if (!done.signal.aborted) limit.abort(new DOMException('it took too long', 'TimeoutError'))
    })
    return limit.signal
  }
  try {
    return await work({ ...clock, timeout })
  } finally {
    done.abort()
  }
}
