import { numberToHex, parseEther } from 'viem'
import { beforeAll, type ExpectStatic, expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { createRandom } from '../../../scripts/dev/random.ts'
import {
  type Caller,
  callAsOwner,
  createCallers,
  deposit,
} from '../../../scripts/dev/relays/callers.ts'
import { openSqlite } from '../../../scripts/dev/sqlite.ts'
import { describeStatus } from '../../../scripts/ops/show.ts'
import { type LedgerSteps, ledgerParts } from '../../../src/compose/ledger.ts'
import { healthAnswer } from '../../../src/operator/schemas/health.ts'
import { type ScheduledLedger, scheduleLedger } from '../../../src/relay/ledger/schedule.ts'
import { createSqlLedger } from '../../../src/relay/ledger/stores/sqlite.ts'
import type { LedgerOptions } from '../../support/deployment.ts'
import { opened } from '../../support/opened.ts'
import { seed, times } from '../../support/sample.ts'
import { dial, type Operated, openOperated } from './operating.ts'

const chain = opened(() => startChain())
let callers: Caller[]
let dials = 0
/** Also is the chain's time, which continues from one world to the next. */
const time = { ahead: 0 }
const now = () => Date.now() + time.ahead

beforeAll(async () => {
  callers = await createCallers(chain, 24)
  const accounts = callers.map(({ account }) => account.address)
  await deposit(chain, accounts, parseEther('1'))
})

/** Opens two processes with one ledger and one node, with rounds as of a Durable Object. */
async function openTwo(): Promise<World> {
  /** Replaces the node's answers, by method. */
  const lies = new Map<string, object>()
  const is = { silent: false, secondAheadMs: 0 }
  let alarm: number | null = null
  let kept: ScheduledLedger<LedgerSteps> | undefined
  const ledger = ({ rules, relayer }: LedgerOptions) => {
    const port = {
      getAlarm: async () => alarm,
      async setAlarm(at: number | null) {
        alarm = at
      },
      deleteAlarm: () => port.setAlarm(null),
    }
    const timing = { rules, relayer, roundMs: 25_000, runRound: () => first.round(), log: () => {} }
    const rows = createSqlLedger(openSqlite(undefined), { ...ledgerParts, rules, relayer, now })
    kept = scheduleLedger(ledgerParts.steps, rows, port, timing, now)
    return kept.ledger
  }
  const pool = { POOL_RULES: 'rootstock', MAX_GAS_PRICE_WEI: `${10n ** 11n}` }
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    if (is.silent) throw new TypeError('nothing listens there')
    const body = JSON.parse(`${init?.body}`)
    const asked: { id: unknown; method: string }[] = [body].flat()
    if (asked.every(({ method }) => !lies.has(method))) return globalThis.fetch(input, init)
    const told = asked.map(({ id, method }) => ({ jsonrpc: '2.0', id, ...lies.get(method) }))
    return Response.json(Array.isArray(body) ? told : told[0])
  }
  const first: Operated = openOperated(chain, pool, { fetch, time, ledger })
  const ownTime = {
    get ahead() {
      return time.ahead + is.secondAheadMs
    },
  }
  const shared = { fetch, ledger: () => first.ledger }
  const processes = [first, openOperated(chain, pool, { ...shared, time: ownTime })] as const
  let nextCron = now()

  /** Lets so many seconds pass, with what the cron and the alarm do in them. */
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      time.ahead += 1_000
      if (now() >= nextCron) await kept?.wake()
      if (now() >= nextCron) nextCron = now() + 60_000
      const isDue = alarm !== null && alarm <= now()
      if (isDue) alarm = null
      if (isDue) await kept?.runDueRound()
      // Alerts are raised in the background; what watches a payment sleeps there by a real clock.
      await new Promise((resolve) => setImmediate(resolve))
    }
    await chain.anvil.ask('evm_increaseTime', [seconds])
    await chain.anvil.ask('evm_mine')
  }

  await setBalance('100')
  // A new ledger has a new key: of a used one it would not know what it sent.
  await chain.anvil.ask('anvil_setNonce', [chain.relayer, '0x0'])
  await pass(3)
  const world = { lies, is, processes, pass }
  // Before it has seen the chain, a ledger does not know that nothing was sent.
  expect(await isTaken(world, 0)).toBe(true)
  return world
}

