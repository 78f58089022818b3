import { type Address, type Hex, parseEther } from 'viem'
import { createIntentKeys } from '../../../src/account/session-keys.ts'
import { startChain, type TestChain } from '../chain.ts'
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.ts'
import type { RootstockRules } from '../rootstock-pool/rules.ts'
import { type RootstockPool, startRootstockPool } from '../rootstock-pool/start.ts'
import { rpcTo } from '../rpc.ts'
import { until } from '../wait.ts'
import { type Caller, callersOf, createTreasury } from './callers.ts'
import { startDenoRelays } from './deno-relays.ts'
import {
  claimOf,
  type GroundTruth,
  intentOf,
  judge,
  lookBefore,
  spentOn,
  type Told,
  type Verdict,
} from './oracle.ts'
import { type Delivery, type RelayWorkers, type Reply, startRelayWorkers } from './relay-workers.ts'

/** Callers, Worker, faults and a chain, and who judges them. */
export type AnvilRig = {
  chain: TestChain
  faults: FaultProxy
  relay: RelayWorkers
  truth: GroundTruth
  callers: readonly Caller[]
  /** A caller that nobody had before. */
  nextCaller(): Caller
  /** Delivers and writes down what came back. */
  deliver(delivery: Delivery, worker?: number): Promise<Reply>
  /** Everything delivered so far and what came back. */
  told: readonly Told[]
  /** Writes down a delivery whose reply nobody waits for. */
  abandon(delivery: Delivery): void
  /** Writes down a delivery that was made another way; its reply is filled in when it comes. */
  note(delivery: Delivery): Told
  /** Waits until nothing is open any more. @throws {UnsettledError} saying what still is, where nothing moves */
  settle(): Promise<void>
  judge(): Promise<Verdict>
  /** Another relay with the same key and secrets, and a ledger of its own. */
  another(): Promise<RelayWorkers>
  stop(): Promise<void>
}

/** The same with Rootstock's pool between the faults and the chain. */
export type Rig = AnvilRig & { rootstock: RootstockPool }

/** Starts as many relays with one ledger. */
export type StartRelays = (options: {
  variables: Record<string, string>
  workers: number
}) => Promise<RelayWorkers>

type CommonOptions = {
  /** Others than the bundled Worker in workerd; with `SERVED_BY=deno` those on Deno. */
  relays?: StartRelays
  callers?: number
  workers?: number
  seed?: number
  variables?: Record<string, string>
  depositWei?: bigint
  /** For loans: added to the pool's money, and set as the day's cap. */
  loansWei?: bigint
}

export type RigOptions = CommonOptions & {
  /** ms between blocks; undefined: blocks are made by hand. */
  blockMs?: number | undefined
  rules?: Partial<RootstockRules>
}

/** Something is mined long before, on the busiest of machines. */
const settlesWithinMs = 180_000

/** Something was still open, and no block took anything for a long time. */
export class UnsettledError extends Error {
  override readonly name = 'UnsettledError'
}

/** An account that no phone has. */
export const stranger: Address = '0x00000000000000000000000000000000000A11cE'

/** A rig with Rootstock's pool and its rules. */
export async function startRig({ blockMs, rules = {}, ...options }: RigOptions = {}): Promise<Rig> {
  const prepared = await prepare(options)
  const { chain } = prepared
  const rootstock = await startRootstockPool({ anvilUrl: chain.anvil.url, blockMs, rules })
  const rig = await assemble(prepared, {
    ...options,
    target: rootstock.url,
    variables: {
      POOL_RULES: 'rootstock',
      CONFIRMATIONS: '2',
      ...(blockMs === undefined ? {} : { BLOCK_SECONDS: `${blockMs / 1000}` }),
      ...options.variables,
    },
    waiting: async () => rootstock.pool.pending().length + rootstock.pool.queued().length,
    stop: rootstock.stop,
  })
  return { ...rig, rootstock }
}

/** A rig on an anvil as it is: a block for each transaction, unless told otherwise. */
export async function startAnvilRig(options: CommonOptions = {}): Promise<AnvilRig> {
  const prepared = await prepare(options)
  const { anvil } = prepared.chain
  return await assemble(prepared, {
    ...options,
    target: anvil.url,
    waiting: async () => {
      const status = await rpcTo(anvil.url)('txpool_status')
      const { pending, queued } = status as { pending: string; queued: string }
      return Number(pending) + Number(queued)
    },
    stop: async () => {},
  })
}

