import { getCallKind } from '../../../loan/kinds.ts'
import type { Draft } from '../draft.ts'
import { listOpenPayments, readAccountTotals } from '../payments/account-totals.ts'
import type { Payment } from '../payments/payment-states.ts'
import type { Row } from '../rows.ts'
import { isOutcomeUnknown } from '../transitions.ts'
import type { Order } from '../values.ts'
import { listPaymentsSince } from './earlier.ts'

/**
 * Says what an account has in a block that is final: whatever becomes of the blocks above, its
 * payments there cannot fail as long as all of them together take no more.
 */
export type SettledBalance = { block: number; wei: bigint }

type PaymentRow = Row<'payments'>

/**
 * Reaches back to each payment that a block may hold above the balance's own: a request waits for a
 * day at most, and so does what the balance assures; two hours more are for clocks.
 */
const maxWaitMs = 50 * 60 * 60 * 1000

/** Limits the payments that are counted; an account with more in a day is not judged. */
const maxCounted = 200

/** Sets how much of a request's life has to be left, so that its block may be lost. */
const minLeftMs = 12 * 60 * 60 * 1000

/** Tells whether a payment may be assured at all: a transfer that may wait for another block. */
export function mayBeAssured({ order: { kind, lasting } }: Pick<Payment, 'order'>, now: number) {
  const leftMs = (lasting?.deadline ?? 0) * 1_000 - now
  return getCallKind(kind) === 'transfer' && leftMs >= minLeftMs
}

/** Returns what a payment takes at most; undefined if only the chain can tell. */
function getDebit({ kind, spendsWei }: Pick<Order, 'kind' | 'spendsWei'>): bigint | undefined {
  return getCallKind(kind) === 'repayment' && spendsWei === 0n ? undefined : spendsWei
}

const getRowDebit = ({ kind, spends, executed }: PaymentRow): bigint | undefined =>
  // After lost rows the session may take either amount.
  executed ? undefined : getDebit({ kind, spendsWei: BigInt(spends) })

/**
 * Sums up all that an account's payments took above a block, or may still take: a failed one may
 * succeed in another block, and the block of one that is not final yet is not proved. Undefined if
 * it cannot be known.
 */
function sumDebitsAbove(rows: Draft, account: string, block: number): bigint | undefined {
  const recent = listPaymentsSince(rows, account, rows.now - maxWaitMs, maxCounted)
  if (recent.length === maxCounted) return undefined
  const above = recent.filter(
    ({ state, block_number: number }) =>
      !isOutcomeUnknown(state) && (state === 'mined' || (number ?? -1) > block),
  )
  const open = listOpenPayments(rows, readAccountTotals(rows, account))
  return [...open, ...above].map(getRowDebit).reduce<bigint | undefined>(addDebit, 0n)
}

const addDebit = (sum: bigint | undefined, debit: bigint | undefined): bigint | undefined =>
  sum === undefined || debit === undefined ? undefined : sum + debit

/** Tells whether a settled balance covers all that the account's payments may take. */
export function isCovered(rows: Draft, account: string, settled: SettledBalance): boolean {
  const debits = sumDebitsAbove(rows, account, settled.block)
  return debits !== undefined && debits <= settled.wei
}

/** Returns an account's assured payments that no final block holds, with what they rely on. */
function findAssuring(rows: Draft, account: string) {
  const { settled } = readAccountTotals(rows, account)
  const sessions = (settled?.sessions ?? []).filter((session) => {
    const payment = rows.row('payments', session)
    return payment?.state === 'mined' || (payment && isOutcomeUnknown(payment.state))
  })
  return settled && sessions.length > 0
    ? { block: settled.block, wei: BigInt(settled.wei), sessions }
    : undefined
}

/** Tells whether any payment of an account is assured that no final block holds yet. */
export const hasAssured = (rows: Draft, account: string): boolean =>
  findAssuring(rows, account) !== undefined

/** Tells whether one more payment could take what assured payments of the account rely on. */
export function endangersAssured(
  rows: Draft,
  account: string,
  order: Pick<Order, 'kind' | 'spendsWei'>,
): boolean {
  const settled = findAssuring(rows, account)
  if (settled === undefined || getDebit(order) === 0n) return false
  const debits = addDebit(sumDebitsAbove(rows, account, settled.block), getDebit(order))
  return debits === undefined || debits > settled.wei
}

/**
 * Records by which balance a payment is assured. Those that were assured before are so by the
 * newest balance, which covers all that its block does not hold.
 */
export function saveAssuring(
  rows: Draft,
  { account, session }: PaymentRow,
  { block, wei }: SettledBalance,
): void {
  const before = findAssuring(rows, account)
  const newest = before && before.block > block ? before : { block, wei }
  const sessions = [...(before?.sessions ?? []), session]
  const settled = { block: newest.block, wei: `${newest.wei}`, sessions }
  rows.put('accounts', { ...readAccountTotals(rows, account), settled })
}
