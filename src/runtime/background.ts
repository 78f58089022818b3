import type { Clock } from './clock.ts'
import { describeFault, type Log } from './log.ts'

/** Runs work after its reply, in a runtime whose process lives on. */
export function createBackground(clock: Clock, log: Log) {
  const running = new Set<Promise<unknown>>()

  return {
    /** Adds work. A failure is logged and has no other effect. */
    keep(work: Promise<unknown>): void {
      const kept = work
        .catch((error: unknown) => {
          log({ level: 'error', event: 'background.failed', message: describeFault(error) })
        })
        .finally(() => running.delete(kept))
      running.add(kept)
    },
    /** Resolves when all work is done, also work added meanwhile, at the latest after this time. */
    async drain(withinMs: number): Promise<void> {
      const done = new AbortController()
      const late = clock.sleep(withinMs, done.signal).then(() => 'late' as const)
      while (running.size > 0) {
        if ((await Promise.race([Promise.allSettled(running), late])) === 'late') break
      }
      done.abort()
    },
  }
}
