import type { Ledger, Load, Order } from '../ledger/port.ts'

/** What one account may have carried. Undefined: as much as it likes. */
export type AccountLimits = {
  /** Payments whose outcome is not known yet, at a time. */
  openPayments: number
  /** Transfers and cash-outs in any 24 hours. */
  transfersADay: number | undefined
  /** What those transfers may come to, in wei. */
  sentADayWei: bigint | undefined
}

/** An account has had what it may have. */
export type OverLimit =
  | { kind: 'too_many_open'; most: number }
  | { kind: 'too_many_today'; most: number }
  | { kind: 'too_much_today'; leftWei: bigint }

const dayMs = 24 * 60 * 60 * 1000

/** What payments are called by which money leaves an account for another, or for outside. */
const sending: readonly string[] = ['Transfer', 'Cash-out']

/** More than any account makes in a day where only the amount is limited. */
const mostInADay = 1_000

/** Whether one payment more would be too many open ones. */
export function openLimit(limits: AccountLimits, { ofAccount }: Load): OverLimit | undefined {
  const most = limits.openPayments
  return ofAccount >= most ? { kind: 'too_many_open', most } : undefined
}

/** Whether what an account sent lately decides: then a claim is held to the view that it was judged on. */
export const hasDayLimit = ({ transfersADay, sentADayWei }: AccountLimits): boolean =>
  transfersADay !== undefined || sentADayWei !== undefined

/**
 * Whether one payment more that sends money would be too many of a day, or too much. What failed or
 * expired has sent nothing, and still was one.
 */
export async function dayLimit(
  limits: AccountLimits,
  ledger: Pick<Ledger, 'payments'>,
  { request, label, spendsWei }: Order,
): Promise<OverLimit | undefined> {
  if (!hasDayLimit(limits) || !sending.includes(label)) return undefined
  const { transfersADay, sentADayWei } = limits
  const latest = await ledger.payments(request.from, mostInADay, dayMs)
  const today = latest.filter(({ order }) => sending.includes(order.label))
  if (transfersADay !== undefined && today.length >= transfersADay) {
    return { kind: 'too_many_today', most: transfersADay }
  }
  if (sentADayWei === undefined) return undefined
  const sentWei = today
    .filter(({ state }) => state !== 'reverted' && state !== 'expired')
    .reduce((sum, { order }) => sum + order.spendsWei, 0n)
  const leftWei = sentADayWei > sentWei ? sentADayWei - sentWei : 0n
  return spendsWei > leftWei ? { kind: 'too_much_today', leftWei } : undefined
}
