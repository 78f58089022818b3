import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../../src/runtime/clock.ts'
import type { FaultKind } from './faults.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * A program that waits for things: one delivery in its Worker, one round of an alarm, one call within
 * the ledger's object. When it has died, nothing that it waited for ever comes back to it.
 */
export type Actor = {
  readonly name: string
  isAlive: boolean
  /** Nothing comes back to it before. */
  stalledUntil: number
  readonly troubles: Set<FaultKind | 'node_down' | 'object_down' | 'miscounted'>
  /** How often it has done this. */
  count(what: string): number
  /** Ends it, and with it whatever else dies then. */
  die(scope: 'request' | 'process'): void
}

export type Actors = {
  create(name: string, die: (scope: 'request' | 'process') => void): Actor
  /** Runs a program's first steps; all that follows from them is the same actor's. */
  run<Result>(actor: Actor, program: () => Result): Result
  /** Who is running at this moment. */
  current(): Actor
  /** Comes back to the actor at this time, later if it stalls, and never if it has died. */
  resumeAt(actor: Actor, time: number, resume: () => void): void
  /** Time for programs whose computer's clock is wrong by this much. */
  clock(skewMs: number): Clock
}

const storage = new AsyncLocalStorage<Actor>()

/** Until when the owner of the signal waits. */
const deadlines = new WeakMap<AbortSignal, number>()

/** When the patience behind a signal of {@link Actors.clock} ends; undefined where it has no end. */
export function deadlineOf(signal: AbortSignal): number | undefined {
  return deadlines.get(signal)
}

export function createActors(scheduler: Scheduler): Actors {
  function current(): Actor {
    const actor = storage.getStore()
    if (actor === undefined) throw new Error('something runs that no actor does')
    return actor
  }

  function resumeAt(actor: Actor, time: number, resume: () => void): void {
    scheduler.at(time, () => {
      if (!actor.isAlive) return
      if (actor.stalledUntil > scheduler.now()) resumeAt(actor, actor.stalledUntil, resume)
      else resume()
    })
  }

  /** A signal that aborts by virtual time, and schedules that only for a listener. */
  function timeoutSignal(ms: number): AbortSignal {
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

  return {
    create(name, die) {
      const counts = new Map<string, number>()
      return {
        name,
        isAlive: true,
        stalledUntil: 0,
        troubles: new Set(),
        count(what) {
          const count = (counts.get(what) ?? 0) + 1
          counts.set(what, count)
          return count
        },
        die,
      }
    },
    run: (actor, program) => storage.run(actor, program),
    current,
    resumeAt,
    clock: (skewMs) => ({
      now: () => scheduler.now() + skewMs,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) return resolve()
          resumeAt(current(), scheduler.now() + ms, resolve)
          signal?.addEventListener('abort', () => resolve())
        }),
      timeout: timeoutSignal,
    }),
  }
}
