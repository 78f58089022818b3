import { systemClock } from '../../src/runtime/clock.ts'

/** Resolves after so many ms, or as soon as the signal aborts. Never rejects. */
export const { sleep } = systemClock

export type UntilOptions = {
  everyMs?: number
  /** ms after which it gives up. Undefined: the caller has a limit of its own, as each test has. */
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
