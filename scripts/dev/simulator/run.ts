import type { Sql } from '../../../src/relay/ledger/stores/sqlite.ts'
import { isOpen } from '../../../src/relay/ledger/work.ts'
import { createRandom } from '../random.ts'
import { openSqlite } from '../sqlite.ts'
import { happen } from './events.ts'
import type { History } from './history.ts'
import { useInstantCrypto } from './lender/instant-crypto.ts'
import { chooseFirstPins } from './lender/product.ts'
import { totalWei } from './model/contracts.ts'
import { type Dial, findEnd, getPhone, type Plan, watchedWithinMs } from './plan.ts'
import { wrongSums } from './relay/audit.ts'
import { clearRows, crash, giveTills, openLedger, wake } from './relay/object.ts'
import { deliver } from './relay/workers.ts'
import { startState } from './setting.ts'
import { describeBlock, nameTransaction } from './transcript.ts'
import { minuteMs, secondMs } from './units.ts'
import { createWorld, type World } from './world.ts'

export type Run = { history: History; transcript: readonly string[] }

const dayMs = 24 * 60 * minuteMs

/** The forwarder knows for so many days what it has executed. */
const forgottenAfterDays = 7

/** Time until everything is settled after the faults; a request is valid for 2 h. */
const settledWithinMs = 170 * minuteMs

/** One database for all runs of a process, because creating one is slow. */
let storage: Sql | undefined

/** Runs a plan in virtual time; `isTold` writes the transcript too. */
export async function runPlan(plan: Plan, isTold = false): Promise<Run> {
  const { setup } = plan
  storage ??= openSqlite()
  const world = createWorld(plan, storage, isTold)
  openLedger(world)
  clearRows(world)
  const onUncaught = (error: unknown) => {
    world.records.uncaught.push(`${error instanceof Error ? error.stack : error}`)
  }
  process.on('unhandledRejection', onUncaught)
  const useThreads = useInstantCrypto()
  try {
    if (setup.isLender) {
      await chooseFirstPins(world.memories, world.callers)
      giveTills(world)
    }
    await live(world)
    return { history: historyOf(world), transcript: world.transcript.lines }
  } finally {
    useThreads()
    process.off('unhandledRejection', onUncaught)
  }
}

async function live(world: World): Promise<void> {
  const { pauseDays } = world.plan.setup
  keepBlocksComing(world, 'first')
  keepWaking(world)
  const waitedDays = await livePhase(world, 0)
  // A run that does not settle is a finding by itself.
  if (pauseDays !== undefined && isSettled(world)) {
    // A pause that ends before the forwarder forgets has what was waited in it.
    await skipDays(world, pauseDays < forgottenAfterDays ? pauseDays - waitedDays : pauseDays)
    await livePhase(world, 1)
  }
}

/**
 * Runs a phase with its faults, waits until all is settled, and delivers each dial once more.
 * Returns for how many days it waited until lost rows could not pay any more.
 */
async function livePhase(world: World, phase: 0 | 1): Promise<number> {
  const { plan, scheduler, transcript, conditions, records, callers, signing } = world
  const base = scheduler.now()
  records.phaseStarts.push(base)
  const items = plan.items.filter((item) => item.phase === phase)
  conditions.isTroubled = true
  for (const item of items) scheduler.at(base + item.at, () => happen(world, item))
  const lastEnd = base + Math.max(plan.setup.troubledMs, ...items.map(findEnd))
  await scheduler.runUntil(base + plan.setup.troubledMs)
  conditions.isTroubled = false
  if (phase === 0) await beDown(world)
  await scheduler.runUntil(lastEnd)
  const quiet = scheduler.now()
  transcript.tell(() => 'From here on nothing fails any more.')
  await scheduler.runUntil(quiet + watchedWithinMs(plan))
  await untilSettled(world, quiet + settledWithinMs)
  await askAgain(world, phase)
  await untilSettled(world, scheduler.now() + settledWithinMs)
  const waitedDays = await endDoubt(world)
  const payments = callers.flatMap((_, caller) =>
    openLedger(world).listPayments(signing.caller(getPhone(caller)).address, 1000),
  )
  records.payments.push(
    new Map(payments.map((payment) => [payment.order.request.intentId, payment])),
  )
  return waitedDays
}

async function askAgain(world: World, phase: 0 | 1): Promise<void> {
  const { scheduler, records } = world
  const asked = new Map<string, Dial>()
  for (const { dial, phase: when, isProbe } of records.deliveries) {
    if (when === phase && !isProbe) asked.set(`${dial.session} ${dial.caller} ${dial.text}`, dial)
  }
  for (const dial of asked.values()) {
    scheduler.at(scheduler.now(), () => deliver(world, dial, phase, true))
    await scheduler.runUntil(scheduler.now() + 2 * secondMs)
  }
  await scheduler.runUntil(scheduler.now() + 40 * secondMs)
}

