import type { Address } from 'viem'
import { getProgress } from '../../progress.ts'
import type { Draft } from '../draft.ts'
import { isToOther } from '../payments/executed.ts'
import type { Taking, Takings, Till, TillChange } from '../port.ts'
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

type Paid = { payment: Row<'payments'>; reference: string | null }

/** Returns a function from a taking to its payment; to an empty list if it is lost or to others. */
const findPaymentIn =
  (rows: Draft) =>
  ({ session, reference }: Row<'takings'>): Paid[] => {
    const payment = rows.row('payments', session)
    return payment === undefined || isToOther(payment) ? [] : [{ payment, reference }]
  }

const toTaking = ({ payment, reference }: Paid): Taking => ({
  intentId: payment.intent_id,
  amountWei: BigInt(payment.spends),
  state: payment.state,
  reference: reference ?? undefined,
})