type Prepared = {
  chain: TestChain
  truth: GroundTruth
  startRelays: StartRelays
}

/** A chain with everybody's money on it, and what the oracle has to know of it. */
async function prepare({
  relays,
  callers: count = 20,
  depositWei = parseEther('10'),
  loansWei,
}: CommonOptions): Promise<Prepared> {
  const chain = await startChain()
  const usual = process.env.SERVED_BY === 'deno' ? startDenoRelays : startRelayWorkers
  const callers = await callersOf(chain, count)
  const treasury = createTreasury(chain)
  await treasury.deposit(
    callers.map(({ account }) => account.address),
    depositWei,
  )
  if (loansWei !== undefined) {
    await treasury.fund(loansWei)
    await treasury.setDailyCap(loansWei)
  }
  const truth = await lookBefore({
    anvilUrl: chain.anvil.url,
    loan: chain.loan,
    forwarder: { chainId: 31, address: chain.forwarder },
    callers,
    intentKeys: createIntentKeys(chain.bindings.ACCOUNT_KEY_SECRET as Hex),
    others: [stranger],
  })
  return { chain, truth, startRelays: relays ?? usual }
}

async function assemble(
  { chain, truth, startRelays }: Prepared,
  {
    target,
    seed = 1,
    workers = 1,
    variables = {},
    waiting,
    stop,
  }: CommonOptions & {
    target: string
    /** How many transactions wait for a block. */
    waiting: () => Promise<number>
    stop: () => Promise<void>
  },
): Promise<AnvilRig> {
  const { callers } = truth
  const faults = await startFaultProxy({ target, seed })
  const configured = { variables: { ...chain.bindings, NODE_URL: faults.url, ...variables } }
  const relay = await startRelays({ ...configured, workers })
  const told: Told[] = []
  let nextCaller = 0

  return {
    chain,
    faults,
    relay,
    truth,
    callers,
    nextCaller() {
      const caller = callers[nextCaller]
      nextCaller += 1
      if (caller === undefined) throw new Error(`this rig has ${callers.length} callers only`)
      return caller
    },
    async deliver(delivery, worker) {
      const entry = note(delivery)
      entry.reply = await relay.deliver(delivery, worker)
      return entry.reply
    },
    abandon: (delivery) => void note(delivery),
    note,
    told,
    settle,
    judge: () => judge(truth, told),
    another: () => startRelays({ ...configured, workers: 1 }),
    async stop() {
      await relay.stop()
      await faults.stop()
      await stop()
      await chain.stop()
    },
  }

  function note(delivery: Delivery): Told {
    const entry: Told = { delivery, reply: undefined }
    told.push(entry)
    return entry
  }

  /** As long as intents go on being spent: a queue may be long, and a machine busy. */
  async function settle(): Promise<void> {
    let open: string | undefined
    const isSettled = async () => {
      open = await whatIsOpen()
      return open === undefined
    }
    const late = () => new UnsettledError(`still open: ${open}`)
    for (let isOver = false; !isOver; ) {
      const { length: before } = await spentOn(truth)
      try {
        await until(isSettled, { everyMs: 40, withinMs: settlesWithinMs, late })
        isOver = true
      } catch (error) {
        const { length: now } = await spentOn(truth)
        if (!(error instanceof UnsettledError) || now === before) throw error
      }
    }
  }

  async function whatIsOpen(): Promise<string | undefined> {
    const rows = await relay.openRows()
    if (rows.length > 0) return JSON.stringify(rows.slice(0, 5))
    const inPool = await waiting()
    if (inPool > 0) return `${inPool} transactions in the pool`
    const spent = new Set((await spentOn(truth)).map(({ intentId }) => intentId))
    for (const { delivery, reply } of told) {
      if (claimOf(reply) === 'submitted' && !spent.has(await intentOf(truth, delivery))) {
        return `${delivery.phone} ${delivery.sessionId} submitted`
      }
    }
    return undefined
  }
}
