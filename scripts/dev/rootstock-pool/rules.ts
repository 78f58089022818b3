export type PoolRules = {
  maxBytes: number
  /** Gas limit of a block, and of one transaction. */
  blockGas: bigint
  accountSlots: number
  priceCapTimes: bigint
  /** Is a replacement's price over the replaced one's in percent, rounded up; RSKj rounds down. */
  replacementPercent: number
  /** The gas quota of an account, refilled over time; undefined without a quota. */
  quota: GasQuota | undefined
  evictAfterBlocks: number
  evictAfterMs: number
}

type GasQuota = { newAccountGas: bigint; maxGas: bigint; gasPerSecond: bigint }

export type RootstockRules = PoolRules & { minGasPriceWei: bigint }

/** RSKj's numbers without the quota, which only tests of the quota set. */
export const rootstockRules: RootstockRules = {
  maxBytes: 128 * 1024,
  blockGas: 6_800_000n,
  accountSlots: 16,
  priceCapTimes: 80n,
  replacementPercent: 40,
  quota: undefined,
  evictAfterBlocks: 10,
  evictAfterMs: 650_000,
  minGasPriceWei: 60_000_000n,
}