async function untilSettled(world: World, limit: number): Promise<void> {
  const { scheduler } = world
  while (scheduler.now() < limit && !isSettled(world)) {
    await scheduler.runUntil(scheduler.now() + 10 * secondMs)
  }
}

/** Lets the days pass in which lost rows may still pay, if a payment waits for that. */
async function endDoubt(world: World): Promise<number> {
  if (isSettled(world) || openLedger(world).readWork().possibleLossAt === undefined) return 0
  const days = 1.1
  await passDays(world, days, 'after the doubt')
  await untilSettled(world, world.scheduler.now() + settledWithinMs)
  return days
}

function isSettled(world: World): boolean {
  const isAnswered = world.records.deliveries.every(
    ({ actor, reply }) => !actor.isAlive || reply !== undefined,
  )
  const work = openLedger(world).readWork()
  // While the ledger waits for a chain that became shorter, nothing is decided.
  return isAnswered && !isOpen(work) && work.behindSince === undefined
}

/** Skips days without a dial, after everything watched has been watched to its end. */
async function skipDays(world: World, days: number): Promise<void> {
  const { scheduler } = world
  const limit = scheduler.now() + settledWithinMs
  while (openLedger(world).readWork().watching && scheduler.now() < limit) {
    await scheduler.runUntil(scheduler.now() + minuteMs)
  }
  await passDays(world, days, 'second')
}

/** Stops the ledger's object for days, while blocks still include what the pool has. */
async function beDown(world: World): Promise<void> {
  const { scheduler, plan } = world
  const { outageDays, evictAfterMs } = plan.setup
  if (outageDays === undefined) return
  crash(world, evictAfterMs + outageDays * dayMs)
  await scheduler.runUntil(scheduler.now() + evictAfterMs)
  await passDays(world, outageDays, 'after the outage')
}

async function passDays(world: World, days: number, blocks: string): Promise<void> {
  const { scheduler, chain, transcript, conditions } = world
  conditions.isRunning = false
  await scheduler.runUntil(scheduler.now() + days * dayMs)
  chain.skipTo(scheduler.now())
  transcript.tell(() => `${days} days have passed.`)
  conditions.isRunning = true
  keepBlocksComing(world, blocks)
  keepWaking(world)
  // The scheduled trigger runs every minute, so it has run by now.
  await scheduler.runUntil(scheduler.now() + 3 * minuteMs)
}

function keepBlocksComing(world: World, name: string): void {
  const { scheduler, conditions, plan } = world
  const { blockMs, isRegular } = plan.setup
  const random = createRandom(plan.seed, `${name} blocks`)
  function next(): void {
    const factor = isRegular ? 1 : Math.min(4, Math.max(0.1, -Math.log(1 - random.next())))
    scheduler.at(scheduler.now() + Math.round(blockMs * factor), come, 'quiet')
  }
  function come(): void {
    if (!conditions.isRunning) return
    if (scheduler.now() >= conditions.blocksStopUntil) mine(world)
    next()
  }
  next()
}

function mine(world: World): void {
  const { chain, pools, scheduler, transcript } = world
  const block = chain.mine(scheduler.now())
  if (block.transactions.length > 0) transcript.tell(() => `Block ${describeBlock(block)}.`)
  const evict = (pool: (typeof pools)[0]) => pool.evict(chain.head().number, scheduler.now())
  for (const dropped of pools.flatMap(evict)) {
    transcript.tell(() => `The pool drops ${nameTransaction(dropped)}, which waited too long.`)
  }
}

function keepWaking(world: World): void {
  const { scheduler, conditions } = world
  scheduler.at(scheduler.now() + minuteMs, () => {
    if (!conditions.isRunning) return
    wake(world)
    keepWaking(world)
  })
}

function historyOf(world: World): History {
  const { plan, chain, pools, callers, records, memories } = world
  const head = chain.head()
  const readHead = (at: number) =>
    Math.max(...chain.headsUntil(at).map(({ block }) => block.number))
  return {
    ...records,
    plan,
    callers,
    processed: chain.allProcessed().filter(({ mined }) => chain.isWithin(mined.block, head)),
    totalsWei: [totalWei(startState(callers, plan.setup)), totalWei(head.state)],
    work: openLedger(world).readWork(),
    pool: pools.flatMap((pool, key) =>
      pool.all().filter(({ nonce }) => nonce >= (head.state.nonces[key] ?? 0)),
    ),
    memory: memories.events,
    readHead,
    readFinal(at, account) {
      const number = readHead(at) - plan.setup.rules.confirmations + 1
      const block = chain.blockAt(Math.max(0, number), head)
      const wei = block?.state.accounts.get(account)?.balanceWei ?? 0n
      return { number, wei }
    },
    inlets: head.state.inlets,
    audit: [...wrongSums(world.object.storage)],
  }
}
