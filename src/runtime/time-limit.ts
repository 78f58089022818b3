import { type Clock, withEndingLimits } from './clock.ts'

/** Gives work a signal that aborts after a time, in ms, and whose timer ends with the work. */
export function withinTime<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withEndingLimits(clock, ({ timeout }) => work(timeout(ms)))
}
