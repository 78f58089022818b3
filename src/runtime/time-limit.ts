import { type Clock, withEndingLimits } from './clock.ts'

/** Runs work with a signal that aborts after a time, in ms, and whose timer ends with the work. */
export function runWithTimeLimit<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
) {
  return withEndingLimits(clock, ({ timeout }) => work(timeout(ms)))
}

/** Awaits work that takes no signal, or returns a substitute after a time, in ms. */
export async function withTimeLimit<T>(
  { sleep }: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<T>,
  late: () => T,
): Promise<T> {
  const done = new AbortController()
  try {
    return await Promise.race([work, sleep(ms, done.signal).then(late)])
  } finally {
    done.abort()
  }
}
