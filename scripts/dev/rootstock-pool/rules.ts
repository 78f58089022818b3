type GasQuota = { newAccountGas: bigint; maxGas: bigint; gasPerSecond: bigint }

export type RootstockRules = typeof rootstockRules

export type PoolRules = Omit<RootstockRules, 'minGasPriceWei'>

/** RSKj's numbers without the quota, which only tests of the quota set. */
export const rootstockRules = {
  maxBytes: 128 * 1024,
  /** Gas limit of a block, and of one transaction. */
  blockGas: 6_800_000n,
  accountSlots: 16,
  priceCapTimes: 80n,
  /** Is a replacement's price over the replaced one's in percent, rounded up; RSKj rounds down. */
  replacementPercent: 40,
  /** The gas quota of an account, refilled over time; undefined without a quota. */
  quota: undefined as GasQuota | undefined,
  evictAfterBlocks: 10,
  evictAfterMs: 650_000,
  minGasPriceWei: 60_000_000n,
}
