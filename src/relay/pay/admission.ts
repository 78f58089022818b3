import type { PoolRules } from '../../chain/chains.ts'
import { computeReplacementPrice } from '../fees.ts'
import { estimateMinutes } from '../ledger/acceptance.ts'
import type { Capacity, DayLimits, Pace, Undecided, Usage } from '../ledger/port.ts'
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
  /** Limits payments whose outcome is not known yet. */
  openPayments: number
  /** Replaces the other limits for accounts with a till. */
  agents?: Omit<AccountLimits, 'agents'> | undefined
}

/** Returns an account's limits: those for agents if such are set and it has a till. */
export const selectLimits = (
  limits: AccountLimits,
  { isAgent }: Pick<Undecided, 'isAgent'>,
): AccountLimits => (isAgent && limits.agents) || limits

/** Refuses a payment if its account has too many open ones. */
export function findExceededLimit(
  limits: AccountLimits,
  { ofAccount }: Usage,
): Refusal | undefined {
  const max = limits.openPayments
  return ofAccount >= max ? { kind: 'too_many_open', max } : undefined
}

/** Holds the gas price and the balance of the relayer's key. */
export type Funding = {
  gasPriceWei: bigint
  balanceWei: bigint
}

/** Limits the queue to this share of a request's lifetime; the rest is kept for failures. */
const shareOfLifetime = 1 / 4
/** Expects blocks to take this share of the nonces that they could take. */
const shareOfNonces = 1 / 2
const minutesStep = 10

/**
 * Returns how many payments may be open and queued: the key must afford all at the highest price.
 */
export function findCapacity(
  terms: Terms,
  { gasPriceWei, balanceWei }: Funding,
): Omit<Capacity, 'ofAccount'> {
  const open = toCount(balanceWei / computeHighestCostWei(terms, gasPriceWei))
  return { open, waiting: computeMaxWaiting(terms) }
}

/** Returns the most that a payment's gas may cost in wei, with all allowed replacements. */
export function computeHighestCostWei(terms: Terms, gasPriceWei: bigint): bigint {
  const { rules, fees } = terms
  let highestWei = computeGasPrice(terms, gasPriceWei, undefined) ?? fees.maxWei
  for (let time = 0; time < rules.maxReplacements; time++) {
    highestWei = computeReplacementPrice(highestWei, rules.replacementPercent)
  }
  if (highestWei > fees.maxWei) highestWei = fees.maxWei
  return BigInt(maxInnerGas + executeGas) * (highestWei > 0n ? highestWei : 1n)
}

/** Returns the wei that this many payments, one after another, need at the current gas price. */
export function computeFundsWei(terms: Terms, gasPriceWei: bigint, payments: bigint): bigint {
  return (
    computeHighestCostWei(terms, gasPriceWei) +
    (payments - 1n) * computeUsualCostWei(terms, gasPriceWei)
  )
}

/** Counts the payments that a balance covers at this price; the last may need its highest cost. */
export function countPayments(terms: Terms, { gasPriceWei, balanceWei }: Funding): number {
  const spareWei = balanceWei - computeHighestCostWei(terms, gasPriceWei)
  if (spareWei < 0n) return 0
  return toCount(spareWei / computeUsualCostWei(terms, gasPriceWei) + 1n)
}

function computeUsualCostWei(terms: Terms, gasPriceWei: bigint): bigint {
  const priceWei = computeGasPrice(terms, gasPriceWei, undefined) ?? terms.fees.maxWei
  return BigInt(maxUsedGas) * (priceWei > 0n ? priceWei : 1n)
}

function toCount(max: bigint): number {
  return max > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(max)
}

/** Returns how many payments blocks can take in a quarter of a request's lifetime. */
function computeMaxWaiting({ rules }: Terms): number {
  const blocks = (requestLifetimeSeconds * 1_000 * shareOfLifetime) / rules.blockMs
  return Math.max(1, Math.floor(blocks * countPaymentsInBlock(rules)))
}

/** Returns how many payments a block is expected to take. */
const countPaymentsInBlock = ({ maxInFlight, maxInBatch }: PoolRules): number =>
  maxInFlight * maxInBatch * shareOfNonces

/** Tells whether the queue is so long that one more payment would come too late. */
export const isCrowded = (terms: Terms, { waiting }: Pick<Usage, 'waiting'>): boolean =>
  waiting >= computeMaxWaiting(terms)

/** Returns why no further payment can be taken now, if so. */
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
