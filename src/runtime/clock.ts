/** Time from outside, so that a simulator can own it. */
export type Clock = {
  now(): number
  /** Resolves after this time, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  timeout(ms: number): AbortSignal
}

/** How far a process' clock may be from that of a store until no payment is made by it. */
export const mostOffMs = 60_000

/** How far a clock is certainly ahead of one that told its time between two of its own, in ms; negative: behind. */
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
