import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Address, parseEther } from 'viem'
import { startChain, type TestChain } from '../chain.ts'
import type { RootstockRules } from '../rootstock-pool/pool.ts'
import { type RootstockPool, startRootstockPool } from '../rootstock-pool/rootstock-pool.ts'
import { type Caller, callersOf, createTreasury } from './callers.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
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
import {
  bundle,
  type Delivery,
  type RelayWorkers,
  type Reply,
  startRelayWorkers,
} from './relay-workers.ts'

/** The whole of it: callers, Worker, faults, Rootstock's pool, a chain, and who judges them. */
export type Rig = {
  chain: TestChain
  rootstock: RootstockPool
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
  /** Waits until nothing is open any more. @throws {UnsettledError} saying what still is */
  settle(withinMs?: number): Promise<void>
  judge(): Promise<Verdict>
  stop(): Promise<void>
}

export type RigOptions = {
  callers?: number
  workers?: number
  /** ms between blocks; undefined: blocks are made by hand. */
  blockMs?: number | undefined
  seed?: number
  rules?: Partial<RootstockRules>
  variables?: Record<string, string>
  depositWei?: bigint
  /** For loans: added to the pool's money, and set as the day's cap. */
  loansWei?: bigint
}

/** Something was still open after the time in which everything should have been settled. */
export class UnsettledError extends Error {
  override readonly name = 'UnsettledError'
}

/** An account that no phone has. */
export const stranger: Address = '0x00000000000000000000000000000000000A11cE'

export async function startRig({
  callers: callerCount = 20,
  workers = 1,
  blockMs,
  seed = 1,
  rules = {},
  variables = {},
  depositWei = parseEther('10'),
  loansWei,
}: RigOptions = {}): Promise<Rig> {
  const [chain, bundleFolder] = await Promise.all([startChain(), bundle()])
  const callers = await callersOf(chain, callerCount)
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
    others: [stranger],
  })
  const rootstock = await startRootstockPool({ anvilUrl: chain.anvil.url, blockMs, rules })
  const faults = await startFaultProxy({ target: rootstock.url, seed })
  const relay = await startRelayWorkers({
    bundleFolder,
    workers,
    variables: {
      ...chain.bindings,
      POOL_RULES: 'rootstock',
      CONFIRMATIONS: '2',
      ...(blockMs === undefined ? {} : { BLOCK_SECONDS: `${blockMs / 1000}` }),
      NODE_URL: faults.url,
      ...variables,
    },
  })
  const told: Told[] = []
  let nextCaller = 0

  return {
    chain,
    rootstock,
    faults,
    relay,
    truth,
    callers,
    nextCaller() {
      const caller = callers[nextCaller]
      nextCaller += 1
      if (caller === undefined) throw new Error(`this rig has ${callerCount} callers only`)
      return caller
    },
    async deliver(delivery, worker) {
      const entry: Told = { delivery, reply: undefined }
      told.push(entry)
      entry.reply = await relay.deliver(delivery, worker)
      return entry.reply
    },
    abandon: (delivery) => void told.push({ delivery, reply: undefined }),
    told,
    settle,
    judge: () => judge(truth, told),
    async stop() {
      await relay.stop()
      await faults.stop()
      await rootstock.stop()
      await chain.stop()
    },
  }

  async function settle(withinMs = 20_000): Promise<void> {
    const until = performance.now() + withinMs
    for (;;) {
      const open = await whatIsOpen()
      if (open === undefined) return
      if (performance.now() > until) throw new UnsettledError(`still open: ${open}`)
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
  }

  async function whatIsOpen(): Promise<string | undefined> {
    const rows = openRows(relay.objects)
    if (rows.length > 0) return JSON.stringify(rows.slice(0, 5))
    const waiting = [...rootstock.pool.pending(), ...rootstock.pool.queued()]
    if (waiting.length > 0) return `${waiting.length} transactions in the pool`
    const spent = new Set((await spentOn(truth)).map(({ intentId }) => intentId))
    const missing = told.find(
      ({ delivery, reply }) =>
        claimOf(reply) === 'submitted' && !spent.has(intentOf(truth, delivery)),
    )
    return missing && `${missing.delivery.phone} ${missing.delivery.sessionId} submitted`
  }
}

/** Rows of the ledger that are not settled, read from its file as it lies there. */
export function openRows(objects: string): Record<string, unknown>[] {
  return databases(objects).flatMap((file) => {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      return database
        .prepare(
          `SELECT 'payment' AS what, state, nonce, attempts FROM payments
             WHERE state IN ('queued', 'signed', 'broadcast', 'mined')
           UNION ALL SELECT 'nonce', state, nonce, 0 FROM nonces
             WHERE state IN ('leased', 'recorded')`,
        )
        .all() as Record<string, unknown>[]
    } catch (error) {
      // No ledger has been opened in this file yet.
      if (error instanceof Error && /no such table/.test(error.message)) return []
      throw error
    } finally {
      database.close()
    }
  })
}

function databases(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[0-9a-f]{64}\.sqlite$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}
