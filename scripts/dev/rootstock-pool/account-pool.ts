import type { Hex } from 'viem'
import type { PoolRefusal } from './refusals.ts'

/** How a pool takes, keeps and drops the transactions of an account. */
export type AccountRules<Waiting> = {
  /** A nonce at or above the account's by this much is refused. */
  accountSlots: number
  /** A replacement's gas price over the replaced one's, in percent, rounded up; RSKj rounds it down. */
  replacementPercent: number
  /** A gas price above the minimum by more than this factor is refused. */
  priceCapTimes: bigint
  /** A transaction is dropped when this many blocks came after the one it arrived at. */
  evictAfterBlocks: number
  evictAfterMs: number
  /** Further rules: what is looked at first, after all that it breaks alone, and before all that waits costs. */
  also?: Partial<Record<'first' | 'alone' | 'last', Check<Waiting>>>
}

type Check<Waiting> = (transaction: Waiting, arrival: Arrival) => PoolRefusal | undefined

/** What a pool has to know of the sender and the time when a transaction arrives. */
export type Arrival = {
  /** Transactions of the sender in the chain. */
  stateNonce: number
  balanceWei: bigint
  minGasPriceWei: bigint
  /** The best block's number. */
  head: number
  nowMs: number
}

/** What rules are about. */
export type PoolTransaction = {
  hash: Hex
  nonce: number
  gas: bigint | number
  gasPriceWei: bigint
  valueWei?: bigint
}

/** What of an account waits, and the rules by which it comes, waits and goes. */
export type AccountPool<Waiting> = {
  /** Undefined: it was taken. A nonce before it may be missing, which its sender is not told. */
  add(transaction: Waiting, arrival: Arrival): PoolRefusal | undefined
  /** Those that may be mined as far as the pool knows, and those behind a missing nonce, by nonce. */
  pending(): Waiting[]
  queued(): Waiting[]
  /** The nonce after the highest pending one. */
  nextNonce(stateNonce: number): number
  /** From the account's nonce on, without a gap. */
  minable(stateNonce: number): Waiting[]
  all(): Waiting[]
  /** Drops what has waited too long, and gives it. */
  evict(head: number, nowMs: number): Waiting[]
  remove(hash: Hex): boolean
  clear(): void
}

type Entry<Waiting> = { transaction: Waiting; head: number; arrivedMs: number }

const feeWei = ({ gas, gasPriceWei }: PoolTransaction): bigint => BigInt(gas) * gasPriceWei
const costWei = (transaction: PoolTransaction): bigint =>
  feeWei(transaction) + (transaction.valueWei ?? 0n)

/**
 * Follows RSKj's TransactionPoolImpl and its validators in their order, so that the first rule that is broken
 * gives the refusal.
 */
