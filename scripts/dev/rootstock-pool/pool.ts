import type { Address, Hex } from 'viem'
import { type Arrival, brokenRule, type RootstockRules } from './rules.ts'
import { costWei, type PoolTransaction } from './transaction.ts'

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
type Entries = Map<Hex, Entry>

/**
 * RSKj's TransactionPoolImpl and its validators in their order, so that the first rule that is broken
 * gives the wording. One difference: a replacement's least price is rounded up, RSKj's down.
 */
export function createPool(rules: RootstockRules): Pool {
  const pending: Entries = new Map()
  const queued: Entries = new Map()
  const takeFromQuota = createQuotas(rules)

  function nextNonce(account: Address, stateNonce: number): number {
    const last = ofSender(pending, account).at(-1)
    return last === undefined ? stateNonce : Math.max(stateNonce, last.nonce + 1)
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
    if (pending.has(transaction.hash)) return 'pending transaction with same hash already exists'
    if (queued.has(transaction.hash)) return 'queued transaction with same hash already exists'
    return (
      brokenRule(rules, transaction, arrival) ??
      faultAsReplacement(pending, transaction, rules.replacementPercent) ??
      takeFromQuota(transaction, arrival) ??
      faultOfTotal(pending, transaction, arrival)
    )
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

    minable: (stateNonces) =>
      byPriceThenNonce(minableBySender(pending, stateNonces, rules.minGasPriceWei)),

    evict(head, nowMs) {
      const isOld = (entry: Entry) =>
        entry.head < head - rules.evictAfterBlocks || nowMs - entry.arrivedMs >= rules.evictAfterMs
      return [...dropWhere(pending, isOld), ...dropWhere(queued, isOld)]
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

function faultAsReplacement(
  pending: Entries,
  transaction: PoolTransaction,
  replacementPercent: number,
): string | undefined {
  const replaced = sameNonce(pending, transaction)
  if (replaced === undefined) return undefined
  const leastWei = (replaced.gasPriceWei * BigInt(100 + replacementPercent) + 99n) / 100n
  return transaction.gasPriceWei < leastWei ? 'gas price not enough to bump transaction' : undefined
}

function faultOfTotal(
  pending: Entries,
  transaction: PoolTransaction,
  { balanceWei }: Arrival,
): string | undefined {
  const { from, nonce } = transaction
  const others = ofSender(pending, from).filter((other) => other.nonce !== nonce)
  const total = others.reduce((sum, other) => sum + costWei(other), costWei(transaction))
  return total > balanceWei
    ? 'insufficient funds to pay for pending and new transactions'
    : undefined
}

/** Takes gas from a sender's quota. Where it has not enough left nothing is taken, and that is a fault. */
function createQuotas(
  rules: RootstockRules,
): (transaction: PoolTransaction, arrival: Arrival) => string | undefined {
  const quotas = new Map<Address, { gas: bigint; atMs: number }>()
  return ({ from, gas }, { nowMs }) => {
    if (rules.quota === undefined) return undefined
    const { newAccountGas, maxGas, gasPerSecond } = rules.quota
    const before = quotas.get(from) ?? { gas: newAccountGas, atMs: nowMs }
    const refilled = before.gas + (gasPerSecond * BigInt(Math.trunc(nowMs - before.atMs))) / 1000n
    const available = refilled < maxGas ? refilled : maxGas
    const isEnough = gas <= available
    quotas.set(from, { gas: isEnough ? available - gas : available, atMs: nowMs })
    return isEnough ? undefined : 'account exceeds quota'
  }
}

function ofSender(entries: Entries, account: Address): PoolTransaction[] {
  return [...entries.values()]
    .map(({ transaction }) => transaction)
    .filter(({ from }) => from === account)
    .sort((a, b) => a.nonce - b.nonce)
}

function sameNonce(
  entries: Entries,
  { from, nonce }: PoolTransaction,
): PoolTransaction | undefined {
  return ofSender(entries, from).find((other) => other.nonce === nonce)
}

/** In the place of the one with its nonce, if there is one. */
function put(entries: Entries, transaction: PoolTransaction, { head, nowMs }: Arrival): void {
  const replaced = sameNonce(entries, transaction)
  if (replaced !== undefined) entries.delete(replaced.hash)
  entries.set(transaction.hash, { transaction, head, arrivedMs: nowMs })
}

function dropWhere(entries: Entries, isDropped: (entry: Entry) => boolean): Hex[] {
  const dropped: Hex[] = []
  for (const [hash, entry] of entries) {
    if (!isDropped(entry)) continue
    entries.delete(hash)
    dropped.push(hash)
  }
  return dropped
}

/** What the accounts' nonces and the least price let into a block: a list for each sender, by nonce. */
function minableBySender(
  pending: Entries,
  stateNonces: ReadonlyMap<Address, number>,
  minGasPriceWei: bigint,
): PoolTransaction[][] {
  const ready: PoolTransaction[][] = []
  for (const [account, stateNonce] of stateNonces) {
    let expected = stateNonce
    const own: PoolTransaction[] = []
    for (const transaction of ofSender(pending, account)) {
      // Its nonce was used by a transaction that came past this pool: it waits for its eviction.
      if (transaction.nonce < expected) continue
      if (transaction.nonce > expected || transaction.gasPriceWei < minGasPriceWei) break
      own.push(transaction)
      expected += 1
    }
    if (own.length > 0) ready.push(own)
  }
  return ready
}

function inOrder(entries: Entries): PoolTransaction[] {
  return [...entries.values()]
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
