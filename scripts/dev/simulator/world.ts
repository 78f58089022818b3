import type { Address, Hex } from 'viem'
import type { Forwarder } from '../../../src/relay/forwarder/requests.ts'
import { ledgerRules, type Payment } from '../../../src/relay/ledger/port.ts'
import type { Sql } from '../../../src/relay/ledger/stores/sql.ts'
import type { Log } from '../../../src/runtime/log.ts'
import { createRandom } from '../random.ts'
import { type Actors, createActors } from './actors.ts'
import type { Faults } from './faults.ts'
import type { Arrival, Asked, Loss, Statement } from './history.ts'
import {
  type ChainState,
  createModelChain,
  type ModelBlock,
  type ModelChain,
} from './model/chain.ts'
import type { ContractWorld } from './model/contracts.ts'
import { digest } from './model/hashing.ts'
import { createModelNode, type ModelNode } from './model/model-node.ts'
import { createModelPool, type ModelPool } from './model/pool.ts'
import { cheapSigning, type ModelTransaction, realSigning, type Signing } from './model/signing.ts'
import { type Plan, phoneOf, principalWei, startMillis } from './plan.ts'
import { createLedgerHost, type LedgerHost } from './relay/ledger-host.ts'
import { createTending, type ProgramOptions } from './relay/programs.ts'
import { createRoundWatch, type RoundWatch } from './relay/rounds.ts'
import { createWires } from './relay/wires.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { nameOf, type Story } from './story.ts'

/** Where a run takes place: a chain, its pool and node, the ledger's object, and the time of all. */
export type World = {
  plan: Plan
  scheduler: Scheduler
  actors: Actors
  story: Story
  signing: Signing
  chain: ModelChain
  pool: ModelPool
  node: ModelNode
  host: LedgerHost
  parts: ProgramOptions
  faults: Faults
  /** Their accounts, in the plan's order. */
  callers: readonly Address[]
  /** Circumstances that events change. */
  weather: Weather
  records: Records
}

export type Weather = {
  /** Whether faults are drawn. */
  isTroubled: boolean
  /** Whether all that was planned to happen has happened. */
  isCalm: boolean
  /** Whether blocks and the scheduled trigger go on. */
  isRunning: boolean
  blocksStopUntil: number
  /** What the least gas price comes back to. */
  usualGasPriceWei: bigint
  nodeDown: { until: number; share: number }[]
}

/** What is written down for the oracle. */
export type Records = {
  statements: Statement[]
  arrivals: Arrival[]
  reorganizations: { at: number; removed: number }[]
  phaseStarts: number[]
  quietFrom: number[]
  payments: ReadonlyMap<string, Payment>[]
  losses: Loss[]
  foreign: Set<Hex>
  /** Errors that nobody caught. */
  uncaught: string[]
  /** Calls of strangers that were not refused. */
  unrefused: string[]
  /** Claims that are not what was asked for. */
  misclaimed: string[]
  /** What rounds left that they had to do. */
  undone: string[]
  /** How often the log told of a reorganization. */
  reorganizationsTold: number
  /** How often the relay took what passed a nonce for a transaction of another program. */
  displacedTold: number
  asked: Asked[]
}

const milliWei = 10n ** 15n
const simulatedChainId = 31
export const forwarderAddress: Address = `0x${'f0'.repeat(20)}`
export const loanAddress: Address = `0x${'10a7'.repeat(10)}`
export const startTime = Date.UTC(2026, 10, 21, 12)

/** The pool's least at the start. */
export const startGasPriceWei = 60_000_000n
export const richWei = 10n ** 18n
/** Less than one transaction costs. */
export const poorWei = 10n ** 12n

export type WorldOptions = {
  plan: Plan
  storage: Sql
  faults: (isTroubled: () => boolean) => Faults
  story: (now: () => number) => Story
}

