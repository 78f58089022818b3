import type { Address, Hex } from 'viem'
import { getProgress } from '../../progress.ts'
import type { Draft } from '../draft.ts'
import { findSessions } from '../payments/clues.ts'
import { isToOther } from '../payments/executed.ts'
import type { Taking, Takings, Till, TillChange, Withdrawal } from '../port.ts'
import { noLimit, type Row } from '../rows.ts'
import { hasSentNothing, listSentSince } from './earlier.ts'
import { recordAction } from './operations.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Sets how long a removed number stays unused, because callers may still dial it. */
const unusedMs = 90 * dayMs

/** Assigns a free number to an account or removes one, and records the action. */
export function setTill(rows: Draft, { id, till, to }: TillChange): Till | undefined {
  const before = rows.row('tills', till)
  const isFree = before === undefined || rows.now - (before.removed_at ?? rows.now) > unusedMs
  if (to !== undefined && isFree) {
    rows.put('tills', { till, ...to, added_at: rows.now, removed_at: null })
    recordAction(rows, { id, action: 'add-agent', detail: { till, account: to.account } })
  }
  if (to === undefined && before?.removed_at === null) {
    rows.put('tills', { ...before, removed_at: rows.now })
    recordAction(rows, { id, action: 'remove-agent', detail: { till, account: before.account } })
  }
  return findTill(rows, till)
}

const toTills = (tills: readonly Row<'tills'>[]): Till[] =>
  tills
    .filter(({ removed_at }) => removed_at === null)
    .map(({ till, account, name, kind }) => ({ till, account: account as Address, name, kind }))

export function findTill(rows: Draft, number: string): Till | undefined {
  const row = rows.row('tills', number)
  return row && toTills([row])[0]
}

export const listTills = (rows: Draft): Till[] =>
  toTills(rows.list({ table: 'tills', list: 'age', limit: noLimit }))

export const listAccountTills = (rows: Draft, account: string): Till[] =>
  toTills(rows.list({ table: 'tills', list: 'account', group: account, limit: noLimit }))

/** Returns what an account with a till received, and its sums of the day (UTC). */
export function listTakings(rows: Draft, account: Address, limit: number): Takings | undefined {
  if (listAccountTills(rows, account).length === 0) return undefined
  const midnight = rows.now - (rows.now % dayMs)
  const takings = { table: 'takings', list: 'account', group: account, newest: true } as const
  const received = rows
    .list({ ...takings, from: midnight, limit: noLimit })
    .flatMap(findPaymentIn(rows))
  const confirmed = received.filter(({ payment }) => getProgress(payment.state) === 'done')
  const sent = listSentSince(rows, account, midnight).filter((row) => !hasSentNothing(row))
  const sum = (payments: readonly { spends: string }[]) =>
    payments.reduce((wei, { spends }) => wei + BigInt(spends), 0n)
  return {
    inWei: sum(confirmed.map(({ payment }) => payment)),
    outWei: sum(sent),
    last: rows
      .list({ ...takings, limit })
      .flatMap(findPaymentIn(rows))
      .map(toTaking),
  }
}

type Paid = { payment: Row<'payments'>; taking: Row<'takings'> }

/** Returns a function from a taking to its payment; to an empty list if it is lost or to others. */
const findPaymentIn =
  (rows: Draft) =>
  (taking: Row<'takings'>): Paid[] => {
    const payment = rows.row('payments', taking.session)
    return payment === undefined || isToOther(payment) ? [] : [{ payment, taking }]
  }

const toTaking = ({ payment, taking }: Paid): Taking => ({
  intentId: payment.intent_id,
  amountWei: BigInt(payment.spends),
  state: payment.state,
  reference: taking.reference ?? undefined,
  paidOut: taking.paid_out,
})

/** Finds the withdrawals of a code at an account's till, the newest first. */
export const findWithdrawals = (rows: Draft, account: Address, code: string): Withdrawal[] =>
  findSessions(rows, code, noLimit)
    .flatMap((session) => findPaidCash(rows, account, session))
    .filter(({ taking }) => taking.code === code)
    .map(toTaking)

/** Records that a session paid out a withdrawal, if it is done and was not paid out before. */
export function payOut(
  rows: Draft,
  account: Address,
  intentId: Hex,
  by: string,
): Withdrawal | undefined {
  const session = rows.row('intents', intentId)?.session ?? ''
  const [paid] = findPaidCash(rows, account, session)
  if (paid === undefined || !isPayable(toTaking(paid))) return paid && toTaking(paid)
  const taking = { ...paid.taking, paid_out: { at: rows.now, by } }
  rows.put('takings', taking)
  return toTaking({ ...paid, taking })
}

/** Tells whether cash may be paid out for a withdrawal: it is done, and was not paid out before. */
export const isPayable = ({ state, paidOut }: Withdrawal): boolean =>
  paidOut === undefined && getProgress(state) === 'done'

/** Finds a withdrawal at an account's till. Goods and bills are paid for no cash. */
function findPaidCash(rows: Draft, account: Address, session: string): Paid[] {
  const taking = rows.row('takings', session)
  if (taking?.account !== account) return []
  return findPaymentIn(rows)(taking).filter(({ payment }) => payment.kind === 'withdrawal')
}
