/** What the relay may pay for gas, in wei a unit. */
export type FeeLimits = { minWei: bigint; maxWei: bigint }

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
