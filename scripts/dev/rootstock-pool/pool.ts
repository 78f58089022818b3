import type { Address, Hex } from 'viem'
import { costWei, intrinsicGas, type PoolTransaction } from './transaction.ts'

/** What a Rootstock node's pool is told once. */
export type RootstockRules = {
  /** A nonce at or above the account's by this much is refused. */
  accountSlots: number
  /** A replacement's gas price over the replaced one's, in percent, rounded up. */
  replacementPercent: number
  /** A transaction is dropped when this many blocks came after the one it arrived at. */
  evictAfterBlocks: number
  evictAfterMs: number
  minGasPriceWei: bigint
  /** A gas price above the minimum by more than this factor is refused. */
  priceCapTimes: bigint
  /** Gas of a block, and the most that one transaction may ask for. */
  blockGas: bigint
  maxBytes: number
  /** What an account may use up, refilled over time. Undefined: no quota. */
  quota: GasQuota | undefined
}

export type GasQuota = { newAccountGas: bigint; maxGas: bigint; gasPerSecond: bigint }

/**
 * RSKj's own numbers (`transaction.accountSlots`, `transaction.gasPriceBump`, `transaction.outdated`,
 * RSKIP252), without the quota, which every test that is about it sets.
 */
export const rootstockRules: RootstockRules = {
  accountSlots: 16,
  replacementPercent: 40,
  evictAfterBlocks: 10,
  evictAfterMs: 650_000,
  minGasPriceWei: 60_000_000n,
  priceCapTimes: 80n,
  blockGas: 6_800_000n,
  maxBytes: 128 * 1024,
  quota: undefined,
}

/** What a pool has to know of the sender and the time when a transaction arrives. */
export type Arrival = {
  /** Transactions of the sender in the chain. */
  stateNonce: number
  balanceWei: bigint
  /** The best block's number. */
  head: number
  nowMs: number
}

export type Added =
  | { kind: 'pending' }
  /** A nonce before it is missing: it waits, and its sender is not told. */
  | { kind: 'queued' }
  | { kind: 'refused'; message: string }

/** Transactions that wait, and the rules by which they come, wait and go. */
export type Pool = {
  add(transaction: PoolTransaction, arrival: Arrival): Added
  /** Those that may be mined as far as the pool knows, by sender and nonce. */
  pending(): PoolTransaction[]
  /** Those behind a missing nonce. */
  queued(): PoolTransaction[]
  find(hash: Hex): { transaction: PoolTransaction; state: 'pending' | 'queued' } | undefined
  /** The nonce after the sender's highest pending one. */
  nextNonce(account: Address, stateNonce: number): number
  /** Pending transactions that the account's nonce allows, the highest-priced sender first. */
  minable(stateNonces: ReadonlyMap<Address, number>): PoolTransaction[]
  /** Drops what has waited too long, and names it. */
  evict(head: number, nowMs: number): Hex[]
  remove(hash: Hex): boolean
  clear(): Hex[]
}

type Entry = { transaction: PoolTransaction; head: number; arrivedMs: number }

/**
 * RSKj's TransactionPoolImpl and its validators in their order, so that the first rule that is broken
 * gives the wording. One difference: a replacement's least price is rounded up, RSKj's down.
 */
