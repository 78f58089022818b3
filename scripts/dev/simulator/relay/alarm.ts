import type { KeptLedger } from '../../../../src/relay/ledger/keeper.ts'
import { createRandom } from '../../random.ts'
import type { Actor, Actors } from '../actors.ts'
import type { Faults } from '../faults.ts'
import type { Scheduled, Scheduler } from '../scheduler.ts'
import type { Story } from '../story.ts'
import type { RoundWatch } from './rounds.ts'

/** The alarm of a Durable Object, which outlives it. */
export type Alarm = {
  /** When it is due, or null where it is not set. */
  time(): number | null
  set(time: number | null): void
  isRinging(): boolean
  /** The object has died and comes back at this time: what rang in it rings again later. */
  interrupt(until: number): void
}

export type AlarmOptions = {
  seed: number
  scheduler: Scheduler
  actors: Actors
  faults: Faults
  story: Story
  rounds: () => RoundWatch
}

/** The object in which the alarm rings. */
export type RungObject = {
  /** It cannot be reached before. */
  downUntil(): number
  living(): { kept: Pick<KeptLedger, 'ring'>; actors: Set<Actor> }
  /** A round in it has died, and the object with it. */
  die(): void
}

/** An alarm that ended in a crash rings again after this time. */
const redeliveredAfterMs = 2_000

export function createAlarm(
  { seed, scheduler, actors, faults, story, rounds }: AlarmOptions,
  object: RungObject,
): Alarm {
  let dueAt: number | null = null
  let scheduled: Scheduled | undefined
  let rings = 0
  const ringing = new Set<Actor>()

  function set(time: number | null): void {
    scheduled?.cancel()
    scheduled = undefined
    dueAt = time
    if (time !== null) scheduled = scheduler.at(time, due)
  }

  function due(): void {
    if (dueAt === null) return
    if (object.downUntil() > scheduler.now()) {
      scheduled = scheduler.at(object.downUntil(), due)
      return
    }
    // One at a time: what became due meanwhile rings when the last one is done.
    if (ringing.size > 0) return
    set(null)
    ring(`round ${++rings}`)
  }

  function ring(name: string): void {
    const { kept, actors: own } = object.living()
    const actor = actors.create(name, object.die)
    const fault = faults.at(`${name} rings`, 'ring', createRandom(seed, `${name} rings`))
    if (fault?.kind === 'rings_twice') {
      story.fault(name, 'alarm', fault)
      scheduler.at(scheduler.now() + fault.afterMs, () => {
        if (object.downUntil() <= scheduler.now()) ring(`${name} again`)
      })
    }
    own.add(actor)
    ringing.add(actor)
    const done = () => {
      own.delete(actor)
      ringing.delete(actor)
      if (ringing.size === 0 && dueAt !== null && dueAt <= scheduler.now()) due()
    }
    const watch = rounds()
    const start = watch.begin()
    const ended = () => watch.end(actor, start)
    actors
      .run(actor, () => kept.ring())
      .then(ended)
      .then(done, done)
  }

  return {
    time: () => dueAt,
    set,
    isRinging: () => ringing.size > 0,
    interrupt(until) {
      if (ringing.size === 0) return
      ringing.clear()
      const again = until + redeliveredAfterMs
      set(dueAt === null ? again : Math.min(dueAt, again))
    },
  }
}
