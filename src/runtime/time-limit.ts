import { type Clock, createSleepEnd, withEndingTimeouts } from './clock.ts'

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
