import { systemClock } from '../../src/runtime/clock.ts'

/** Resolves after `ms`, or when the signal aborts. Never rejects. */
export const { sleep } = systemClock

export type UntilOptions = {
  everyMs?: number
  /** Time limit in ms; undefined if the caller has its own limit, as tests do. */
  withinMs?: number
  late?: () => Error
}

/** Polls until a condition holds. @throws {Error} not in the time given, or polling failed */
export async function until(
  condition: () => boolean | Promise<boolean>,
  {
    everyMs = 20,
    withinMs = Number.POSITIVE_INFINITY,
    late = () => new Error('it did not happen in time'),
  }: UntilOptions = {},
): Promise<void> {
  const started = performance.now()
  while (!(await condition())) {
    if (performance.now() - started > withinMs) throw late()
    await sleep(everyMs)
  }
}