export function createAccountPool<Waiting extends PoolTransaction>(
  rules: AccountRules<Waiting>,
): AccountPool<Waiting> {
  const pending = new Map<number, Entry<Waiting>>()
  const queued = new Map<number, Entry<Waiting>>()
  const inOrder = (entries: typeof pending) =>
    [...entries.values()].map(({ transaction }) => transaction).sort((a, b) => a.nonce - b.nonce)

  function nextNonce(stateNonce: number): number {
    let next = stateNonce
    for (const nonce of pending.keys()) next = Math.max(next, nonce + 1)
    return next
  }

  function refusalOf(transaction: Waiting, arrival: Arrival): PoolRefusal | undefined {
    const { hash, nonce } = transaction
    if (pending.get(nonce)?.transaction.hash === hash) return 'known'
    if (queued.get(nonce)?.transaction.hash === hash) return 'known_queued'
    return (
      rules.also?.first?.(transaction, arrival) ??
      brokenAlone(rules, transaction, arrival) ??
      rules.also?.alone?.(transaction, arrival) ??
      underbid(rules, pending.get(nonce)?.transaction, transaction) ??
      rules.also?.last?.(transaction, arrival) ??
      overspent(pending, transaction, arrival)
    )
  }

  function addOne(transaction: Waiting, arrival: Arrival): PoolRefusal | undefined {
    const refusal = refusalOf(transaction, arrival)
    if (refusal !== undefined) return refusal
    const entry = { transaction, head: arrival.head, arrivedMs: arrival.nowMs }
    const isAhead = transaction.nonce > nextNonce(arrival.stateNonce)
    ;(isAhead ? queued : pending).set(transaction.nonce, entry)
    return undefined
  }

  function drop(isDropped: (entry: Entry<Waiting>) => boolean): Waiting[] {
    return [pending, queued].flatMap((entries) => {
      const dropped = [...entries].filter(([, entry]) => isDropped(entry))
      for (const [nonce] of dropped) entries.delete(nonce)
      return dropped.map(([, { transaction }]) => transaction)
    })
  }

  return {
    add(transaction, arrival) {
      const refusal = addOne(transaction, arrival)
      if (refusal !== undefined || !pending.has(transaction.nonce)) return refusal
      // RSKj takes queued ones up only when the one before them arrives, never when a block comes.
      for (let nonce = transaction.nonce + 1; ; nonce++) {
        const waiting = queued.get(nonce)
        if (waiting === undefined) return undefined
        queued.delete(nonce)
        if (addOne(waiting.transaction, arrival) !== undefined) return undefined
      }
    },
    pending: () => inOrder(pending),
    queued: () => inOrder(queued),
    all: () => [...pending.values(), ...queued.values()].map(({ transaction }) => transaction),
    nextNonce,
    minable(stateNonce) {
      const found: Waiting[] = []
      for (let nonce = stateNonce; ; nonce++) {
        const entry = pending.get(nonce)
        if (entry === undefined) return found
        found.push(entry.transaction)
      }
    },
    evict: (head, nowMs) =>
      drop(
        (entry) =>
          entry.head < head - rules.evictAfterBlocks ||
          nowMs - entry.arrivedMs >= rules.evictAfterMs,
      ),
    remove: (hash) => drop(({ transaction }) => transaction.hash === hash).length > 0,
    clear() {
      pending.clear()
      queued.clear()
    },
  }
}

/** Returns which rule a transaction breaks whatever else waits. */
function brokenAlone<Waiting extends PoolTransaction>(
  { accountSlots, priceCapTimes }: AccountRules<Waiting>,
  transaction: Waiting,
  { stateNonce, balanceWei, minGasPriceWei }: Arrival,
): PoolRefusal | undefined {
  const { nonce, gasPriceWei } = transaction
  if (nonce < stateNonce) return 'nonce_used'
  if (nonce >= stateNonce + accountSlots) return 'nonce_too_high'
  if (balanceWei < feeWei(transaction)) return 'poor'
  if (gasPriceWei < minGasPriceWei) return 'price_too_low'
  return gasPriceWei > minGasPriceWei * priceCapTimes ? 'price_too_high' : undefined
}

function underbid<Waiting extends PoolTransaction>(
  { replacementPercent }: AccountRules<Waiting>,
  held: Waiting | undefined,
  { gasPriceWei }: Waiting,
): PoolRefusal | undefined {
  if (held === undefined) return undefined
  const leastWei = (held.gasPriceWei * BigInt(100 + replacementPercent) + 99n) / 100n
  return gasPriceWei < leastWei ? 'underbid' : undefined
}

/** Whether all that is pending costs more than the account has. */
function overspent<Waiting extends PoolTransaction>(
  pending: ReadonlyMap<number, Entry<Waiting>>,
  transaction: Waiting,
  { balanceWei }: Arrival,
): PoolRefusal | undefined {
  let totalWei = costWei(transaction)
  for (const [nonce, entry] of pending) {
    if (nonce !== transaction.nonce) totalWei += costWei(entry.transaction)
  }
  return totalWei > balanceWei ? 'poor_for_all' : undefined
}
