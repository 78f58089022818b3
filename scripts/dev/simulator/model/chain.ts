import type { Hex } from 'viem'
import type { AccountPool } from '../../rootstock-pool/account-pool.ts'
import { type ModelLog, processedLog, selectors } from './calldata.ts'
import {
  type ContractState,
  type ContractWorld,
  cloneContracts,
  executeRequests,
  type ProcessedRequest,
} from './contracts.ts'
import type { ModelTransaction } from './signing.ts'

/** The state after a block: contracts, the nonces of the relayer's keys, and what they have. */
export type ChainState = ContractState & { nonces: readonly number[]; relayerWei: bigint }

export type ModelBlock = {
  number: number
  hash: Hex
  parent: ModelBlock | undefined
  timestampSeconds: number
  /** The time at which the block came, in ms; its timestamp may be earlier. */
  since: number
  minGasPriceWei: bigint
  transactions: MinedTransaction[]
  /** The changes of others in this block; a branch that replaces it repeats them. */
  changes: readonly WorldChange[]
  state: ChainState
}

export type MinedTransaction = {
  transaction: ModelTransaction
  block: ModelBlock
  succeeded: boolean
  processed: ProcessedRequest[]
  logs: ModelLog[]
}

type WorldChange = (state: ChainState) => void

type Returns = (transaction: ModelTransaction) => boolean

type ChainOptions = {
  world: ContractWorld
  /** Holds what waits of each of the relayer's keys. */
  pools: readonly AccountPool<ModelTransaction>[]
  state: ChainState
  start: number
  blockMs: number
  minGasPriceWei: bigint
  /** Tells whether a miner includes a transaction; if not, it includes no later one either. */
  isTaken: (transaction: ModelTransaction, block: Hex) => boolean
}

/** Gas of a transaction; no modelled rule depends on the exact figure. */
const noOpGas = 21_000n
const executeGas = 150_000n

/** Limits Rootstock's blocks to one in 24 s: a skipped hour holds no more of them. */
const leastSkippedMs = 24_000

/** Gas that is used before `execute` begins. */
const intrinsicGas = 40_000

export type ModelChain = ReturnType<typeof createModelChain>

/** Models a relayer's chain: forks, receipts, and what both contracts remember on each branch. */
export function createModelChain(options: ChainOptions) {
  const { start, minGasPriceWei, state } = options
  const branches = createBranches({
    number: 0,
    hash: hashOf(0, 0),
    parent: undefined,
    timestampSeconds: Math.floor(start / 1000),
    since: start,
    minGasPriceWei,
    transactions: [],
    changes: [],
    state,
  })
  const growing: Growing = {
    options,
    branches,
    waiting: [],
    vanishing: new Set(),
    minGasPriceWei,
    branch: 0,
    mined: new Map(),
    processed: [],
  }
  return {
    ...branches,
    find: (hash: Hex, view: ModelBlock) =>
      growing.mined.get(hash)?.find(({ block }) => branches.isWithin(block, view)),
    /** Returns every processed request of all branches. */
    allProcessed: () => growing.processed,
    /** Changes the state in the next block. One that `vanishes` is gone with that block. */
    change(change: WorldChange, { vanishes = false } = {}) {
      growing.waiting.push(change)
      if (vanishes) growing.vanishing.add(change)
    },
    setMinGasPrice(wei: bigint) {
      growing.minGasPriceWei = wei
    },
    minGasPriceWei: () => growing.minGasPriceWei,
    mine: (now: number) => mineOn(growing, now),
    skipTo: (now: number) => skipTo(growing, now),
    /** Replaces the last blocks by others, perhaps fewer. */
    reorganize(depth: number, blocks: number, now: number, returns: Returns) {
      const base = Math.max(0, branches.head().number - depth)
      const removed = turn(growing, { base, blocks: [], now, returns })
      const { timestampSeconds } = branches.head()
      const spanSeconds = Math.floor(now / 1000) - timestampSeconds
      const added = Array.from({ length: blocks }, (_, index) =>
        mineOn(growing, now, timestampSeconds + Math.floor((spanSeconds * (index + 1)) / blocks)),
      )
      return { removed, added }
    },
    /** Counts the blocks that go when the branch with this tip comes back. */
    depthBelow: (tip: ModelBlock) => branches.head().number - branches.missing(tip).base,
    /** Brings back a branch that was replaced, and adds one block to it. */
    resume(tip: ModelBlock, now: number, returns: Returns) {
      const { base, blocks } = branches.missing(tip)
      const removed = turn(growing, { base, blocks, now, returns })
      return { removed, added: [...blocks, mineOn(growing, now)] }
    },
  }
}

