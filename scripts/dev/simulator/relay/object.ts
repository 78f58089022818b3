import { type LedgerSteps, ledgerParts } from '../../../../src/compose/ledger.ts'
import type { WholeLedger } from '../../../../src/operator/kept/steps.ts'
import { getIdentity } from '../../../../src/relay/identity.ts'
import type { AcceptPayment, PaymentOffer } from '../../../../src/relay/ledger/acceptance.ts'
import { createLedgerPort, type SyncPort } from '../../../../src/relay/ledger/port.ts'
import { type RoundResult, scheduleLedger } from '../../../../src/relay/ledger/schedule.ts'
import { createSqlLedger, type SqlValue } from '../../../../src/relay/ledger/stores/sqlite.ts'
import { createAcceptor } from '../../../../src/relay/pay/acceptor.ts'
import { runRound } from '../../../../src/relay/rounds/round.ts'
import { createRandom } from '../../random.ts'
import { type Actor, createActor, runAs } from '../actors.ts'
import { tills } from '../plan.ts'
import { type Done, findAccount, getSigner, type Outcome, type World } from '../world.ts'
import { applyFault, createParts, exchange, own } from './lines.ts'
import { createRelayer, forwarder } from './programs.ts'

// A Durable Object's life around the real ledger.

const restartMs = 40

/** An alarm that ended in a crash rings again after this time. */
const redeliveredAfterMs = 2_000

/** Returns the ledger behind it all as a fresh object would read it, past all that watches it. */
export function openLedger(world: World): SyncPort<LedgerSteps> {
  const { object, scheduler } = world
  const { storage, rules } = object
  const relayer = getSigner(world).address.toLowerCase()
  object.ledger ??= createSqlLedger(storage, {
    ...ledgerParts,
    rules,
    relayer,
    now: scheduler.now,
  })
  return object.ledger
}

/** Gives the first callers their tills, at the start and to a ledger that was lost. */
export function giveTills(world: World): void {
  for (const [caller, till] of tills.entries()) {
    const to = { ...till, account: findAccount(world, caller) }
    openLedger(world).setTill({ id: till.till, till: till.till, to })
  }
}

/** Sets whether payments are taken, as an operator does. */
export const setIntake = (world: World, kind: 'open' | 'draining'): unknown =>
  openLedger(world).setIntake(kind, `${kind} ${world.scheduler.now()}`)

/** Gives programs the relayer's other key: the object at once, and Workers one after the other. */
export function switchKey(world: World): void {
  const { conditions, scheduler, isolates, transcript } = world
  conditions.key = 1 - conditions.key
  crash(world, restartMs)
  transcript.tell(() => `Programs begin with key ${conditions.key} of the relayer.`)
  for (const [worker] of isolates) {
    scheduler.at(scheduler.now() + (worker + 1) * 15_000, () => restartWorker(world, worker))
  }
}

/** Tells whether the ledger has the current key, or takes it on. */
export const adoptsKey = (world: World): boolean =>
  openLedger(world).identify(getIdentity({ signer: getSigner(world), forwarder })).kind === 'same'

/** Ends a Worker with everything that runs in it; the next delivery finds a new one. */
export function restartWorker({ isolates }: World, worker: number): void {
  for (const actor of isolates.get(worker)?.actors ?? []) actor.isAlive = false
  isolates.delete(worker)
}

/** Ends the object and all that runs in it. For some time it cannot be reached. */
export function crash(world: World, downMs: number): void {
  const { object, scheduler } = world
  const { instance: dead, alarm } = object
  object.instance = undefined
  object.ledger = undefined
  object.downUntil = scheduler.now() + downMs
  if (dead === undefined) return
  for (const actor of dead.actors) actor.isAlive = false
  if (alarm.ringing.size > 0) {
    alarm.ringing.clear()
    const again = object.downUntil + redeliveredAfterMs
    setAlarm(world, alarm.dueAt === null ? again : Math.min(alarm.dueAt, again))
  }
  const error = new Error('Durable Object reset.')
  for (const done of dead.calls) done({ ok: false, error })
}

