import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../../src/runtime/clock.ts'
import type { FaultKind } from './faults.ts'
import type { Scheduler } from './scheduler.ts'

type Trouble = FaultKind | 'node_down' | 'object_down' | 'miscounted'

/** A program that waits for things: when it has died, nothing comes back to it. */
export type Actor = ReturnType<typeof createActor>

export const createActor = (name: string, die: (scope: 'request' | 'process') => void) => ({
  name,
  die,
  isAlive: true,
  stalledUntil: 0,
  troubles: new Set<Trouble>(),
  /** Others that wait for what it does: its troubles are theirs. */
  waiting: new Set<{ troubles: Set<Trouble> }>(),
  counts: new Map<string, number>(),
})

const running = new AsyncLocalStorage<Actor>()

/** Runs a program's first steps; all that follows from them is the same actor's. */
export const runAs = <Result>(actor: Actor, program: () => Result): Result =>
  running.run(actor, program)

export function currentActor(): Actor {
  const actor = running.getStore()
  if (actor === undefined) throw new Error('something runs that no actor does')
  return actor
}

/** Comes back to the actor at this time, later if it stalls, and never if it has died. */
export function resumeAt(
  scheduler: Scheduler,
  actor: Actor,
  time: number,
  resume: () => void,
): void {
  scheduler.at(time, () => {
    if (!actor.isAlive) return
    if (actor.stalledUntil > scheduler.now()) resumeAt(scheduler, actor, actor.stalledUntil, resume)
    else resume()
  })
}

/** Until when the owner of a signal of {@link createClock} waits. */
const deadlines = new WeakMap<AbortSignal, number>()

export const getDeadline = (signal: AbortSignal): number =>
  deadlines.get(signal) ?? Number.POSITIVE_INFINITY

/** Time for programs whose computer's clock is wrong by this much. */
export const createClock = (scheduler: Scheduler, skewMs: number): Clock => ({
  now: () => scheduler.now() + skewMs,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      resumeAt(scheduler, currentActor(), scheduler.now() + ms, resolve)
      signal?.addEventListener('abort', () => resolve())
    }),
  timeout: (ms) => timeoutSignal(scheduler, ms),
})

/** A signal that aborts by virtual time, and schedules that only for a listener. */
function timeoutSignal(scheduler: Scheduler, ms: number): AbortSignal {
  const controller = new AbortController()
  const { signal } = controller
  const deadline = scheduler.now() + ms
  const listen = signal.addEventListener.bind(signal)
  deadlines.set(signal, deadline)
  Object.defineProperties(signal, {
    aborted: { get: () => scheduler.now() >= deadline },
    addEventListener: {
      value: (...args: Parameters<typeof listen>) => {
        scheduler.at(deadline, () => controller.abort())
        listen(...args)
      },
    },
  })
  return signal
}
