import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../../src/runtime/clock.ts'
import type { FaultKind } from './faults.ts'
import type { Scheduler } from './scheduler.ts'

type Trouble = FaultKind | 'node_down' | 'object_down' | 'miscounted'

/** A program of the model; once it has died, no answer reaches it. */
export type Actor = ReturnType<typeof createActor>

export const createActor = (name: string, die: (scope: 'request' | 'process') => void) => ({
  name,
  die,
  isAlive: true,
  stalledUntil: 0,
  troubles: new Set<Trouble>(),
  /** Actors that wait for this one, and share its troubles. */
  waiting: new Set<{ troubles: Set<Trouble> }>(),
  counts: new Map<string, number>(),
})

const running = new AsyncLocalStorage<Actor>()

/** Runs a program as an actor, with everything that it starts. */
export const runAs = <Result>(actor: Actor, program: () => Result): Result =>
  running.run(actor, program)

export function currentActor(): Actor {
  const actor = running.getStore()
  if (actor === undefined) throw new Error('something runs that no actor does')
  return actor
}

/** Resumes the actor at a time, later if it stalls, and never if it has died. */
export function resumeAt(scheduler: Scheduler, actor: Actor, time: number, resume: () => void) {
  scheduler.at(time, () => {
    if (!actor.isAlive) return
    if (actor.stalledUntil > scheduler.now()) resumeAt(scheduler, actor, actor.stalledUntil, resume)
    else resume()
  })
}

/** The times until which calls with signals of {@link createClock} wait. */
const deadlines = new WeakMap<AbortSignal, number>()

export const getDeadline = (signal: AbortSignal): number =>
  deadlines.get(signal) ?? Number.POSITIVE_INFINITY

/** Creates a clock that is `skewMs` ahead of the scheduler's time. */
export const createClock = (scheduler: Scheduler, skewMs: number): Clock => ({
  now: () => scheduler.now() + skewMs,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      resumeAt(scheduler, currentActor(), scheduler.now() + ms, resolve)
      signal?.addEventListener('abort', () => resolve())
    }),
  // Nothing waits for its end: the line by which a call goes knows the time.
  timeout(ms) {
    const { signal } = new AbortController()
    deadlines.set(signal, scheduler.now() + ms)
    return signal
  },
})