function setAlarm(world: World, time: number | null): void {
  const { alarm } = world.object
  alarm.cancel()
  alarm.dueAt = time
  if (time !== null) alarm.cancel = world.scheduler.at(time, () => beDue(world))
}

function beDue(world: World): void {
  const { alarm, downUntil } = world.object
  if (alarm.dueAt === null) return
  if (downUntil > world.scheduler.now()) {
    alarm.cancel = world.scheduler.at(downUntil, () => beDue(world))
    return
  }
  // One at a time: what became due meanwhile rings when the last one is done.
  if (alarm.ringing.size > 0) return
  setAlarm(world, null)
  alarm.rings += 1
  ring(world, `round ${alarm.rings}`)
}

function ring(world: World, name: string): void {
  const { plan, scheduler, faultAt, transcript, object } = world
  const { alarm } = object
  const { scheduled, actors } = instanceOf(world)
  const actor = createActor(name, () => crash(world, restartMs))
  const fault = faultAt('ring', createRandom(plan.seed, `${name} rings`))
  if (fault?.kind === 'rings_twice') {
    transcript.fault(name, 'alarm', fault)
    scheduler.at(scheduler.now() + fault.afterMs, () => {
      if (object.downUntil <= scheduler.now()) ring(world, `${name} again`)
    })
  }
  actors.add(actor)
  alarm.ringing.add(actor)
  const done = () => {
    actors.delete(actor)
    alarm.ringing.delete(actor)
    const { dueAt } = alarm
    if (alarm.ringing.size === 0 && dueAt !== null && dueAt <= scheduler.now()) beDue(world)
  }
  runAs(actor, () => scheduled.runDueRound()).then(done, done)
}

export function wake(world: World): void {
  const { object, scheduler, plan } = world
  const { dueAt } = object.alarm
  if (object.downUntil > scheduler.now()) return
  const soon = scheduler.now() + plan.setup.rules.roundMs
  if (dueAt === null || dueAt > soon) setAlarm(world, dueAt === null ? scheduler.now() : soon)
}

export function clearRows(world: World): void {
  const { object } = world
  for (const table of Object.keys(ledgerParts.tables)) object.storage.exec(`DELETE FROM ${table}`)
  object.ledger = undefined
}

export function loseEverything(world: World): void {
  crash(world, restartMs)
  clearRows(world)
  setAlarm(world, null)
}

/** Holds all rows of a ledger as they were at a time. */
export type RowCopy = ReadonlyMap<string, readonly Record<string, SqlValue>[]>

export const copyRows = ({ object: { storage } }: World): RowCopy =>
  new Map(
    Object.keys(ledgerParts.tables).map((table) => [table, storage.exec(`SELECT * FROM ${table}`)]),
  )

/** Sets the rows back to a copy, as after the failover to a replica that was behind. */
export function loseTail(world: World, copy: RowCopy): void {
  loseEverything(world)
  for (const [table, rows] of copy) {
    for (const row of rows) {
      const places = Object.keys(row).map(() => '?')
      const columns = Object.keys(row).join(', ')
      const insert = `INSERT INTO ${table} (${columns}) VALUES (${places.join(', ')})`
      world.object.storage.exec(insert, ...Object.values(row))
    }
  }
}

export const ledgerLine = (world: World): WholeLedger =>
  createLedgerPort(ledgerParts.steps, (method, args) => callFrom(world, method, args))

/** Returns a Worker's way to what accepts payments in the object. */
export const acceptLine = (world: World): AcceptPayment => {
  return (offer) => callFrom(world, 'accept', [offer]) as ReturnType<AcceptPayment>
}

type ObjectMethod = keyof LedgerSteps | 'accept'

function callFrom(world: World, method: ObjectMethod, args: unknown[]): Promise<unknown> {
  const met = applyFault(world, `ledger.${method}`, 'ledger')
  const { actor, fault } = met
  return exchange(world, met, ({ done, lost }) => {
    if (fault?.kind === 'object_dies_before') crash(world, fault.downMs)
    call(world, actor, method, args, (outcome) => {
      if (!outcome.ok) actor.troubles.add('object_down')
      if (fault?.kind !== 'object_dies_after') return done(outcome)
      crash(world, fault.downMs)
      lost(false)
    })
  })
}

