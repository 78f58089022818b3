import type { PoolRules } from '../../chain/chains.ts'
import { requestLifetimeSeconds } from '../forwarder/requests.ts'
import type { Capacity, Usage } from '../ledger/payments/nonces.ts'
import type { PaymentLimits } from '../ledger/records/earlier.ts'
import type { Undecided } from '../ledger/sessions.ts'
import {
  computeGasPrice,
  computeReplacementPrice,
  executeGas,
  maxInnerGas,
  maxUsedGas,
  type Terms,
} from '../relayer.ts'

/** Limits the payments of one account. */
export type AccountLimits = PaymentLimits & {
  /** Replaces the other limits for accounts with a till. */
  agents?: PaymentLimits | undefined
}

/** Returns an account's limits. With a till they are those for agents, if such are set. */
export const selectLimits = (
  limits: AccountLimits,
  { isAgent }: Pick<Undecided, 'isAgent'>,
): PaymentLimits => (isAgent && limits.agents) || limits

/** Holds the gas price and the balance of the relayer's key. */
export type Funding = { gasPriceWei: bigint; balanceWei: bigint }

/** Limits the wait in the queue to this share of a request's lifetime: failures need the rest. */
const maxQueueShare = 1 / 4
/** Sets which share of the nonces that a block could take it is expected to take. */
const expectedNonceShare = 1 / 2

/** Returns how many payments may be open, which the key must afford, and how many may wait. */
export function computeCapacity(terms: Terms, { gasPriceWei, balanceWei }: Funding): Capacity {
  const { rules, fees } = terms
  return {
    open: toSafeNumber(balanceWei / computeHighestCostWei(terms, gasPriceWei)),
    waiting: computeMaxWaiting(rules),
    isPriceTooHigh: gasPriceWei > fees.maxWei,
    paymentsInBlock: countPaymentsInBlock(rules),
    blockMs: rules.blockMs,
  }
}

/** Returns the highest cost of a payment's gas in wei, with all allowed replacements. */
export function computeHighestCostWei(terms: Terms, gasPriceWei: bigint): bigint {
  const { rules, fees } = terms
  let highestWei = computeGasPrice(terms, gasPriceWei, undefined) ?? fees.maxWei
  for (let count = 0; count < rules.maxReplacements; count++) {
    highestWei = computeReplacementPrice(highestWei, rules.replacementPercent)
  }
  if (highestWei > fees.maxWei) highestWei = fees.maxWei
  return BigInt(maxInnerGas + executeGas) * (highestWei > 0n ? highestWei : 1n)
}

/** Returns the wei that this many payments need, one after another, at the given gas price. */
export function computeFundsWei(terms: Terms, gasPriceWei: bigint, paymentCount: bigint): bigint {
  const usualCostWei = computeUsualCostWei(terms, gasPriceWei)
  return computeHighestCostWei(terms, gasPriceWei) + (paymentCount - 1n) * usualCostWei
}

/** Counts the payments that a balance covers, the last of them at its highest cost. */
export function countPayments(terms: Terms, { gasPriceWei, balanceWei }: Funding): number {
  const spareWei = balanceWei - computeHighestCostWei(terms, gasPriceWei)
  if (spareWei < 0n) return 0
  return toSafeNumber(spareWei / computeUsualCostWei(terms, gasPriceWei) + 1n)
}

function computeUsualCostWei(terms: Terms, gasPriceWei: bigint): bigint {
  const priceWei = computeGasPrice(terms, gasPriceWei, undefined) ?? terms.fees.maxWei
  return BigInt(maxUsedGas) * (priceWei > 0n ? priceWei : 1n)
}

function toSafeNumber(count: bigint): number {
  return count > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(count)
}

/** Returns how many payments blocks can take within the queue's share of a request's lifetime. */
function computeMaxWaiting(rules: PoolRules): number {
  const blockCount = (requestLifetimeSeconds * 1_000 * maxQueueShare) / rules.blockMs
  return Math.max(1, Math.floor(blockCount * countPaymentsInBlock(rules)))
}

/** Returns how many payments a block is expected to take. */
const countPaymentsInBlock = ({ maxInFlight, maxInBatch }: PoolRules): number =>
  maxInFlight * maxInBatch * expectedNonceShare

/** Tells whether the queue is so long that one more payment might expire in it. */
export const isCrowded = ({ rules }: Terms, { waiting }: Pick<Usage, 'waiting'>): boolean =>
  waiting >= computeMaxWaiting(rules)
