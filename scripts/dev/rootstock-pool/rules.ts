import { intrinsicGas, type PoolTransaction } from './transaction.ts'

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

/**
 * Which rule a transaction breaks whatever else waits, in the node's words: RSKj's validators in their
 * order. Undefined where it breaks none.
 */
export function brokenRule(
  rules: RootstockRules,
  transaction: PoolTransaction,
  { stateNonce, balanceWei }: Arrival,
): string | undefined {
  const { gas, gasPriceWei, nonce } = transaction
  const bytes = (transaction.raw.length - 2) / 2
  if (bytes > rules.maxBytes) {
    return `transaction's size is higher than defined maximum: ${bytes} > ${rules.maxBytes}`
  }
  if (gas > rules.blockGas) {
    return `transaction's gas limit of ${gas} is higher than the block's gas limit of ${rules.blockGas}`
  }
  if (nonce < stateNonce) return 'transaction nonce too low'
  if (nonce >= stateNonce + rules.accountSlots) return 'transaction nonce too high'
  if (balanceWei < gas * gasPriceWei) return 'insufficient funds'
  if (gasPriceWei < rules.minGasPriceWei) {
    return "transaction's gas price lower than block's minimum"
  }
  if (gasPriceWei > rules.minGasPriceWei * rules.priceCapTimes) {
    return "transaction's gas price exceeds cap"
  }
  return intrinsicGas(transaction) > gas
    ? "transaction's basic cost is above the gas limit"
    : undefined
}