export function createPool(rules: RootstockRules): Pool {
  const pending = new Map<Hex, Entry>()
  const queued = new Map<Hex, Entry>()
  const quotas = new Map<Address, { gas: bigint; atMs: number }>()

  const ofSender = (set: Map<Hex, Entry>, account: Address): PoolTransaction[] =>
    [...set.values()]
      .map(({ transaction }) => transaction)
      .filter(({ from }) => from === account)
      .sort((a, b) => a.nonce - b.nonce)

  const sameNonce = (set: Map<Hex, Entry>, { from, nonce }: PoolTransaction) =>
    ofSender(set, from).find((other) => other.nonce === nonce)

  function nextNonce(account: Address, stateNonce: number): number {
    const last = ofSender(pending, account).at(-1)
    return last === undefined ? stateNonce : Math.max(stateNonce, last.nonce + 1)
  }

  function put(set: Map<Hex, Entry>, transaction: PoolTransaction, arrival: Arrival): void {
    const replaced = sameNonce(set, transaction)
    if (replaced !== undefined) set.delete(replaced.hash)
    set.set(transaction.hash, { transaction, head: arrival.head, arrivedMs: arrival.nowMs })
  }

  /** Transactions that waited for this one, until one of them is missing again or refused. */
  function promoteAfter(transaction: PoolTransaction, arrival: Arrival): void {
    let last = transaction
    for (;;) {
      const next = ofSender(queued, last.from).find(({ nonce }) => nonce === last.nonce + 1)
      if (next === undefined) return
      queued.delete(next.hash)
      if (addOne(next, arrival).kind !== 'pending') return
      last = next
    }
  }

  function addOne(transaction: PoolTransaction, arrival: Arrival): Added {
    const message = faultOf(transaction, arrival)
    if (message !== undefined) return { kind: 'refused', message }
    if (transaction.nonce > nextNonce(transaction.from, arrival.stateNonce)) {
      put(queued, transaction, arrival)
      return { kind: 'queued' }
    }
    put(pending, transaction, arrival)
    return { kind: 'pending' }
  }

  function faultOf(transaction: PoolTransaction, arrival: Arrival): string | undefined {
    const { hash, gas, gasPriceWei, nonce } = transaction
    if (pending.has(hash)) return 'pending transaction with same hash already exists'
    if (queued.has(hash)) return 'queued transaction with same hash already exists'
    const bytes = (transaction.raw.length - 2) / 2
    if (bytes > rules.maxBytes) {
      return `transaction's size is higher than defined maximum: ${bytes} > ${rules.maxBytes}`
    }
    if (gas > rules.blockGas) {
      return `transaction's gas limit of ${gas} is higher than the block's gas limit of ${rules.blockGas}`
    }
    if (nonce < arrival.stateNonce) return 'transaction nonce too low'
    if (nonce >= arrival.stateNonce + rules.accountSlots) return 'transaction nonce too high'
    if (arrival.balanceWei < gas * gasPriceWei) return 'insufficient funds'
    if (gasPriceWei < rules.minGasPriceWei) {
      return "transaction's gas price lower than block's minimum"
    }
    if (gasPriceWei > rules.minGasPriceWei * rules.priceCapTimes) {
      return "transaction's gas price exceeds cap"
    }
    if (intrinsicGas(transaction) > gas) return "transaction's basic cost is above the gas limit"
    const replaced = sameNonce(pending, transaction)
    if (replaced !== undefined && gasPriceWei < leastPriceOver(replaced.gasPriceWei)) {
      return 'gas price not enough to bump transaction'
    }
    if (!takeFromQuota(transaction, arrival)) return 'account exceeds quota'
    const others = ofSender(pending, transaction.from).filter((other) => other.nonce !== nonce)
    const total = others.reduce((sum, other) => sum + costWei(other), costWei(transaction))
    if (total > arrival.balanceWei) {
      return 'insufficient funds to pay for pending and new transactions'
    }
    return undefined
  }

  function leastPriceOver(priceWei: bigint): bigint {
    return (priceWei * BigInt(100 + rules.replacementPercent) + 99n) / 100n
  }

  /** False, and nothing taken, where the sender's quota has not enough gas left. */
  function takeFromQuota({ from, gas }: PoolTransaction, { nowMs }: Arrival): boolean {
    if (rules.quota === undefined) return true
    const { newAccountGas, maxGas, gasPerSecond } = rules.quota
    const before = quotas.get(from) ?? { gas: newAccountGas, atMs: nowMs }
    const refilled = before.gas + (gasPerSecond * BigInt(Math.trunc(nowMs - before.atMs))) / 1000n
    const available = refilled < maxGas ? refilled : maxGas
    const isEnough = gas <= available
    quotas.set(from, { gas: isEnough ? available - gas : available, atMs: nowMs })
    return isEnough
  }

  return {
    add(transaction, arrival) {
      const added = addOne(transaction, arrival)
      // RSKj takes queued ones up only when the one before them arrives, never when a block comes.
      if (added.kind === 'pending') promoteAfter(transaction, arrival)
      return added
    },

    pending: () => inOrder(pending),
    queued: () => inOrder(queued),

    find(hash) {
      const isPending = pending.get(hash)
      if (isPending !== undefined) return { transaction: isPending.transaction, state: 'pending' }
      const isQueued = queued.get(hash)
      return isQueued && { transaction: isQueued.transaction, state: 'queued' }
    },

    nextNonce,

    minable(stateNonces) {
      const ready: PoolTransaction[][] = []
      for (const [account, stateNonce] of stateNonces) {
        let expected = stateNonce
        const own: PoolTransaction[] = []
        for (const transaction of ofSender(pending, account)) {
          // Its nonce was used by a transaction that came past this pool: it waits for its eviction.
          if (transaction.nonce < expected) continue
          if (transaction.nonce > expected || transaction.gasPriceWei < rules.minGasPriceWei) break
          own.push(transaction)
          expected += 1
        }
        if (own.length > 0) ready.push(own)
      }
      return byPriceThenNonce(ready)
    },

    evict(head, nowMs) {
      const outdated: Hex[] = []
      for (const set of [pending, queued]) {
        for (const [hash, entry] of set) {
          const isOld =
            entry.head < head - rules.evictAfterBlocks ||
            nowMs - entry.arrivedMs >= rules.evictAfterMs
          if (!isOld) continue
          set.delete(hash)
          outdated.push(hash)
        }
      }
      return outdated
    },

    remove: (hash) => pending.delete(hash) || queued.delete(hash),

    clear() {
      const all = [...pending.keys(), ...queued.keys()]
      pending.clear()
      queued.clear()
      return all
    },
  }
}

function inOrder(set: Map<Hex, Entry>): PoolTransaction[] {
  return [...set.values()]
    .map(({ transaction }) => transaction)
    .sort((a, b) => (a.from === b.from ? a.nonce - b.nonce : a.from < b.from ? -1 : 1))
}

/** Merges the senders' lists by the price of their first transactions (RSKj's PendingState). */
function byPriceThenNonce(senders: PoolTransaction[][]): PoolTransaction[] {
  const merged: PoolTransaction[] = []
  for (;;) {
    let best: PoolTransaction[] | undefined
    for (const own of senders) {
      const [first] = own
      if (first === undefined) continue
      const price = best?.[0]?.gasPriceWei
      if (price === undefined || first.gasPriceWei > price) best = own
    }
    const next = best?.shift()
    if (next === undefined) return merged
    merged.push(next)
  }
}