type World = {
  lies: Map<string, object>
  is: { silent: boolean; secondAheadMs: number }
  processes: readonly [Operated, Operated]
  pass: (seconds: number) => Promise<void>
}

/** Tells whether a process accepts a transfer now. */
async function isTaken({ processes }: World, process: 0 | 1): Promise<boolean> {
  dials += 1
  const phone = callers[dials % callers.length]?.phone ?? ''
  const to = `0x${(0x100000beef + dials).toString(16).padStart(40, '0')}`
  const text = `2*${to}*0.00000${dials}`
  const shown = await dial(processes[process], { phone, sessionId: `truth ${dials}`, text })
  if (!/^END Transfer Submitted\n|Nothing was sent/.test(shown)) throw new Error(shown)
  return shown.startsWith('END Transfer Submitted')
}

/** Reads from every surface of a process whether payments are refused now. */
async function surfaces(process: Operated) {
  const [healthz, readyz] = [await process.ask('/healthz'), await process.ask('/readyz')]
  const status = await process.status()
  const metrics = await process.metrics()
  const { checks = [] } = healthAnswer.parse(healthz.body)
  return {
    health: [healthz.status, readyz.status],
    refusing: checks.filter(({ refuses }) => refuses).map(({ name }) => name),
    status: !describeStatus(status).some((line) => line.startsWith('Payments are taken.')),
    metrics: /relay_payments_refused\{check="\w+"\} 1/.test(metrics),
    alerts: status.alerts.filter(({ overSince }) => overSince === null).map(({ name }) => name),
    raised: /relay_alert_active\{name="\w+"\} 1/.test(metrics),
  }
}

const setBalance = (ether: string) =>
  chain.anvil.ask('anvil_setBalance', [chain.relayer, numberToHex(parseEther(ether))])

type Cause = {
  name: string
  check: string
  alert?: string
  /** Concerns the second process only. */
  isOwn?: true
  set: (world: World, isThere: boolean) => unknown
}

const lie = ({ lies }: World, isThere: boolean, method: string, told: object) =>
  isThere ? lies.set(method, told) : lies.delete(method)
const refusal = { error: { code: -32000, message: 'the state is pruned' } }

const causes: readonly Cause[] = [
  {
    ...{ name: 'an empty relayer', check: 'relayer_funds', alert: 'relayer_low' },
    set: (_, isThere) => setBalance(isThere ? '0' : '100'),
  },
  {
    ...{ name: 'a price above the maximum', check: 'gas_price', alert: 'price_high' },
    set: (world, isThere) =>
      lie(world, isThere, 'eth_gasPrice', { result: numberToHex(2n * 10n ** 11n) }),
  },
  {
    ...{ name: 'a silent node', check: 'node', alert: 'node_down' },
    set: ({ is }, isThere) => Object.assign(is, { silent: isThere }),
  },
  {
    ...{ name: 'a node that refuses calls', check: 'node', alert: 'node_down' },
    set: (world, isThere) => lie(world, isThere, 'eth_call', refusal),
  },
  {
    ...{ name: 'a paused forwarder', check: 'contracts', alert: 'contracts' },
    set: (_, isThere) => callAsOwner(chain, isThere ? 'pause' : 'unpause', { of: 'forwarder' }),
  },
  ...[90_000, -90_000].map(
    (aheadMs): Cause => ({
      ...{ name: `a process' clock, ${aheadMs} ms ahead`, check: 'clock', isOwn: true },
      set: ({ is }, isThere) => Object.assign(is, { secondAheadMs: isThere ? aheadMs : 0 }),
    }),
  ),
]

/** Holds the present trouble, whether a payment was refused for it, and what was lately. */
type Known = {
  active?: { cause: Cause; isRefused: boolean } | undefined
  over?: ReadonlyMap<Cause, number>
  at?: number
  /** Is until when a payment may look stuck: its trouble ends only when a round sees its block. */
  stuckUntil?: number
}

const stopping: readonly string[] = ['relayer_funds', 'node']

/**
 * Requires that a finding is or was so within 30 s, that refusals are found, and surfaces agree.
 */
