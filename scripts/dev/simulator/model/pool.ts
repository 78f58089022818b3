import type { Hex } from 'viem'
import type { ModelTransaction } from './signing.ts'

/** How a pool takes, keeps and drops the transactions of the one account that matters here. */
export type PoolLimits = {
  family: PoolFamily
  /** A nonce at or above the account's by this much is refused. */
  slots: number
  /** A replacement's gas price over the replaced one's, in percent, rounded up. */
  bumpPercent: number
  /** A gas price above the block's minimum by more than this factor is refused. */
  priceCapTimes: bigint
  evictAfterBlocks: number
  evictAfterMs: number
}

/** Whose rules and words: RSKj's, or those of geth, which most other nodes share. */
export type PoolFamily = 'rskj' | 'geth'

/** What the pool knows of the account and of the time when a transaction comes. */
export type PoolView = {
  stateNonce: number
  balanceWei: bigint
  minGasPriceWei: bigint
  head: number
  now: number
}

type Entry = { transaction: ModelTransaction; head: number; since: number }

export type ModelPool = {
  /** Undefined where it was taken; else the node's words of refusal. */
  add(transaction: ModelTransaction, view: PoolView): string | undefined
  /** The account's nonce with what waits: what `eth_getTransactionCount` says of `pending`. */
  nextNonce(stateNonce: number): number
  /** From the account's nonce on, without a gap: what miners see. */
  minable(stateNonce: number): ModelTransaction[]
  all(): ModelTransaction[]
  holds(hash: Hex): boolean
  /** Drops what waited too long; what was dropped. */
  evict(view: PoolView): ModelTransaction[]
  remove(hash: Hex): void
  clear(): void
}

const words = {
  rskj: {
    known: 'pending transaction with same hash already exists',
    knownQueued: 'queued transaction with same hash already exists',
    tooLow: 'transaction nonce too low',
    tooHigh: 'transaction nonce too high',
    funds: 'insufficient funds',
    fundsForAll: 'insufficient funds to pay for pending and new transactions',
    priceLow: "transaction's gas price lower than block's minimum",
    priceCap: "transaction's gas price exceeds cap",
    bump: 'gas price not enough to bump transaction',
  },
  geth: {
    known: 'already known',
    knownQueued: 'already known',
    tooLow: 'nonce too low',
    tooHigh: 'nonce too high',
    funds: 'insufficient funds for gas * price + value',
    fundsForAll: 'insufficient funds for gas * price + value',
    priceLow: 'transaction underpriced',
    priceCap: 'tx fee exceeds the configured cap',
    bump: 'replacement transaction underpriced',
  },
} as const

const costWei = ({ gas, gasPriceWei }: ModelTransaction): bigint => BigInt(gas) * gasPriceWei

/** RSKj's TransactionPoolImpl and its validators, in their order, for one account. */
export function createModelPool(limits: PoolLimits): ModelPool {
  const say = words[limits.family]
  const pending = new Map<number, Entry>()
  const queued = new Map<number, Entry>()

  function nextNonce(stateNonce: number): number {
    return Math.max(stateNonce, ...[...pending.keys()].map((nonce) => nonce + 1))
  }

  function refusalOf(transaction: ModelTransaction, view: PoolView): string | undefined {
    const { hash, nonce } = transaction
    if (pending.get(nonce)?.transaction.hash === hash) return say.known
    if (queued.get(nonce)?.transaction.hash === hash) return say.knownQueued
    return (
      refusalAlone(limits, transaction, view) ?? refusalAmong(pending, limits, transaction, view)
    )
  }

  function addOne(transaction: ModelTransaction, view: PoolView): string | undefined {
    const refusal = refusalOf(transaction, view)
    if (refusal !== undefined) return refusal
    const entry = { transaction, head: view.head, since: view.now }
    if (transaction.nonce > nextNonce(view.stateNonce)) queued.set(transaction.nonce, entry)
    else pending.set(transaction.nonce, entry)
    return undefined
  }

  function drop(isDropped: (entry: Entry) => boolean): ModelTransaction[] {
    const dropped: ModelTransaction[] = []
    for (const set of [pending, queued]) {
      for (const [nonce, entry] of set) {
        if (!isDropped(entry)) continue
        set.delete(nonce)
        dropped.push(entry.transaction)
      }
    }
    return dropped
  }

  return {
    add(transaction, view) {
      const refusal = addOne(transaction, view)
      if (refusal !== undefined || !pending.has(transaction.nonce)) return refusal
      // Those that waited for this one come up now, and at no other time.
      for (let nonce = transaction.nonce + 1; ; nonce++) {
        const waiting = queued.get(nonce)
        if (waiting === undefined) return undefined
        queued.delete(nonce)
        if (addOne(waiting.transaction, view) !== undefined) return undefined
      }
    },
    nextNonce,
    minable(stateNonce) {
      const found: ModelTransaction[] = []
      for (let nonce = stateNonce; ; nonce++) {
        const entry = pending.get(nonce)
        if (entry === undefined) return found
        found.push(entry.transaction)
      }
    },
    all: () => [...pending.values(), ...queued.values()].map(({ transaction }) => transaction),
    holds: (hash) =>
      [pending, queued].some((set) =>
        [...set.values()].some(({ transaction }) => transaction.hash === hash),
      ),
    evict: (view) =>
      drop(
        ({ head, since }) =>
          head < view.head - limits.evictAfterBlocks || view.now - since >= limits.evictAfterMs,
      ),
    remove(hash) {
      drop(({ transaction }) => transaction.hash === hash)
    },
    clear() {
      pending.clear()
      queued.clear()
    },
  }
}

/** Why a transaction is refused whatever else waits. */
function refusalAlone(
  limits: PoolLimits,
  transaction: ModelTransaction,
  view: PoolView,
): string | undefined {
  const say = words[limits.family]
  const { nonce, gasPriceWei } = transaction
  if (nonce < view.stateNonce) return say.tooLow
  if (nonce >= view.stateNonce + limits.slots) return say.tooHigh
  if (view.balanceWei < costWei(transaction)) return say.funds
  if (gasPriceWei < view.minGasPriceWei) return say.priceLow
  return gasPriceWei > view.minGasPriceWei * limits.priceCapTimes ? say.priceCap : undefined
}

/** Why a transaction is refused beside those that wait: it outbids one by too little, or all cost too much. */
function refusalAmong(
  pending: ReadonlyMap<number, Entry>,
  limits: PoolLimits,
  transaction: ModelTransaction,
  view: PoolView,
): string | undefined {
  const say = words[limits.family]
  const { nonce, gasPriceWei } = transaction
  const held = pending.get(nonce)?.transaction
  if (held !== undefined) {
    const leastWei = (held.gasPriceWei * BigInt(100 + limits.bumpPercent) + 99n) / 100n
    if (gasPriceWei < leastWei) return say.bump
  }
  let totalWei = costWei(transaction)
  for (const [other, entry] of pending) if (other !== nonce) totalWei += costWei(entry.transaction)
  return totalWei > view.balanceWei ? say.fundsForAll : undefined
}
