import { paymentKinds } from '../../../loan/kinds.ts'
import type { Draft } from '../draft.ts'
import { noLimit } from '../payments/account-totals.ts'
import type { DayLimits, Order, OverDay, PaymentCall, Question } from '../port.ts'
import type { Row } from '../rows.ts'
import { recall, rememberFirst } from './first-values.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Limits the age of a payment for which an equal one is questioned. */
const equalMs = 10 * 60 * 1000

/** Returns an account's payments since a time (Unix time in ms), the newest first. */
const listPaidSince = (rows: Draft, account: string, from: number): Row<'payments'>[] =>
  rows.list({
    ...({ table: 'payments', list: 'account', group: account, newest: true } as const),
    ...{ from, limit: noLimit },
  })

/** Returns those payments that count toward a day's limits. */
export const listSentSince = (rows: Draft, account: string, from: number): Row<'payments'>[] =>
  listPaidSince(rows, account, from).filter((row) => paymentKinds[row.kind].countsAsSent)

export const hasSentNothing = ({ state }: Row<'payments'>): boolean =>
  state === 'reverted' || state === 'expired'

/** Sums up what counts toward a day's limits: failed payments count, but sent nothing. */
export function sumSentToday(rows: Draft, account: string): { transfers: number; sentWei: bigint } {
  const today = listSentSince(rows, account, rows.now - dayMs + 1)
  const sentWei = today
    .filter((row) => !hasSentNothing(row))
    .reduce((sum, { spends }) => sum + BigInt(spends), 0n)
  return { transfers: today.length, sentWei }
}

/** Returns the refusal if one more payment exceeds a day's limits. */
export function findDayLimit(
  rows: Draft,
  account: string,
  { transfersADay, sentADayWei }: DayLimits,
  { kind, spendsWei }: Pick<Order, 'kind' | 'spendsWei'>,
): OverDay | undefined {
  const isLimited = transfersADay !== undefined || sentADayWei !== undefined
  if (!isLimited || !paymentKinds[kind].countsAsSent) return undefined
  const { transfers, sentWei } = sumSentToday(rows, account)
  if (transfersADay !== undefined && transfers >= transfersADay) {
    return { kind: 'too_many_today', max: transfersADay }
  }
  if (sentADayWei === undefined) return undefined
  const leftWei = sentADayWei > sentWei ? sentADayWei - sentWei : 0n
  return spendsWei > leftWei ? { kind: 'too_much_today', leftWei } : undefined
}

/** Returns how many minutes ago, within 10, an equal call was made; the first answer is stored. */
export function findMinutesSinceEqual(
  rows: Draft,
  question: Question,
  call: PaymentCall | undefined,
): number | undefined {
  const known = recall(rows, question, 'equal')
  if (known !== undefined) return Number(known)
  if (call === undefined) return undefined
  const equal = listPaidSince(rows, question.account, rows.now - equalMs + 1).find(
    (row) => !hasSentNothing(row) && row.request.data === call.data,
  )
  if (equal === undefined) return undefined
  const minutes = Math.floor((rows.now - equal.accepted_at) / 60_000)
  rememberFirst(rows, { ...question, name: 'equal', value: `${minutes}` }, undefined)
  return minutes
}
