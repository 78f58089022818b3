/** Time from outside, so that a simulator can own it. */
export type Clock = {
  /** Unix time in ms. */
  now(): number
  /** Resolves after this time, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A signal that aborts after this time. */
  timeout(ms: number): AbortSignal
}

/** The runtime's own time. */
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
