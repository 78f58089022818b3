import type { Hex } from 'viem'
import type { PoolRefusal } from './refusals.ts'
import type { PoolRules } from './rules.ts'
import type { SignedTransaction } from './transaction.ts'

export type Arrival = {
  stateNonce: number
  balanceWei: bigint
  minGasPriceWei: bigint
  head: number
  nowMs: number
}

type PoolTransaction = Pick<SignedTransaction, 'hash' | 'nonce' | 'gasPriceWei' | 'to' | 'data'> & {
  raw: Hex
  gas: bigint | number
  valueWei?: bigint
}

export type AccountPool<Waiting extends PoolTransaction> = ReturnType<
  typeof createAccountPool<Waiting>
>

type Entry<Waiting> = { transaction: Waiting; head: number; arrivedMs: number }

/** Applies the rules of RSKj's TransactionPoolImpl; the first broken one refuses. */
export function createAccountPool<Waiting extends PoolTransaction>(rules: PoolRules) {
  const pending = new Map<number, Entry<Waiting>>()
  const queued = new Map<number, Entry<Waiting>>()
  const refusedBeside = createRules(rules)
  const inOrder = (entries: typeof pending) =>
    [...entries.values()].map(({ transaction }) => transaction).sort((a, b) => a.nonce - b.nonce)

  function nextNonce(stateNonce: number): number {
    let next = stateNonce
    for (const nonce of pending.keys()) next = Math.max(next, nonce + 1)
    return next
  }

  function addOne(transaction: Waiting, arrival: Arrival): PoolRefusal | undefined {
    const { nonce, hash } = transaction
    if (queued.get(nonce)?.transaction.hash === hash) return 'known_queued'
    const refusal = refusedBeside(inOrder(pending), transaction, arrival)
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
    /** Returns the refusal; undefined if accepted, even behind a missing nonce. */
    add(transaction: Waiting, arrival: Arrival): PoolRefusal | undefined {
      const refusal = addOne(transaction, arrival)
      if (refusal !== undefined || !pending.has(transaction.nonce)) return refusal
      // RSKj promotes a queued transaction only when the one before it arrives, not with a block.
      for (let nonce = transaction.nonce + 1; ; nonce++) {
        const waiting = queued.get(nonce)
        if (waiting === undefined) return undefined
        queued.delete(nonce)
        if (addOne(waiting.transaction, arrival) !== undefined) return undefined
      }
    },
    /** Splits transactions into pending ones and those behind a missing nonce. */
    pending: () => inOrder(pending),
    queued: () => inOrder(queued),
    all: () => [...pending.values(), ...queued.values()].map(({ transaction }) => transaction),
    nextNonce,
    minable(stateNonce: number): Waiting[] {
      const found: Waiting[] = []
      for (let nonce = stateNonce; ; nonce++) {
        const entry = pending.get(nonce)
        if (entry === undefined) return found
        found.push(entry.transaction)
      }
    },
    evict: (head: number, nowMs: number) =>
      drop(
        (entry) =>
          entry.head < head - rules.evictAfterBlocks ||
          nowMs - entry.arrivedMs >= rules.evictAfterMs,
      ),
    remove: (hash: Hex) => drop(({ transaction }) => transaction.hash === hash).length > 0,
  }
}

const feeWei = ({ gas, gasPriceWei }: PoolTransaction): bigint => BigInt(gas) * gasPriceWei
const costWei = (transaction: PoolTransaction): bigint =>
  feeWei(transaction) + (transaction.valueWei ?? 0n)

function createRules(rules: PoolRules) {
  const { maxBytes, blockGas, accountSlots, priceCapTimes, replacementPercent } = rules
  const exceedsQuota = createQuota(rules)
  return (
    pending: readonly PoolTransaction[],
    transaction: PoolTransaction,
    arrival: Arrival,
  ): PoolRefusal | undefined => {
    const { raw, gas, nonce, gasPriceWei } = transaction
    const { stateNonce, balanceWei, minGasPriceWei } = arrival
    const held = pending.find((one) => one.nonce === nonce)
    if (held?.hash === transaction.hash) return 'known'
    if ((raw.length - 2) / 2 > maxBytes) return 'too_large'
    if (gas > blockGas) return 'over_block'
    if (nonce < stateNonce) return 'nonce_used'
    if (nonce >= stateNonce + accountSlots) return 'nonce_too_high'
    if (balanceWei < feeWei(transaction)) return 'poor'
    if (gasPriceWei < minGasPriceWei) return 'price_too_low'
    if (gasPriceWei > minGasPriceWei * priceCapTimes) return 'price_too_high'
    if (gas < basicCost(transaction)) return 'basic_cost'
    const outbidWei = ((held?.gasPriceWei ?? 0n) * BigInt(100 + replacementPercent) + 99n) / 100n
    if (gasPriceWei < outbidWei) return 'underbid'
    if (exceedsQuota(transaction, arrival)) return 'quota'
    const totalWei = pending
      .filter((one) => one !== held)
      .reduce((sum, one) => sum + costWei(one), costWei(transaction))
    return totalWei > balanceWei ? 'poor_for_all' : undefined
  }
}

function basicCost({ to, data }: PoolTransaction): number {
  let gas = to === undefined ? 53_000 : 21_000
  for (let at = 2; at < data.length; at += 2) gas += data.startsWith('00', at) ? 4 : 16
  return gas
}

/** Takes gas from an account's quota, or nothing if the quota is too small. */
function createQuota({ quota }: PoolRules) {
  let before: { gas: bigint; atMs: number } | undefined
  return ({ gas }: PoolTransaction, { nowMs }: Arrival): boolean => {
    if (quota === undefined) return false
    const { newAccountGas, maxGas, gasPerSecond } = quota
    before ??= { gas: newAccountGas, atMs: nowMs }
    const refilled = before.gas + (gasPerSecond * BigInt(Math.trunc(nowMs - before.atMs))) / 1000n
    const available = refilled < maxGas ? refilled : maxGas
    const isEnough = gas <= available
    before = { gas: isEnough ? available - BigInt(gas) : available, atMs: nowMs }
    return !isEnough
  }
}
