import type { Hex } from 'viem'
import { type ModelLog, processedLog, selectors } from './calldata.ts'
import {
  type ContractState,
  type ContractWorld,
  cloneContracts,
  executeRequests,
  type ProcessedRequest,
} from './contracts.ts'
import type { ModelPool } from './pool.ts'
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
  pool: ModelPool
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
  const { world, pool } = options
  const skippedMs = Math.max(options.blockMs, leastSkippedMs)
  const heads: { time: number; block: ModelBlock }[] = []
  const canonical: ModelBlock[] = []
  const mined = new Map<Hex, MinedTransaction[]>()
  const processed: { mined: MinedTransaction; processed: ProcessedRequest }[] = []
  let waiting: WorldChange[] = []
  let minGasPriceWei = options.minGasPriceWei
  let branch = 0

  const hashOf = (number: number): Hex =>
    `0xb10c${branch.toString(16).padStart(4, '0')}${number.toString(16).padStart(56, '0')}`

  function isWithin(block: ModelBlock, view: ModelBlock): boolean {
    return blockAt(block.number, view) === block
  }

  function blockAt(number: number, view: ModelBlock): ModelBlock | undefined {
    if (number < 0 || number > view.number) return undefined
    let at: ModelBlock | undefined = view
    while (at !== undefined && at.number > number) {
      if (canonical[at.number] === at) return canonical[number]
      at = at.parent
    }
    return at
  }

  function append(block: ModelBlock, now: number): void {
    canonical[block.number] = block
    heads.push({ time: now, block })
  }

  function headBlock(): ModelBlock {
    const last = canonical.at(-1)
    if (last === undefined) throw new Error('a chain has a first block')
    return last
  }

  function mineOn(parent: ModelBlock, timestampSeconds: number, now: number): ModelBlock {
    const number = parent.number + 1
    const hash = hashOf(number)
    const chosen: ModelTransaction[] = []
    for (const transaction of pool.minable(parent.state.nonce)) {
      if (transaction.gasPriceWei < minGasPriceWei) break
      if (!options.isTaken(transaction, hash)) break
      chosen.push(transaction)
    }
    const isChanged = chosen.length > 0 || waiting.length > 0
    const state = isChanged ? cloneState(parent.state) : parent.state
    const block: ModelBlock = {
      number,
      hash,
      parent,
      timestampSeconds,
      since: now,
      minGasPriceWei,
      transactions: [],
      changes: waiting,
      state,
    }
    for (const change of waiting) change(state)
    waiting = []
    for (const transaction of chosen) {
      if (state.relayerWei < BigInt(transaction.gas) * transaction.gasPriceWei) break
      execute(block, transaction)
      pool.remove(transaction.hash)
    }
    append(block, now)
    return block
  }

  function execute(block: ModelBlock, transaction: ModelTransaction): void {
    const { state } = block
    state.nonce += 1
    const isExecute =
      transaction.to === world.forwarder && transaction.data.startsWith(selectors.execute)
    state.relayerWei -= (isExecute ? executeGas : noOpGas) * transaction.gasPriceWei
    const succeeded = !isExecute || state.isRelayerAllowed
    const results =
      isExecute && succeeded
        ? executeRequests(
            world,
            state,
            transaction.requests,
            { timestampSeconds: block.timestampSeconds, blockNumber: block.number },
            transaction.gas - intrinsicGas,
          )
        : []
    const entry: MinedTransaction = {
      transaction,
      block,
      succeeded,
      processed: results,
      logs: results.map((result) => processedLog(world.forwarder, result)),
    }
    block.transactions.push(entry)
    mined.set(transaction.hash, [...(mined.get(transaction.hash) ?? []), entry])
    for (const result of results) processed.push({ mined: entry, processed: result })
  }

  const genesis: ModelBlock = {
    number: 0,
    hash: hashOf(0),
    parent: undefined,
    timestampSeconds: Math.floor(options.start / 1000),
    since: options.start,
    minGasPriceWei,
    transactions: [],
    changes: [],
    state: options.state,
  }
  append(genesis, options.start)

  return {
    head: headBlock,
    headAt(time) {
      for (let index = heads.length - 1; index >= 0; index--) {
        const entry = heads[index]
        if (entry !== undefined && entry.time <= time) return entry.block
      }
      return genesis
    },
    blockAt,
    isWithin,
    find: (hash, view) => mined.get(hash)?.find(({ block }) => isWithin(block, view)),
    allProcessed: () => processed,
    change(change) {
      waiting = [...waiting, change]
    },
    setMinGasPrice(wei) {
      minGasPriceWei = wei
    },
    minGasPriceWei: () => minGasPriceWei,
    mine(now) {
      const parent = headBlock()
      return mineOn(parent, Math.max(parent.timestampSeconds + 1, Math.floor(now / 1000)), now)
    },
    skipTo(now) {
      for (;;) {
        const parent = headBlock()
        const timestampSeconds = parent.timestampSeconds + skippedMs / 1000
        if (timestampSeconds * 1000 > now) return
        const number = parent.number + 1
        append(
          {
            ...parent,
            number,
            hash: hashOf(number),
            parent,
            timestampSeconds,
            transactions: [],
            changes: [],
          },
          timestampSeconds * 1000,
        )
      }
    },
    reorganize(depth, blocks, now, returns) {
      const removed = canonical.splice(Math.max(1, canonical.length - depth))
      const parent = headBlock()
      branch += 1
      waiting = [...removed.flatMap((block) => block.changes), ...waiting]
      const view = poolView(parent, now)
      for (const { transaction } of removed.flatMap((block) => block.transactions)) {
        if (returns(transaction)) pool.add(transaction, view)
      }
      heads.push({ time: now, block: parent })
      const added: ModelBlock[] = []
      const spanSeconds = Math.floor(now / 1000) - parent.timestampSeconds
      for (let index = 1; index <= blocks; index++) {
        const last = headBlock()
        const timestampSeconds = Math.max(
          last.timestampSeconds + 1,
          parent.timestampSeconds + Math.floor((spanSeconds * index) / blocks),
        )
        added.push(mineOn(last, timestampSeconds, now))
      }
      return { removed, added }
    },
    depthBelow: (tip) => headBlock().number - missing(tip).base,
    resume(tip, now, returns) {
      const { base, blocks } = missing(tip)
      const removed = canonical.splice(base + 1)
      branch += 1
      for (const block of blocks) append(block, now)
      const done = new Set(blocks.flatMap(({ changes }) => changes))
      const open = [...removed.flatMap(({ changes }) => changes), ...waiting]
      waiting = open.filter((change) => !done.has(change))
      const kept = new Set(
        blocks.flatMap(({ transactions }) => transactions.map(({ transaction }) => transaction)),
      )
      for (const { hash } of kept) pool.remove(hash)
      for (const { transaction } of removed.flatMap(({ transactions }) => transactions)) {
        if (!kept.has(transaction) && returns(transaction))
          pool.add(transaction, poolView(tip, now))
      }
      const timestampSeconds = Math.max(tip.timestampSeconds + 1, Math.floor(now / 1000))
      return { removed, added: [...blocks, mineOn(tip, timestampSeconds, now)] }
    },
  }

  /** The blocks up to this one that the chain does not hold now, and the number of the last it does. */
  function missing(tip: ModelBlock): { base: number; blocks: ModelBlock[] } {
    const blocks: ModelBlock[] = []
    let at = tip
    while (canonical[at.number] !== at && at.parent !== undefined) {
      blocks.unshift(at)
      at = at.parent
    }
    return { base: at.number, blocks }
  }

  function poolView(block: ModelBlock, now: number) {
    return {
      stateNonce: block.state.nonce,
      balanceWei: block.state.relayerWei,
      minGasPriceWei,
      head: block.number,
      now,
    }
  }
}

function cloneState(state: ChainState): ChainState {
  const { nonce, relayerWei } = state
  return { ...cloneContracts(state), nonce, relayerWei }
}