async function expectTruth(
  expect: ExpectStatic,
  { processes }: World,
  { active, over = new Map(), at = 0, stuckUntil = 0 }: Known,
  story: string,
): Promise<void> {
  for (const [index, process] of processes.entries()) {
    const lately = [...over].filter(([, endedAt]) => at - endedAt < 30).map(([cause]) => cause)
    const all: Cause[] = [...(active ? [active.cause] : []), ...lately]
    const allowed = all.filter(({ isOwn }) => isOwn !== true || index === 1)
    // With a silent node no round comes to its end.
    const alerts = allowed.flatMap(({ check, alert }) =>
      check === 'node' ? [alert, 'round_late'] : [alert],
    )
    const said = await surfaces(process)
    const told = `${story}\n${at}: process ${index} says ${JSON.stringify(said)}`
    const isRefusing = said.refusing.length > 0
    expect(said.health, told).toEqual(isRefusing ? [503, 503] : [200, 200])
    expect([said.status, said.metrics], told).toEqual([isRefusing, isRefusing])
    expect(said.raised, told).toBe(said.alerts.length > 0)
    const checks = allowed.map(({ check }) => check)
    expect(checks, told).toEqual(expect.arrayContaining(said.refusing))
    if (at < stuckUntil) alerts.push('stuck')
    expect(alerts, told).toEqual(expect.arrayContaining(said.alerts))
    if (active?.isRefused !== true || !allowed.includes(active.cause)) continue
    expect(said.refusing, told).toContain(active.cause.check)
    if (active.cause.alert !== undefined) expect(said.alerts, told).toContain(active.cause.alert)
  }
}

/** Limits the age of the facts behind a refusal. */
const sureSeconds = 5

const histories = Array.from({ length: times({ sampled: 5, full: 150 }) }, (_, run) => seed + run)

test.for(histories)('no surface contradicts another or the screen in history %s', async (drawn) => {
  const random = createRandom(drawn, 'truth')
  const world = await openTwo()
  const story: string[] = []
  const over = new Map<Cause, number>()
  let active: Known['active']
  let at = 0
  let [stoppedUntil, stuckUntil] = [0, 0]
  const pass = async (seconds: number) => {
    await world.pass(seconds)
    at += seconds
    if (stopping.includes(active?.cause.check ?? '')) [stoppedUntil, stuckUntil] = [at, Infinity]
    // By then all is offered again, in order; a pass ends with a block, and a round sees it.
    else if (stuckUntil === Infinity && at - stoppedUntil >= 30) stuckUntil = at + 30
  }
  for (let turn = 0; turn < 14; turn++) {
    const what = random.pick(['cause', 'dial', 'dial', 'pass'] as const)
    if (what === 'cause') {
      const cause = active?.cause ?? random.pick(causes)
      await cause.set(world, active === undefined)
      if (active !== undefined) over.set(cause, at)
      active = active === undefined ? { cause, isRefused: false } : undefined
      story.push(`${at}: ${active === undefined ? 'the end of ' : ''}${cause.name}`)
    } else if (what === 'dial') {
      const process = random.pick([0, 1] as const)
      const isSent = await isTaken(world, process)
      story.push(`${at}: ${isSent ? 'taken' : 'refused'} by ${process}`)
      const isLately = [...over.values()].some((endedAt) => at - endedAt <= sureSeconds)
      expect(isSent || active !== undefined || isLately, story.join('\n')).toBe(true)
      // What is taken ends all that payments were refused for before.
      if (isSent && active === undefined) over.clear()
      if (active !== undefined && !isSent) active.isRefused ||= !active.cause.isOwn || process === 1
    }
    const seconds = random.pick([2, 3, 10, 32, 70])
    await pass(seconds)
    // While the node tells nothing, nothing is known to be over.
    for (const [cause, endedAt] of over) {
      if (active?.cause.check === 'node' && at - seconds - endedAt < 30) over.set(cause, at)
    }
    await expectTruth(expect, world, { active, over, at, stuckUntil }, story.join('\n'))
  }
  await active?.cause.set(world, false)
  active = undefined
  await pass(30)
  await expectTruth(expect, world, { at, stuckUntil }, story.join('\n'))
})
