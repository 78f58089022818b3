import type { Clock } from '../clock.ts'

/**
 * Gives work a signal that aborts after a time, with the reason that `AbortSignal.timeout` gives.
 * Unlike that one its timer ends with the work: a Durable Object counts as busy as long as timers run.
 */
export async function withinTime<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const done = new AbortController()
  void clock.sleep(ms, done.signal).then(() => {
    if (!done.signal.aborted) limit.abort(new DOMException('it took too long', 'TimeoutError'))
  })
  try {
    return await work(limit.signal)
  } finally {
    done.abort()
  }
}
