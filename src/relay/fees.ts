import type { PoolRulesName } from '../chain/chains.ts'

/** What the relay may pay for gas, in wei a unit. */
export type FeeLimits = { minWei: bigint; maxWei: bigint }

const gwei = 1_000_000_000n

/**
 * The highest price where the operator names none, in wei a unit of gas: Rootstock's usual one is a tenth
 * of a gwei, and the local chain starts at two.
 */
export const usualMaxGasPriceWei: Readonly<Record<PoolRulesName, bigint>> = {
  rootstock: gwei,
  anvil: 1_000n * gwei,
}

/** The node's price within the operator's limits. */
export function gasPriceWithin(limits: FeeLimits, nodePriceWei: bigint): bigint {
  if (nodePriceWei < limits.minWei) return limits.minWei
  return nodePriceWei > limits.maxWei ? limits.maxWei : nodePriceWei
}

/**
 * The least price that replaces an earlier one, rounded up: Rootstock wants 40 % more
 * (TransactionPoolImpl), and a wei less is refused.
 */
export function replacementPriceUp(priorWei: bigint, percent: number): bigint {
  return (priorWei * BigInt(100 + percent) + 99n) / 100n
}
