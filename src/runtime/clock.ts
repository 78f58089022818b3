/** Gives the time, which a simulator may replace. */
export type Clock = {
  now(): number
  /** Resolves after this time, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  timeout(ms: number): AbortSignal
}

/** Limits how far a process's clock may differ from a store's before payments stop. */
export const maxClockOffsetMs = 60_000

/**
 * Returns by how many ms a clock is at least ahead of another, whose readings were taken before and
 * after it; negative if it lags.
 */
export function shiftClock(told: number, before: number, after: number): number {
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

/** Holds sleepers that wake by one timer, and what ends it once none is left. */
type Sleepers = { wakes: Set<() => void>; ending: AbortController }

/**
 * Shares one timer among sleeps that end at about the same time: a Durable Object may have 10,000.
 * A sleep is longer by at most a fiftieth, or 1 ms.
 */
export function shareTimers(clock: Clock): Clock {
  const groups = new Map<number, Sleepers>()

  function begin(due: number): Sleepers {
    const group: Sleepers = { wakes: new Set(), ending: new AbortController() }
    groups.set(due, group)
    void clock.sleep(due - clock.now(), group.ending.signal).then(() => {
      if (groups.get(due) === group) groups.delete(due)
      for (const wake of group.wakes) wake()
    })
    return group
  }

  const sleep: Clock['sleep'] = (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const step = Math.max(1, Math.floor(ms / 50))
      const due = Math.ceil((clock.now() + ms) / step) * step
      const group = groups.get(due) ?? begin(due)
      function wake(): void {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      function leave(): void {
        group.wakes.delete(wake)
        if (group.wakes.size === 0) {
          groups.delete(due)
          group.ending.abort()
        }
        wake()
      }
      group.wakes.add(wake)
      signal?.addEventListener('abort', leave)
    })
  return { ...clock, sleep }
}

/** Ends time limits with the work: a Durable Object is billed as long as timers run. */
export async function withEndingLimits<T>(clock: Clock, work: (clock: Clock) => Promise<T>) {
  const done = new AbortController()
  const timeout = (ms: number): AbortSignal => {
    const limit = new AbortController()
    void clock.sleep(ms, done.signal).then(() => {
      // Same reason as `AbortSignal.timeout`.
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
