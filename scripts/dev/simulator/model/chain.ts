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

/** Everything that a block decides, as far as the relay can tell. */
export type ChainState = ContractState & {
  /** The relayer's transaction count and its currency. */
  nonce: number
  relayerWei: bigint
}

export type ModelBlock = {
  number: number
  hash: Hex
  parent: ModelBlock | undefined
  timestampSeconds: number
  /** When it came, in ms; its timestamp may be earlier. */
  since: number
  minGasPriceWei: bigint
  transactions: MinedTransaction[]
  /** What others did in this block; a branch that replaces it does it again. */
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

/** What others than the relay do to the chain. */
export type WorldChange = (state: ChainState) => void

export type ChainOptions = {
  world: ContractWorld
  pool: AccountPool<ModelTransaction>
  state: ChainState
  start: number
  blockMs: number
  minGasPriceWei: bigint
  /** Whether a miner takes a transaction into this block; it then takes none of its later ones. */
  isTaken: (transaction: ModelTransaction, block: Hex) => boolean
}

export type ModelChain = {
  head(): ModelBlock
  /** The head that a replica showed which has seen nothing since this time. */
  headAt(time: number): ModelBlock
  /** The block with this number in the branch of the view. */
  blockAt(number: number, view: ModelBlock): ModelBlock | undefined
  isWithin(block: ModelBlock, view: ModelBlock): boolean
  find(hash: Hex, view: ModelBlock): MinedTransaction | undefined
  /** All that branches ever held of an intent, those of other branches included. */
  allProcessed(): readonly { mined: MinedTransaction; processed: ProcessedRequest }[]
  /** In the next block, whichever that is. */
  change(change: WorldChange): void
  setMinGasPrice(wei: bigint): void
  minGasPriceWei(): bigint
  mine(now: number): ModelBlock
  /** Empty blocks up to this time. */
  skipTo(now: number): void
  /**
   * Takes the last blocks away and puts others in their place, perhaps fewer. Transactions go back to
   * the pool where `returns` says so.
   */
  reorganize(
    depth: number,
    blocks: number,
    now: number,
    returns: (transaction: ModelTransaction) => boolean,
  ): { removed: ModelBlock[]; added: ModelBlock[] }
  /** How many blocks go when the branch with this tip comes back. */
  depthBelow(tip: ModelBlock): number
  /** Takes a branch up again that was taken away, the same blocks, and puts one more on it. */
  resume(
    tip: ModelBlock,
    now: number,
    returns: (transaction: ModelTransaction) => boolean,
  ): { removed: ModelBlock[]; added: ModelBlock[] }
}

/** Gas that a transaction uses. No rule that matters here depends on the exact figure. */
const noOpGas = 21_000n
const executeGas = 150_000n

/** Rootstock's blocks come every 24 s at the fastest: an hour that is skipped holds no more of them. */
const leastSkippedMs = 24_000

/** What is used up before `execute` itself begins. */
const intrinsicGas = 40_000

/** A chain of one relayer: forks, receipts and what the two contracts remember on each branch. */
export function createModelChain(options: ChainOptions): ModelChain {
  const genesis: ModelBlock = {
    ...{ number: 0, hash: hashOf(0, 0), parent: undefined, transactions: [], changes: [] },
    timestampSeconds: Math.floor(options.start / 1000),
    since: options.start,
    minGasPriceWei: options.minGasPriceWei,
    state: options.state,
  }
  const branches = createBranches(genesis)
  const history = createHistory(options.world)
  const { minGasPriceWei } = options
  const growing: Growing = { options, branches, history, waiting: [], minGasPriceWei, branch: 0 }
  return {
    head: branches.head,
    headAt: branches.headAt,
    blockAt: branches.blockAt,
    isWithin: branches.isWithin,
    find: (hash, view) => history.of(hash).find(({ block }) => branches.isWithin(block, view)),
    allProcessed: history.allProcessed,
    change(change) {
      growing.waiting = [...growing.waiting, change]
    },
    setMinGasPrice(wei) {
      growing.minGasPriceWei = wei
    },
    minGasPriceWei: () => growing.minGasPriceWei,
    mine: (now) => mineOn(growing, branches.head(), now),
    skipTo: (now) => skipTo(growing, now),
    reorganize: (depth, blocks, now, returns) =>
      reorganize(growing, { depth, blocks, now, returns }),
    depthBelow: (tip) => branches.head().number - branches.missing(tip).base,
    resume: (tip, now, returns) => resume(growing, { tip, now, returns }),
  }
}

/** A chain as it grows: what the next block has to do, the least price there, and which branch it is on. */
type Growing = {
  options: ChainOptions
  branches: Branches
  history: History
  waiting: readonly WorldChange[]
  minGasPriceWei: bigint
  branch: number
}

type Returns = (transaction: ModelTransaction) => boolean

const hashOf = (branch: number, number: number): Hex =>
  `0xb10c${branch.toString(16).padStart(4, '0')}${number.toString(16).padStart(56, '0')}`

/** Which blocks are the chain's now, and which were its head at what time. */
type Branches = Pick<ModelChain, 'head' | 'headAt' | 'blockAt' | 'isWithin'> & {
  append: (block: ModelBlock, now: number) => void
  /** From this time on the chain ends here, until something is appended. */
  turnTo: (block: ModelBlock, now: number) => void
  /** Takes away the blocks from this number on, which it gives. */
  cut: (from: number) => ModelBlock[]
  /** The blocks up to this one that the chain does not hold now, and the number of the last it does. */
  missing: (tip: ModelBlock) => { base: number; blocks: ModelBlock[] }
}

function createBranches(genesis: ModelBlock): Branches {
  const heads = [{ time: genesis.since, block: genesis }]
  const canonical = [genesis]

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
    blockAt,
    isWithin: (block, view) => blockAt(block.number, view) === block,
    append(block, now) {
      canonical[block.number] = block
      heads.push({ time: now, block })
    },
    turnTo(block, now) {
      heads.push({ time: now, block })
    },
    cut: (from) => canonical.splice(from),
    head: () => canonical.at(-1) ?? genesis,
    headAt: (time) => heads.findLast((entry) => entry.time <= time)?.block ?? genesis,
    missing(tip) {
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

/** What was ever executed, on any branch. */
type History = {
  execute: (block: ModelBlock, transaction: ModelTransaction) => void
  of: (hash: Hex) => readonly MinedTransaction[]
  allProcessed: ModelChain['allProcessed']
}

function createHistory(world: ContractWorld): History {
  const mined = new Map<Hex, MinedTransaction[]>()
  const processed: { mined: MinedTransaction; processed: ProcessedRequest }[] = []
  return {
    execute(block, transaction) {
      const { state, timestampSeconds, number: blockNumber } = block
      state.nonce += 1
      const isExecute =
        transaction.to === world.forwarder && transaction.data.startsWith(selectors.execute)
      state.relayerWei -= (isExecute ? executeGas : noOpGas) * transaction.gasPriceWei
      const succeeded = !isExecute || state.isRelayerAllowed
      const gas = transaction.gas - intrinsicGas
      const at = { timestampSeconds, blockNumber }
      const results =
        isExecute && succeeded ? executeRequests(world, state, transaction.requests, at, gas) : []
      const entry: MinedTransaction = {
        ...{ transaction, block, succeeded, processed: results },
        logs: results.map((result) => processedLog(world.forwarder, result)),
      }
      block.transactions.push(entry)
      mined.set(transaction.hash, [...(mined.get(transaction.hash) ?? []), entry])
      for (const result of results) processed.push({ mined: entry, processed: result })
    },
    of: (hash) => mined.get(hash) ?? [],
    allProcessed: () => processed,
  }
}

/** The next block at this time, or at the given one of its own. */
function mineOn(
  growing: Growing,
  parent: ModelBlock,
  now: number,
  timestampSeconds = Math.max(parent.timestampSeconds + 1, Math.floor(now / 1000)),
): ModelBlock {
  const { options, branches, history, minGasPriceWei, waiting } = growing
  const number = parent.number + 1
  const hash = hashOf(growing.branch, number)
  const chosen: ModelTransaction[] = []
  for (const transaction of options.pool.minable(parent.state.nonce)) {
    if (transaction.gasPriceWei < minGasPriceWei) break
    if (!options.isTaken(transaction, hash)) break
    chosen.push(transaction)
  }
  const isChanged = chosen.length > 0 || waiting.length > 0
  const state = isChanged ? cloneState(parent.state) : parent.state
  const block: ModelBlock = {
    ...{ number, hash, parent, timestampSeconds, since: now, minGasPriceWei },
    ...{ transactions: [], changes: waiting, state },
  }
  for (const change of waiting) change(state)
  growing.waiting = []
  for (const transaction of chosen) {
    if (state.relayerWei < BigInt(transaction.gas) * transaction.gasPriceWei) break
    history.execute(block, transaction)
    options.pool.remove(transaction.hash)
  }
  branches.append(block, now)
  return block
}

/** Empty blocks up to this time. */
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

function reorganize(
  growing: Growing,
  { depth, blocks, now, returns }: { depth: number; blocks: number; now: number; returns: Returns },
): { removed: ModelBlock[]; added: ModelBlock[] } {
  const { options, branches } = growing
  const removed = branches.cut(Math.max(1, branches.head().number + 1 - depth))
  const parent = branches.head()
  growing.branch += 1
  growing.waiting = [...removed.flatMap((block) => block.changes), ...growing.waiting]
  const view = poolView(growing, parent, now)
  for (const { transaction } of removed.flatMap((block) => block.transactions)) {
    if (returns(transaction)) options.pool.add(transaction, view)
  }
  branches.turnTo(parent, now)
  const added: ModelBlock[] = []
  const spanSeconds = Math.floor(now / 1000) - parent.timestampSeconds
  for (let index = 1; index <= blocks; index++) {
    const last = branches.head()
    const timestampSeconds = Math.max(
      last.timestampSeconds + 1,
      parent.timestampSeconds + Math.floor((spanSeconds * index) / blocks),
    )
    added.push(mineOn(growing, last, now, timestampSeconds))
  }
  return { removed, added }
}

function resume(
  growing: Growing,
  { tip, now, returns }: { tip: ModelBlock; now: number; returns: Returns },
): { removed: ModelBlock[]; added: ModelBlock[] } {
  const { branches, options } = growing
  const { pool } = options
  const { base, blocks } = branches.missing(tip)
  const removed = branches.cut(base + 1)
  growing.branch += 1
  for (const block of blocks) branches.append(block, now)
  const done = new Set(blocks.flatMap(({ changes }) => changes))
  const open = [...removed.flatMap(({ changes }) => changes), ...growing.waiting]
  growing.waiting = open.filter((change) => !done.has(change))
  const kept = new Set(
    blocks.flatMap(({ transactions }) => transactions.map(({ transaction }) => transaction)),
  )
  for (const { hash } of kept) pool.remove(hash)
  for (const { transaction } of removed.flatMap(({ transactions }) => transactions)) {
    if (!kept.has(transaction) && returns(transaction))
      pool.add(transaction, poolView(growing, tip, now))
  }
  return { removed, added: [...blocks, mineOn(growing, tip, now)] }
}

function poolView({ minGasPriceWei }: Growing, { state, number: head }: ModelBlock, now: number) {
  return {
    stateNonce: state.nonce,
    balanceWei: state.relayerWei,
    minGasPriceWei,
    head,
    nowMs: now,
  }
}

function cloneState(state: ChainState): ChainState {
  const { nonce, relayerWei } = state
  return { ...cloneContracts(state), nonce, relayerWei }
}
