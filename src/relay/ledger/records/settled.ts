import { getCallKind } from '../../../loan/kinds.ts'
import type { Draft, StepContext } from '../draft.ts'
import { type Payment, readBackedWei } from '../payments/payment-states.ts'
import { listOpenPayments, readAccountTotals } from '../payments/totals.ts'
import type { Row } from '../rows.ts'
import { isOutcomeUnknown } from '../transitions.ts'
import type { Order } from '../values.ts'
import { readObservations } from './chain.ts'
import { listPaymentsSince } from './earlier.ts'
import { listMissing, mayMissSigned } from './possible-loss.ts'

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

/** Sets for how long nothing is assured after an outcome that nothing proves. */
const unprovedMs = 60 * 60 * 1000

/**
 * Tells whether a payment may be assured by a block, if it is not yet: a transfer that may wait for
 * another block. One that was final at once has its longer request in the first one's place.
 */
export function mayBeAssured(
  { order: { kind, lasting, request }, assuredAt, isBacked }: Assurable,
  now: number,
): boolean {
  const { deadline = 0 } = (isBacked ? request : lasting) ?? {}
  const isDue = assuredAt === undefined || isBacked
  return isDue && getCallKind(kind) === 'transfer' && deadline * 1_000 - now >= minLeftMs
}

type Assurable = Pick<Payment, 'assuredAt' | 'isBacked'> & {
  order: Pick<Order, 'kind' | 'lasting' | 'request'>
}

/**
 * Tells whether the ledger can assure anything now: what it signs outlives a loss of rows, it knows
 * all that it signed, and no outcome that nothing proves may be counted in the wrong block.
 */
export function isSure(step: StepContext): boolean {
  const { rows, rules } = step
  const { unproved } = readObservations(step)
  const isUnproved = unproved !== undefined && rows.now - unproved.at < unprovedMs
  return !(isUnproved || rules.canLoseTail || mayMissSigned(rows) || listMissing(rows).length > 0)
}

/** Tells whether a payment that is about to begin may be final at once: the operator backs it. */
export function mayBeBacked(
  step: StepContext,
  { account, order, backing }: { account: string; order: Order; backing?: Backing | undefined },
): boolean {
  if (backing === undefined || order.spendsWei === 0n || !isSure(step)) return false
  const { settled, limitWei } = backing
  const isLasting = mayBeAssured({ order, assuredAt: undefined, isBacked: false }, step.rows.now)
  const hasRoom = readBackedWei(step.rows) + order.spendsWei <= limitWei
  return isLasting && hasRoom && isCovered(step.rows, account, settled, order)
}

/** Says by what a payment may be final at once, and how much the operator backs in all. */
export type Backing = { settled: SettledBalance; limitWei: bigint }

/** Returns what a payment takes at most; undefined if only the chain can tell. */
export function getDebit({
  kind,
  spendsWei,
}: Pick<Order, 'kind' | 'spendsWei'>): bigint | undefined {
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
  // What a missing row may take is not known.
  if (rows.missing.size > 0) return undefined
  return [...open, ...above].map(getRowDebit).reduce<bigint | undefined>(addDebit, 0n)
}

const addDebit = (sum: bigint | undefined, debit: bigint | undefined): bigint | undefined =>
  sum === undefined || debit === undefined ? undefined : sum + debit

/** Tells whether a settled balance covers all that payments may take, and what is to begin. */
export function isCovered(
  rows: Draft,
  account: string,
  settled: SettledBalance,
  begins?: Pick<Order, 'kind' | 'spendsWei'>,
): boolean {
  const others = sumDebitsAbove(rows, account, settled.block)
  const debits = addDebit(others, begins === undefined ? 0n : getDebit(begins))
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

/**
 * Tells whether one more payment could take what assured payments of the account rely on. While
 * rows may be lost, nobody knows what these took.
 */
export function endangersAssured(
  rows: Draft,
  account: string,
  order: Pick<Order, 'kind' | 'spendsWei'>,
): boolean {
  const settled = findAssuring(rows, account)
  if (settled === undefined || getDebit(order) === 0n) return false
  return mayMissSigned(rows) || !isCovered(rows, account, settled, order)
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
  const others = before?.sessions.filter((other) => other !== session) ?? []
  const sessions = [...others, session]
  const settled = { block: newest.block, wei: `${newest.wei}`, sessions }
  rows.put('accounts', { ...readAccountTotals(rows, account), settled })
}
