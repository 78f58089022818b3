import { ledgerRules } from '../../../src/relay/ledger/port.ts'
import type { Sql } from '../../../src/relay/ledger/stores/sql.ts'
import { type Actors, createActors } from './actors.ts'
import type { Faults } from './faults.ts'
import {
  createGround,
  forwarderAddress,
  type Ground,
  loanAddress,
  simulatedChainId,
  startGasPriceWei,
  startTime,
} from './ground.ts'
import type { Records } from './history.ts'
import { createKeptMemories, type KeptMemories } from './lender/kept-memory.ts'
import { createLenderSms } from './lender/product.ts'
import { digest } from './model/hashing.ts'
import type { Plan } from './plan.ts'
import { createRecorder, newRecords } from './records.ts'
import { createLedgerHost, type LedgerHost } from './relay/ledger-host.ts'
import { createTending, type ProgramOptions } from './relay/programs.ts'
import { createRoundWatch, type RoundWatch } from './relay/rounds.ts'
import { createWires, type Wires } from './relay/wires.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import type { Story } from './story.ts'
import { circumstances, isNodeDown, miscountAt, newWeather, type Weather } from './weather.ts'

/** Where a run takes place: a chain, its pool and node, the ledger's object, and the time of all. */
export type World = Ground & {
  plan: Plan
  scheduler: Scheduler
  actors: Actors
  story: Story
  host: LedgerHost
  memories: KeptMemories
  wires: Wires
  parts: ProgramOptions
  faults: Faults
  weather: Weather
  records: Records
}

export type WorldOptions = {
  plan: Plan
  storage: Sql
  faults: (isTroubled: () => boolean) => Faults
  story: (now: () => number) => Story
}

export function createWorld({ plan, storage, ...options }: WorldOptions): World {
  const { seed, knobs } = plan
  const scheduler = createScheduler(startTime)
  const { now } = scheduler
  const actors = createActors(scheduler)
  const story = options.story(now)
  const weather = newWeather(startGasPriceWei)
  const records = newRecords()
  const recorder = createRecorder(records, story, now)
  const ground = createGround(plan, recorder, now)
  const { chain, pool, node, signing } = ground
  const shared = { scheduler, actors, faults: options.faults(() => weather.isTroubled), story }
  const memories = createKeptMemories(now)
  const wires = createWires({
    ...{ seed, ...shared, chain, node },
    isNodeDown: (random) => isNodeDown(weather, now(), random),
    miscount: () => miscountAt(weather, now()),
    host: () => host,
    memories,
    texted: recorder.texted,
    slowness: knobs.slowness,
    asked: (call) => records.asked.push(call),
  })
  let tokens = 0
  const parts: ProgramOptions = {
    ...{ knobs, signing, wires, log: recorder.log },
    forwarder: { chainId: simulatedChainId, address: forwarderAddress },
    loan: loanAddress,
    newToken: () => digest('token', seed, tokens++),
  }
  const rounds: RoundWatch = createRoundWatch({
    ...{ knobs, chain, pool, work: () => host.peek().work() },
    ...circumstances(weather, records),
    found: (words) => records.noticed.push(['done', words]),
  })
  const clock = actors.clock(0)
  const newSms = () =>
    knobs.isLender
      ? createLenderSms({ clock, log: recorder.log, memory: wires.memory, send: wires.sms })
      : undefined
  const { tendMs, maxInFlight, meansMs, watchBlocks } = knobs.rules
  const host = createLedgerHost({
    ...{ seed, ...shared, wires, storage, tendMs },
    rules: { ...ledgerRules, maxInFlight, meansMs, watchBlocks },
    relayer: signing.relayer.address.toLowerCase(),
    newTend: () => createTending(parts, clock, newSms()),
    log: recorder.log,
    threw: recorder.threw,
    noticed: (rule, words) => records.noticed.push([rule, words]),
    rounds: () => rounds,
  })
  return { ...ground, ...shared, plan, host, memories, wires, parts, weather, records }
}

/** The head as the pool judges by it. */
export function poolViewOf({ chain, scheduler }: World) {
  const { number, state } = chain.head()
  return {
    stateNonce: state.nonce,
    balanceWei: state.relayerWei,
    minGasPriceWei: chain.minGasPriceWei(),
    head: number,
    nowMs: scheduler.now(),
  }
}
