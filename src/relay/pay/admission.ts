import type { PoolRules } from '../../chain/chains.ts'
import { computeReplacementPrice } from '../fees.ts'
import { estimateMinutes, type Pace } from '../ledger/acceptance.ts'
import type { Capacity, Usage } from '../ledger/payments/nonces.ts'
import type { DayLimits } from '../ledger/records/earlier.ts'
import type { Undecided } from '../ledger/sessions.ts'
import type { Refusal } from '../refusal.ts'
import {
  computeGasPrice,
  executeGas,
  maxInnerGas,
  maxUsedGas,
  requestLifetimeSeconds,
  type Terms,
} from '../relayer.ts'

/** Limits the payments of one account. */
export type AccountLimits = DayLimits & {
  /** Limits the payments whose outcome is not known yet. */
  openPayments: number
  /** Replaces the other limits for accounts with a till. */
  agents?: Omit<AccountLimits, 'agents'> | undefined
}

/** Returns an account's limits. With a till they are those for agents, if such are set. */
export const selectLimits = (
  limits: AccountLimits,
  { isAgent }: Pick<Undecided, 'isAgent'>,
): AccountLimits => (isAgent && limits.agents) || limits

/** Refuses a payment if its account has too many open ones. */
export function findExceededLimit(
  limits: AccountLimits,
  { accountOpenCount }: Usage,
): Refusal | undefined {
  const max = limits.openPayments
  return accountOpenCount >= max ? { kind: 'too_many_open', max } : undefined
}

/** Holds the gas price and the balance of the relayer's key. */
export type Funding = { gasPriceWei: bigint; balanceWei: bigint }

/** Limits the wait in the queue to this share of a request's lifetime: failures need the rest. */
const maxQueueShare = 1 / 4
/** Sets which share of the nonces that a block could take it is expected to take. */
const expectedNonceShare = 1 / 2
/** Sets to a multiple of how many minutes the shown wait is rounded up. */
const minutesStep = 10

/** Returns how many payments may be open, which the key must afford, and how many may wait. */
export function findCapacity(
  terms: Terms,
  { gasPriceWei, balanceWei }: Funding,
): Omit<Capacity, 'accountOpenCount'> {
  const open = toSafeNumber(balanceWei / computeHighestCostWei(terms, gasPriceWei))
  return { open, waiting: computeMaxWaiting(terms) }
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
function computeMaxWaiting({ rules }: Terms): number {
  const blockCount = (requestLifetimeSeconds * 1_000 * maxQueueShare) / rules.blockMs
  return Math.max(1, Math.floor(blockCount * countPaymentsInBlock(rules)))
}

/** Returns how many payments a block is expected to take. */
const countPaymentsInBlock = ({ maxInFlight, maxInBatch }: PoolRules): number =>
  maxInFlight * maxInBatch * expectedNonceShare

/** Tells whether the queue is so long that one more payment might expire in it. */
export const isCrowded = (terms: Terms, { waiting }: Pick<Usage, 'waiting'>): boolean =>
  waiting >= computeMaxWaiting(terms)

/** Returns why no further payment can be taken now, or undefined if one can. */
export function findObstacle(terms: Terms, funding: Funding, usage: Usage): Refusal | undefined {
  if (funding.gasPriceWei > terms.fees.maxWei) return { kind: 'price_too_high' }
  const capacity = findCapacity(terms, funding)
  if (usage.carried + usage.waiting >= capacity.open) return { kind: 'relayer_poor' }
  if (!isCrowded(terms, usage)) return undefined
  const queueMinutes = estimateMinutes(getPace(terms.rules), usage.waiting)
  const minutes = Math.ceil(queueMinutes / minutesStep) * minutesStep
  return { kind: 'crowded', minutes }
}

export const getPace = (rules: PoolRules): Pace => ({
  paymentsInBlock: countPaymentsInBlock(rules),
  blockMs: rules.blockMs,
})