/** Runs a method in the object, at once; `done` is called once, when it has answered or died. */
function call(world: World, asker: Actor, method: ObjectMethod, args: unknown[], done: Done) {
  const { object, scheduler } = world
  if (object.downUntil > scheduler.now()) {
    return done({ ok: false, error: new Error('Durable Object is not there.') })
  }
  const { scheduled, accept, actors: living, calls } = instanceOf(world)
  const actor = createActor(`${asker.name}'s ledger.${method}`, () => crash(world, restartMs))
  living.add(actor)
  const finish = (outcome: Outcome) => {
    if (!calls.delete(finish)) return
    living.delete(actor)
    done(outcome)
  }
  calls.add(finish)
  const methods = { ...scheduled.ledger, accept: (offer: PaymentOffer) => accept(offer, asker) }
  runAs(actor, () => (methods[method] as (...args: unknown[]) => Promise<unknown>)(...args)).then(
    (value) => finish({ ok: true, value }),
    (error: Error) => finish({ ok: false, error }),
  )
}

/** Returns the object that lives, or one as it comes to life: nothing runs in it. */
function instanceOf(world: World): NonNullable<World['object']['instance']> {
  const { object, log, plan, scheduler } = world
  const port = {
    getAlarm: () => own(world, 'getAlarm', 'tending', () => object.alarm.dueAt),
    setAlarm: (time: number) => own(world, 'setAlarm', 'tending', () => setAlarm(world, time)),
    deleteAlarm: () => own(world, 'deleteAlarm', 'tending', () => setAlarm(world, null)),
  }
  if (object.instance !== undefined) return object.instance
  const relayer = getSigner(world).address.toLowerCase()
  const { roundMs } = plan.setup.rules
  const schedule = { rules: object.rules, relayer, roundMs, runRound: newTend(world), log }
  const scheduled = scheduleLedger(
    ledgerParts.steps,
    watchedLedger(world),
    port,
    schedule,
    scheduler.now,
  )
  const actors = new Set<Actor>()
  const actor = createActor('acceptor', () => crash(world, restartMs))
  actors.add(actor)
  const program = createRelayer(createParts(world), mortal(world, scheduled.ledger))
  const accept = acceptAs(world, actor, createAcceptor(program))
  object.instance = { scheduled, accept, actors, calls: new Set() }
  return object.instance
}

/** Accepts payments as a program of its own: its troubles are those of who waits for it. */
export function acceptAs({ scheduler }: World, actor: Actor, accept: AcceptPayment) {
  return async (offer: PaymentOffer, delivery: Actor) => {
    if (actor.stalledUntil > scheduler.now()) delivery.troubles.add('stalls')
    actor.waiting.add(delivery)
    try {
      return await runAs(actor, () => accept(offer))
    } finally {
      actor.waiting.delete(delivery)
    }
  }
}

/** Makes what an object does in its rounds, as long as it lives. */
function newTend(world: World) {
  const parts = createParts(world)
  return (kept: WholeLedger): Promise<RoundResult> =>
    runRound(createRelayer(parts, mortal(world, kept)))
}

/** Gives the object its ledger: each call may be its last. */
const mortal = (world: World, ledger: WholeLedger): WholeLedger =>
  createLedgerPort(ledgerParts.steps, (method, args) =>
    own(world, `own.${method}`, 'tending', () =>
      (ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args),
    ),
  )

function watchedLedger(world: World): SyncPort<LedgerSteps> {
  const { records } = world
  return createLedgerPort(ledgerParts.steps, (method, args) => {
    try {
      return (openLedger(world)[method] as (...args: unknown[]) => unknown)(...args)
    } catch (error) {
      const words = `the ledger's ${method} throws: ${error}`
      // A second payment of one intent is refused by a throw.
      if (!/recorded already/.test(words)) records.uncaught.push(words)
      throw error
    }
  }) as unknown as SyncPort<LedgerSteps>
}
