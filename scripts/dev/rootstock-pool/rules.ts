import type { AccountRules } from './account-pool.ts'
import type { PoolRefusal } from './refusals.ts'
import type { SignedTransaction } from './transaction.ts'

/** What a Rootstock node's pool is told once. */
export type RootstockRules = Omit<AccountRules<SignedTransaction>, 'also'> & {
  minGasPriceWei: bigint
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

/** Returns which rule a transaction breaks by its size or its gas alone. */
export function brokenFirst(
  { maxBytes, blockGas }: RootstockRules,
  { raw, gas }: SignedTransaction,
): PoolRefusal | undefined {
  if ((raw.length - 2) / 2 > maxBytes) return 'too_large'
  return gas > blockGas ? 'over_block' : undefined
}
