export type PoolRules = {
  maxBytes: number
  /** Gas of a block, and the most that one transaction may ask for. */
  blockGas: bigint
  accountSlots: number
  priceCapTimes: bigint
  /** Is a replacement's price over the replaced one's in percent, rounded up; RSKj rounds down. */
  replacementPercent: number
  /** What an account may use up, refilled over time. Undefined: as much as it likes. */
  quota: GasQuota | undefined
  evictAfterBlocks: number
  evictAfterMs: number
}

export type GasQuota = { newAccountGas: bigint; maxGas: bigint; gasPerSecond: bigint }

export type RootstockRules = PoolRules & { minGasPriceWei: bigint }

/** RSKj's own numbers, without the quota, which every test that is about it sets. */
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
