import type { Address, Hex } from 'viem'
import { createIntentKeys } from '../../../src/account/secrets.ts'
import { getOne } from '../../../src/loan/amounts.ts'
import { startChain } from '../chain.ts'
import { startFaultProxy } from '../faults/fault-proxy.ts'
import { type RootstockPool, startRootstockPool } from '../rootstock-pool/start.ts'
import { until } from '../wait.ts'
import { type Caller, createCallers, deposit, fundPool, setTerms } from './callers.ts'
import { startDenoRelays } from './deno-relays.ts'
import { type GroundTruth, intentOf, judge, readClaim, spentOn, type Told } from './oracle.ts'
import { type Delivery, type RelayWorkers, type Reply, startRelayWorkers } from './relay-workers.ts'

export type Rig = Awaited<ReturnType<typeof startRig>>

export type StartRelays = (options: {
  variables: Record<string, string>
  workers: number
}) => Promise<RelayWorkers>

export type RigOptions = {
  /** The relay under test: workerd, or Deno with `SERVED_BY=deno`. */
  relays?: StartRelays
  callers?: number
  workers?: number
  seed?: number
  variables?: Record<string, string>
  /** Has the contracts count a token in place of the currency. */
  isOverToken?: boolean
  /** ms between blocks. */
  blockMs: number
}

/** Time within which a block includes something, even on a busy machine. */
const settlesWithinMs = 180_000

/** Is thrown when payments stay open and no block includes any for a long time. */
export class UnsettledError extends Error {
  override readonly name = 'UnsettledError'
}

export const stranger: Address = '0x00000000000000000000000010000000000a11Ce'

export async function startRig({
  callers: count = 20,
  relays = process.env.SERVED_BY === 'deno' ? startDenoRelays : startRelayWorkers,
  workers = 1,
  seed = 1,
  isOverToken = false,
  blockMs,
  ...options
}: RigOptions) {
  const chain = await startChain([], [], isOverToken)
  const one = getOne(chain.unit)
  const callers = await createCallers(chain, count)
  const accounts = callers.map(({ account }) => account.address)
  await fundPool(chain, 500n * one)
  // A hundredth of one, which a pool of tokens lends at least.
  await setTerms(chain, { dailyCap: 500n * one, principal: one / 100n })
  await deposit(chain, accounts, 5n * one)
  const rootstock = await startRootstockPool({ anvilUrl: chain.anvil.url, blockMs })
  const faults = await startFaultProxy({ target: rootstock.url, seed })
  const variables = {
    ...chain.bindings,
    NODE_URL: faults.url,
    POOL_RULES: 'rootstock',
    CONFIRMATIONS: '2',
    BLOCK_SECONDS: `${blockMs / 1000}`,
    ...options.variables,
  }
  const relay = await relays({ variables, workers })
  const truth: GroundTruth = {
    anvilUrl: chain.anvil.url,
    loan: chain.loan,
    unit: chain.unit,
    forwarder: { chainId: 31, address: chain.forwarder },
    callers,
    intentKeys: createIntentKeys(chain.bindings.ACCOUNT_KEY_SECRET as Hex),
  }
  const told: Told[] = []
  const fresh = callers.values()

  function note(delivery: Delivery): Told {
    const entry: Told = { delivery, reply: undefined }
    told.push(entry)
    return entry
  }

  return {
    chain,
    rootstock,
    faults,
    relay,
    callers,
    nextCaller(): Caller {
      const { value } = fresh.next()
      if (value === undefined) throw new Error(`this rig has ${callers.length} callers only`)
      return value
    },
    async deliver(delivery: Delivery, worker?: number): Promise<Reply> {
      const entry = note(delivery)
      entry.reply = await relay.deliver(delivery, worker)
      return entry.reply
    },
    /** Notes a delivery that is made another way; its reply is filled in when it comes. */
    note,
    told: told as readonly Told[],
    /** Waits until nothing is open. @throws {UnsettledError} nothing changes any more */
    settle: () => settle(truth, () => openIn(truth, relay, rootstock.pool, told)),
    judge: () => judge(truth, told),
    /** Starts another relay with the same key and secrets, and a ledger of its own. */
    another: () => relays({ variables, workers: 1 }),
    async stop() {
      for (const each of [relay, faults, rootstock, chain]) await each.stop()
    },
  }
}

/** Waits while intents are still being spent, since a queue may be long. */
async function settle(truth: GroundTruth, openNow: () => Promise<string | undefined>) {
  let open: string | undefined
  const isSettled = async () => {
    open = await openNow()
    return open === undefined
  }
  const late = () => new UnsettledError(`still open: ${open}`)
  for (;;) {
    const before = await spentOn(truth)
    try {
      return await until(isSettled, { everyMs: 40, withinMs: settlesWithinMs, late })
    } catch (error) {
      const isMoving = (await spentOn(truth)).spent.length > before.spent.length
      if (!(error instanceof UnsettledError) || !isMoving) throw error
    }
  }
}

/** Describes what is open: in the ledger, in the pool, and among submitted payments. */
async function openIn(
  truth: GroundTruth,
  relay: RelayWorkers,
  pool: RootstockPool['pool'],
  told: readonly Told[],
): Promise<string | undefined> {
  const rows = await relay.openRows()
  if (rows.length > 0) return JSON.stringify(rows.slice(0, 5))
  const inPool = pool.all().length
  if (inPool > 0) return `${inPool} transactions in the pool`
  const spent = new Set((await spentOn(truth)).spent.map(({ intentId }) => intentId))
  for (const { delivery, reply } of told) {
    if (readClaim(reply) === 'submitted' && !spent.has(await intentOf(truth, delivery))) {
      return `${delivery.phone} ${delivery.sessionId} submitted`
    }
  }
  return undefined
}
