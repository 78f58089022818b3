import { type Clock, withTimeLimit } from './clock.ts'
import { describeFault, type Log } from './log.ts'

/** Runs work that goes on after a reply, in a process that lives on. */
export function createBackground(clock: Clock, log: Log) {
  const running = new Set<Promise<unknown>>()

  return {
    /** Waits for work that has begun. A failure is logged and has no other effect. */
    run(work: Promise<unknown>): void {
      const task = work
        .catch((error: unknown) => {
          log({ level: 'error', event: 'background.failed', message: describeFault(error) })
        })
        .finally(() => running.delete(task))
      running.add(task)
    },
    /** Resolves when all work is done, also work that was added meanwhile, or after this time. */
    async drain(withinMs: number): Promise<void> {
      const finish = async (): Promise<void> => {
        while (running.size > 0) await Promise.allSettled(running)
      }
      await withTimeLimit(clock, withinMs, finish(), () => {})
    },
  }
}