type Growing = {
  options: ChainOptions
  branches: ReturnType<typeof createBranches>
  /** What the next block has to do, and the least price there. */
  waiting: WorldChange[]
  vanishing: Set<WorldChange>
  minGasPriceWei: bigint
  branch: number
  mined: Map<Hex, MinedTransaction[]>
  processed: { mined: MinedTransaction; processed: ProcessedRequest }[]
}

const hashOf = (branch: number, number: number): Hex =>
  `0xb10c${branch.toString(16).padStart(4, '0')}${number.toString(16).padStart(56, '0')}`

/** Keeps which blocks are the chain's now, and which were its head at what time. */
function createBranches(genesis: ModelBlock) {
  const heads = [{ time: genesis.since, block: genesis }]
  const canonical = [genesis]
  const head = () => canonical.at(-1) ?? genesis

  function blockAt(number: number, view: ModelBlock): ModelBlock | undefined {
    if (number < 0 || number > view.number) return undefined
    let at: ModelBlock | undefined = view
    while (at !== undefined && at.number > number) {
      if (canonical[at.number] === at) return canonical[number]
      at = at.parent
    }
    return at
  }

  return {
    head,
    /** Gives the head that a replica showed which has seen nothing since this time. */
    headAt: (time: number) => heads.findLast((entry) => entry.time <= time)?.block ?? genesis,
    /** Gives each head since this time: a replica that is behind so far may have shown any. */
    headsSince(time: number) {
      const first = heads.findLastIndex((entry) => entry.time <= time)
      return heads.slice(Math.max(0, first))
    },
    /** Gives each head until this time. */
    headsUntil: (time: number) => heads.filter((entry) => entry.time <= time),
    blockAt,
    isWithin: (block: ModelBlock, view: ModelBlock) => blockAt(block.number, view) === block,
    append(block: ModelBlock, now: number) {
      canonical[block.number] = block
      heads.push({ time: now, block })
    },
    /** Removes and returns the blocks above this number; the chain ends here from now on. */
    cut(base: number, now: number) {
      const removed = canonical.splice(base + 1)
      heads.push({ time: now, block: head() })
      return removed
    },
    /** Returns blocks up to this one that the chain does not hold, and its last common number. */
    missing(tip: ModelBlock) {
      const blocks: ModelBlock[] = []
      let at = tip
      while (canonical[at.number] !== at && at.parent !== undefined) {
        blocks.unshift(at)
        at = at.parent
      }
      return { base: at.number, blocks }
    },
  }
}

function execute(
  { options: { world }, mined, processed }: Growing,
  block: ModelBlock,
  transaction: ModelTransaction,
): void {
  const { state, timestampSeconds, number: blockNumber } = block
  const { to, data, requests, gas, gasPriceWei, hash, key } = transaction
  state.nonces = state.nonces.map((nonce, index) => (index === key ? nonce + 1 : nonce))
  const isExecute = to === world.forwarder && data.startsWith(selectors.execute)
  state.relayerWei -= (isExecute ? executeGas : noOpGas) * gasPriceWei
  const succeeded = !isExecute || state.isRelayerAllowed
  const at = { timestampSeconds, blockNumber }
  const results =
    isExecute && succeeded ? executeRequests(world, state, requests, at, gas - intrinsicGas) : []
  const logs = results.map((result) => processedLog(world.forwarder, result))
  const entry = { transaction, block, succeeded, processed: results, logs }
  block.transactions.push(entry)
  mined.set(hash, [...(mined.get(hash) ?? []), entry])
  for (const result of results) processed.push({ mined: entry, processed: result })
}

