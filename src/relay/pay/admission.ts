import type { PoolRules } from '../../chain/chains.ts'
import { replacementPriceUp } from '../fees.ts'
import { minutesUntil } from '../ledger/acceptance.ts'
import type { DayLimits, Load, Pace, Room } from '../ledger/port.ts'
import type { Refusal } from '../refusal.ts'
import {
  executeGas,
  gasPriceFor,
  mostInnerGas,
  requestLifetimeSeconds,
  type Terms,
} from '../relayer.ts'

/** What one account may have carried. */
export type AccountLimits = DayLimits & {
  /** Payments whose outcome is not known yet, at a time. */
  openPayments: number
}

/** Whether one payment more would be too many open ones. */
export function openLimit(limits: AccountLimits, { ofAccount }: Load): Refusal | undefined {
  const most = limits.openPayments
  return ofAccount >= most ? { kind: 'too_many_open', most } : undefined
}

/** What a payment costs, and what there is for it. */
export type Funding = {
  gasPriceWei: bigint
  /** Of the relayer's key. */
  balanceWei: bigint
}

/** Which part of a request's lifetime the queue may take: what is admitted has time left for what goes wrong. */
const shareOfLifetime = 1 / 4
/** And of what all nonces carry in that time; blocks take less than they could. */
const shareOfNonces = 1 / 2
const minutesAreTens = 10

/**
 * The most that may be open and may wait, with one payment more. The key has to pay for all that is
 * open at the highest price that it may come to: outbid as often as may be, up to the operator's limit.
 */
export function roomFor(
  terms: Terms,
  { gasPriceWei, balanceWei }: Funding,
): Omit<Room, 'ofAccount'> {
  const most = balanceWei / highestCostWei(terms, gasPriceWei)
  const open = most > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(most)
  return { open, waiting: mostWaiting(terms) }
}

/** What a payment's gas costs at the highest price that it may come to, in wei: outbid as often as may be. */
export function highestCostWei(terms: Terms, gasPriceWei: bigint): bigint {
  const { rules, fees } = terms
  let highestWei = gasPriceFor(terms, gasPriceWei, undefined) ?? fees.maxWei
  for (let time = 0; time < rules.maxReplacements; time++) {
    highestWei = replacementPriceUp(highestWei, rules.replacementPercent)
  }
  if (highestWei > fees.maxWei) highestWei = fees.maxWei
  return BigInt(mostInnerGas + executeGas) * (highestWei > 0n ? highestWei : 1n)
}

/** Payments that may wait: those of the blocks of a quarter of a request's lifetime. */
function mostWaiting({ rules }: Terms): number {
  const blocks = (requestLifetimeSeconds * 1_000 * shareOfLifetime) / rules.blockMs
  return Math.max(1, Math.floor(blocks * paymentsInBlock(rules)))
}

/** How many payments a block takes, to be counted on. */
const paymentsInBlock = ({ maxInFlight, maxInBatch }: PoolRules): number =>
  maxInFlight * maxInBatch * shareOfNonces

/** Whether so many wait that one more would come too late. */
export const isCrowded = (terms: Terms, { waiting }: Pick<Load, 'waiting'>): boolean =>
  waiting >= mostWaiting(terms)

/** What stands in the way of one payment more; undefined where it can be carried. */
export function obstacleFor(terms: Terms, means: Funding, load: Load): Refusal | undefined {
  if (means.gasPriceWei > terms.fees.maxWei) return { kind: 'price_too_high' }
  const room = roomFor(terms, means)
  if (load.carried + load.waiting >= room.open) return { kind: 'relayer_poor' }
  if (!isCrowded(terms, load)) return undefined
  const queueMinutes = minutesUntil(paceOf(terms.rules), load.waiting)
  const minutes = Math.ceil(queueMinutes / minutesAreTens) * minutesAreTens
  return { kind: 'crowded', minutes }
}

export const paceOf = (rules: PoolRules): Pace => ({
  paymentsInBlock: paymentsInBlock(rules),
  blockMs: rules.blockMs,
})
