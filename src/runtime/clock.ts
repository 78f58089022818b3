/** Tells the time and waits. The simulator replaces it. */
export type Clock = {
  now(): number
  /** Resolves after this time, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: EndSignal): Promise<void>
  timeout(ms: number): AbortSignal
}

type EndSignal = {
  readonly aborted: boolean
  addEventListener(name: 'abort', listener: () => void): void
  removeEventListener(name: 'abort', listener: () => void): void
}

/** Creates what ends sleeps; an `AbortController` of workerd costs as much as the timer. */
export function createSleepEnd() {
  const listeners = new Set<() => void>()
  const signal = {
    aborted: false,
    addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
  }
  function end(): void {
    signal.aborted = true
    for (const listener of listeners) listener()
  }
  return { signal, end }
}

/** Limits how far a process's clock may differ from a store's before payments stop. */
export const maxClockOffsetMs = 60_000

/**
 * Returns how many ms this clock is at least ahead of another; negative if it is behind. The other
 * one was read between `minNow` and `maxNow` of this clock.
 */
export function computeClockLead(reading: number, minNow: number, maxNow: number): number {
  if (minNow > reading) return minNow - reading
  return maxNow < reading ? maxNow - reading : 0
}

/** Ends a wait as an abort's reason; without one, a DOMException with its stack is made. */
export const waitEnded = 'the wait has ended'

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      // A timer that has fired is not cleared: in workerd that costs as much as to set one.
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', end)
        resolve()
      }, ms)
      function end(): void {
        clearTimeout(timer)
        resolve()
      }
      signal?.addEventListener('abort', end)
    }),
  timeout: (ms) => AbortSignal.timeout(ms),
}

/** Holds the sleepers of one timer, and what ends the timer once no sleeper is left. */
type TimerGroup = { wakes: Set<() => void>; timerEnd: ReturnType<typeof createSleepEnd> }

/**
 * Shares one timer among sleeps that end at about the same time: a Durable Object may have 10,000.
 * A sleep is longer by at most a fiftieth, or 1 ms.
 */
export function shareTimers(clock: Clock): Clock {
  const groups = new Map<number, TimerGroup>()

  function startGroup(wakeAt: number): TimerGroup {
    const group: TimerGroup = { wakes: new Set(), timerEnd: createSleepEnd() }
    groups.set(wakeAt, group)
    void clock.sleep(wakeAt - clock.now(), group.timerEnd.signal).then(() => {
      if (groups.get(wakeAt) === group) groups.delete(wakeAt)
      for (const wake of group.wakes) wake()
    })
    return group
  }

  const sleep: Clock['sleep'] = (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const step = Math.max(1, Math.floor(ms / 50))
      const wakeAt = Math.ceil((clock.now() + ms) / step) * step
      const group = groups.get(wakeAt) ?? startGroup(wakeAt)
      function wake(): void {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      function leave(): void {
        group.wakes.delete(wake)
        if (group.wakes.size === 0) {
          groups.delete(wakeAt)
          group.timerEnd.end()
        }
        wake()
      }
      group.wakes.add(wake)
      signal?.addEventListener('abort', leave)
    })
  return { ...clock, sleep }
}

/** Ends all time limits with the work, because a Durable Object is billed while timers run. */
export async function withEndingTimeouts<T>(clock: Clock, work: (clock: Clock) => Promise<T>) {
  const done = createSleepEnd()
  const timeout = (ms: number): AbortSignal => {
    const limit = new AbortController()
    void clock.sleep(ms, done.signal).then(() => {
      // `AbortSignal.timeout` aborts with the same reason.
      if (!done.signal.aborted) limit.abort(new DOMException('it took too long', 'TimeoutError'))
    })
    return limit.signal
  }
  try {
    return await work({ ...clock, timeout })
  } finally {
    done.end()
  }
}

/** Runs work with a signal that aborts after a time, in ms. The timer ends with the work. */
export function runWithTimeLimit<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
) {
  return withEndingTimeouts(clock, ({ timeout }) => work(timeout(ms)))
}

/**
 * Waits for work that takes no signal, or returns what `onTimeout` returns after a time, in ms.
 * `onTimeout` is not called once the work is done.
 */
export async function withTimeLimit<T>(
  { sleep }: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<T>,
  onTimeout: () => T | Promise<T>,
): Promise<T> {
  const done = createSleepEnd()
  try {
    const late = sleep(ms, done.signal).then(() => (done.signal.aborted ? work : onTimeout()))
    return await Promise.race([work, late])
  } finally {
    done.end()
  }
}