export function createWorld({ plan, storage, ...options }: WorldOptions): World {
  const { seed, knobs } = plan
  const scheduler = createScheduler(startTime)
  const actors = createActors(scheduler)
  const story = options.story(scheduler.now)
  const signing = knobs.isSignedForReal ? realSigning(simulatedChainId) : cheapSigning()
  const forwarder: Forwarder = { chainId: simulatedChainId, address: forwarderAddress }
  const contracts: ContractWorld = {
    forwarder: forwarderAddress,
    loan: loanAddress,
    principalWei,
    dailyCapWei: BigInt(knobs.capLoans) * principalWei,
    isSigned: signing.isSigned,
  }
  const callers = Array.from(
    { length: knobs.callers },
    (_, caller) => signing.caller(phoneOf(caller)).address.toLowerCase() as Address,
  )
  const pool = createModelPool({
    family: knobs.family,
    slots: knobs.slots,
    bumpPercent: knobs.family === 'rskj' ? 40 : 10,
    priceCapTimes: 80n,
    evictAfterBlocks: knobs.evictAfterBlocks,
    evictAfterMs: knobs.evictAfterMs,
  })
  const chain = createModelChain({
    world: contracts,
    pool,
    state: startState(callers, knobs.poolLoans),
    start: startTime,
    blockMs: knobs.blockMs,
    minGasPriceWei: startGasPriceWei,
    isTaken: ({ hash }, block) => createRandom(seed, hash + block).chance(knobs.inclusion),
  })
  const weather: Weather = {
    isTroubled: true,
    isCalm: false,
    isRunning: true,
    blocksStopUntil: 0,
    usualGasPriceWei: startGasPriceWei,
    nodeDown: [],
  }
  const records: Records = {
    statements: [],
    arrivals: [],
    reorganizations: [],
    phaseStarts: [],
    quietFrom: [],
    payments: [],
    losses: [],
    foreign: new Set(),
    uncaught: [],
    unrefused: [],
    misclaimed: [],
    undone: [],
    reorganizationsTold: 0,
    displacedTold: 0,
    asked: [],
  }
  const node = createModelNode({
    chain,
    pool,
    world: contracts,
    relayer: signing.relayer.address,
    signing,
    family: knobs.family,
    now: scheduler.now,
    arrived: recordArrival,
  })
  const faults = options.faults(() => weather.isTroubled)
  const log: Log = (event) => {
    const { intent, to, hash } = event
    if (event.event.startsWith('payment.')) {
      records.statements.push({
        at: scheduler.now(),
        intentId: `${intent}`,
        to: `${to}`,
        hash: hash === undefined ? undefined : `${hash}`,
      })
    }
    if (event.event === 'chain.reorganized') records.reorganizationsTold += 1
    if (event.event === 'nonce.foreign') records.displacedTold += 1
    story.log(event)
  }
  const wires = createWires({
    seed,
    scheduler,
    actors,
    faults,
    story,
    chain,
    node,
    isNodeDown: (random) =>
      weather.nodeDown.some(({ until, share }) => scheduler.now() < until && random.chance(share)),
    host: () => host,
    slowness: knobs.slowness,
    asked: (call) => records.asked.push(call),
  })
  let tokens = 0
  const parts: ProgramOptions = {
    knobs,
    forwarder,
    loan: loanAddress,
    signing,
    wires,
    log,
    newToken: () => digest('token', seed, tokens++),
  }
  const rounds: RoundWatch = createRoundWatch({
    ...{ knobs, chain, pool, work: () => host.peek().work() },
    isAlone: () =>
      records.foreign.size + records.displacedTold === 0 && records.losses.length === 0,
    isCounted: (before) => {
      const quietFrom = records.quietFrom.at(-1) ?? Number.POSITIVE_INFINITY
      return records.asked.some(
        ({ at, by, method, params }) =>
          at > quietFrom &&
          at < before &&
          by.startsWith('round') &&
          method === 'eth_getTransactionCount' &&
          params[1] === 'latest',
      )
    },
    isOneBranch: () => records.reorganizations.length === 0,
    isQuiet: () =>
      !weather.isTroubled && weather.isCalm && records.losses.every(({ row }) => row === undefined),
    found: (words) => records.undone.push(words),
  })
  const host = createLedgerHost({
    seed,
    scheduler,
    actors,
    faults,
    story,
    wires,
    storage,
    rules: {
      ...ledgerRules,
      maxInFlight: knobs.rules.maxInFlight,
      meansMs: knobs.rules.meansMs,
      watchBlocks: knobs.rules.watchBlocks,
    },
    relayer: signing.relayer.address.toLowerCase(),
    tendMs: knobs.rules.tendMs,
    tend: createTending(parts, actors.clock(0)),
    log,
    threw: (method, error) => {
      const words = `the ledger's ${method} throws: ${error}`
      // A second payment of one intent is refused by a throw.
      if (!/recorded already/.test(words)) records.uncaught.push(words)
    },
    misclaimed: (words) => records.misclaimed.push(words),
    rounds: () => rounds,
  })
  return {
    plan,
    scheduler,
    actors,
    story,
    signing,
    chain,
    pool,
    node,
    host,
    parts,
    faults,
    callers,
    weather,
    records,
  }

  function recordArrival(
    transaction: ModelTransaction,
    refusal: string | undefined,
    held: ModelTransaction | undefined,
  ): void {
    const { arrivals, foreign } = records
    const isOwn = held !== undefined && held.hash !== transaction.hash && !foreign.has(held.hash)
    const over = isOwn ? held : undefined
    if (!foreign.has(transaction.hash)) {
      arrivals.push({ at: scheduler.now(), transaction, refusal, over })
    }
    story.tell(() => `The pool is sent ${nameOf(transaction)}: ${refusal ?? 'taken'}.`)
  }
}

/** The contracts as they are deployed, with something in every caller's account and in the pool. */
export function startState(callers: readonly Address[], poolLoans: number): ChainState {
  return {
    accounts: new Map(
      callers.map((caller) => [
        caller,
        { balanceWei: BigInt(startMillis) * milliWei, owedWei: 0n, issuedHour: 0 },
      ]),
    ),
    liquidityWei: BigInt(poolLoans) * principalWei,
    outWei: 0n,
    issuedWei: new Map(),
    isPaused: false,
    isRelayerAllowed: true,
    spentAt: new Map(),
    nonce: 0,
    relayerWei: richWei,
  }
}

/** The head as the pool judges by it. */
export function poolViewOf({ chain, scheduler }: World, head: ModelBlock = chain.head()) {
  return {
    stateNonce: head.state.nonce,
    balanceWei: head.state.relayerWei,
    minGasPriceWei: chain.minGasPriceWei(),
    head: head.number,
    now: scheduler.now(),
  }
}