/** Makes the next block at this time, or at the given one of its own. */
function mineOn(growing: Growing, now: number, leastSeconds = Math.floor(now / 1000)): ModelBlock {
  const { options, branches, minGasPriceWei, waiting: changes } = growing
  const parent = branches.head()
  const number = parent.number + 1
  const hash = hashOf(growing.branch, number)
  const chosen: ModelTransaction[] = []
  for (const [key, pool] of options.pools.entries()) {
    for (const transaction of pool.minable(parent.state.nonces[key] ?? 0)) {
      if (transaction.gasPriceWei < minGasPriceWei) break
      if (!options.isTaken(transaction, hash)) break
      chosen.push(transaction)
    }
  }
  const isChanged = chosen.length > 0 || changes.length > 0
  const state = isChanged ? { ...parent.state, ...cloneContracts(parent.state) } : parent.state
  const block: ModelBlock = {
    number,
    hash,
    parent,
    timestampSeconds: Math.max(parent.timestampSeconds + 1, leastSeconds),
    since: now,
    minGasPriceWei,
    transactions: [],
    changes,
    state,
  }
  for (const change of changes) change(state)
  growing.waiting = []
  for (const transaction of chosen) {
    if (state.relayerWei < BigInt(transaction.gas) * transaction.gasPriceWei) break
    execute(growing, block, transaction)
    options.pools[transaction.key]?.remove(transaction.hash)
  }
  branches.append(block, now)
  return block
}

function skipTo({ options, branches, branch }: Growing, now: number): void {
  const skippedSeconds = Math.max(options.blockMs, leastSkippedMs) / 1000
  for (;;) {
    const parent = branches.head()
    const timestampSeconds = parent.timestampSeconds + skippedSeconds
    if (timestampSeconds * 1000 > now) return
    const number = parent.number + 1
    const hash = hashOf(branch, number)
    const empty = { number, hash, parent, timestampSeconds, transactions: [], changes: [] }
    branches.append({ ...parent, ...empty }, timestampSeconds * 1000)
  }
}

type Turn = { base: number; blocks: ModelBlock[]; now: number; returns: Returns }

/** Replaces the blocks above a number by others that were there before; returns the old ones. */
function turn(growing: Growing, { base, blocks, now, returns }: Turn): ModelBlock[] {
  const { branches, minGasPriceWei, options } = growing
  const { pools } = options
  const removed = branches.cut(base, now)
  growing.branch += 1
  for (const block of blocks) branches.append(block, now)
  const done = new Set(blocks.flatMap(({ changes }) => changes))
  const lost = removed
    .flatMap(({ changes }) => changes)
    .filter((change) => !growing.vanishing.has(change))
  const open = [...lost, ...growing.waiting]
  growing.waiting = open.filter((change) => !done.has(change))
  const transactionsOf = (of: ModelBlock[]) =>
    of.flatMap(({ transactions }) => transactions.map(({ transaction }) => transaction))
  const kept = new Set(transactionsOf(blocks))
  for (const { hash, key } of kept) pools[key]?.remove(hash)
  const { state, number: head } = branches.head()
  const { nonces, relayerWei: balanceWei } = state
  for (const transaction of transactionsOf(removed)) {
    if (kept.has(transaction) || !returns(transaction)) continue
    const stateNonce = nonces[transaction.key] ?? 0
    const arrival = { stateNonce, balanceWei, minGasPriceWei, head, nowMs: now }
    pools[transaction.key]?.add(transaction, arrival)
  }
  return removed
}
