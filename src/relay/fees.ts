import type { PoolRulesName } from '../chain/chains.ts'

/** Limits what the relay pays for gas, in wei a unit. */
export type FeeLimits = { minWei: bigint; maxWei: bigint }

const gwei = 1_000_000_000n

/** Limits gas prices by default: Rootstock's is a tenth of a gwei, the local chain's two. */
export const usualMaxGasPriceWei: Readonly<Record<PoolRulesName, bigint>> = {
  rootstock: gwei,
  anvil: 1_000n * gwei,
}

/** Returns the node's price within the operator's limits. */
export function limitGasPrice(limits: FeeLimits, nodePriceWei: bigint): bigint {
  if (nodePriceWei < limits.minWei) return limits.minWei
  return nodePriceWei > limits.maxWei ? limits.maxWei : nodePriceWei
}

/**
 * Returns the least replacement price, rounded up; Rootstock wants 40 % more (TransactionPoolImpl).
 */
export function computeReplacementPrice(priorWei: bigint, percent: number): bigint {
  return (priorWei * BigInt(100 + percent) + 99n) / 100n
}
