import * as z from 'zod/mini'
import { paymentKinds } from '../../../loan/kinds.ts'
import { localMoney } from '../../../loan/local-worth.ts'
import type { RefusalOf } from '../../refusal.ts'
import type { Draft } from '../draft.ts'
import { getAgreed, getRequest, paysSame } from '../payments/executed.ts'
import { noLimit, type Row } from '../rows.ts'
import type { Order, StepKey } from '../values.ts'
import { equalName, readFirstValue, saveFirstValue } from './first-values.ts'

/** Limits what an account sends in 24 hours, in payments and in wei; undefined without a limit. */
export type DayLimits = { transfersADay: number | undefined; sentADayWei: bigint | undefined }

/** Limits an account's payments; `openPayments` counts those whose outcome is not known yet. */
export type PaymentLimits = DayLimits & { openPayments: number }

/** Refuses a payment beyond the limits of a day. Nothing has changed. */
export type DayLimitRefusal = RefusalOf<'too_many_today' | 'too_much_today'>

/** Holds what is compared to find an equal payment: its call, or its payee and local money. */
export type PaymentCall = Pick<Order['request'], 'data'> & Pick<Order, 'agreed'>

const earlierPayment = z.object({ minutes: z.int(), local: z.optional(localMoney) })

/** Tells how long ago an equal payment was made, and what it was in local money. */
export type EarlierPayment = z.infer<typeof earlierPayment>

/** Parses a stored one; before 1.1 it was the minutes alone. */
const storedPayment = z.union([
  earlierPayment,
  z.pipe(
    z.int(),
    z.transform((minutes): EarlierPayment => ({ minutes })),
  ),
])

const dayMs = 24 * 60 * 60 * 1000

/** Limits how old a payment is for which an equal one is questioned. */
const maxEqualAgeMs = 10 * 60 * 1000

/** Rounds what a list begins with: a store that reads it again a moment later asks for the same. */
const listStepMs = 10 * 60 * 1000

/** Returns an account's last payments since a time (Unix time in ms), the newest first. */
export const listPaymentsSince = (
  rows: Draft,
  account: string,
  from: number,
  limit = noLimit,
): Row<'payments'>[] =>
  rows
    .list({
      ...({ table: 'payments', list: 'account', group: account } as const),
      newest: true,
      from: from - (from % listStepMs),
      limit,
    })
    .filter(({ accepted_at }) => accepted_at >= from)

export const listSentSince = (rows: Draft, account: string, from: number): Row<'payments'>[] =>
  listPaymentsSince(rows, account, from).filter((row) => paymentKinds[row.kind].countsAsSent)

export const hasSentNothing = ({ state }: Row<'payments'>): boolean =>
  state === 'reverted' || state === 'expired'

/** Sums up what was sent in the last 24 hours: failed payments count, but have sent nothing. */
export function sumSentInDay(rows: Draft, account: string): { transfers: number; sentWei: bigint } {
  const sent = listSentSince(rows, account, rows.now - dayMs + 1)
  const sentWei = sent
    .filter((row) => !hasSentNothing(row))
    .reduce((sum, { spends }) => sum + BigInt(spends), 0n)
  return { transfers: sent.length, sentWei }
}

export const hasDayLimit = ({ transfersADay, sentADayWei }: DayLimits): boolean =>
  transfersADay !== undefined || sentADayWei !== undefined

export function findDayLimit(
  rows: Draft,
  account: string,
  limits: DayLimits,
  { kind, spendsWei }: Pick<Order, 'kind' | 'spendsWei'>,
): DayLimitRefusal | undefined {
  const { transfersADay, sentADayWei } = limits
  if (!hasDayLimit(limits) || !paymentKinds[kind].countsAsSent) return undefined
  const { transfers, sentWei } = sumSentInDay(rows, account)
  if (transfersADay !== undefined && transfers >= transfersADay) {
    return { kind: 'too_many_today', max: transfersADay }
  }
  if (sentADayWei === undefined) return undefined
  const leftWei = sentADayWei > sentWei ? sentADayWei - sentWei : 0n
  return spendsWei > leftWei ? { kind: 'too_much_today', leftWei } : undefined
}

/** Returns the last equal payment, within 10 minutes. The first answer is stored. */
export function recordEarlier(rows: Draft, stepKey: StepKey, call: PaymentCall | undefined) {
  const stored = readFirstValue(rows, stepKey, equalName)
  if (stored !== undefined) return storedPayment.parse(JSON.parse(stored))
  if (call === undefined) return undefined
  const equal = listPaymentsSince(rows, stepKey.account, rows.now - maxEqualAgeMs + 1).find(
    (row) => !hasSentNothing(row) && isEqual(row, call),
  )
  if (equal === undefined) return undefined
  const minutes = Math.max(0, Math.floor((rows.now - equal.accepted_at) / 60_000))
  const earlier = earlierPayment.parse({ minutes, local: getAgreed(equal) })
  saveFirstValue(rows, { ...stepKey, name: equalName, value: JSON.stringify(earlier) }, undefined)
  return earlier
}

/** Tells whether a payment makes this call, or pays as much local money at whatever rate. */
function isEqual(row: Row<'payments'>, call: PaymentCall): boolean {
  const [request, agreed] = [getRequest(row), getAgreed(row)]
  if (request.data === call.data) return true
  if (agreed === undefined || agreed.currency !== call.agreed?.currency) return false
  return agreed.cents === call.agreed.cents && paysSame(request, call)
}
