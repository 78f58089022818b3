import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'

export type Runtime = {
  clock: Clock
  log: Log
  fetch: typeof globalThis.fetch
  /** Keeps work alive after the reply. */
  background: (work: Promise<unknown>) => void
}
