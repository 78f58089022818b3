import type { Address } from 'viem'
import type { Draft } from '../draft.ts'
import { noLimit } from '../payments/account-totals.ts'
import type { Taking, Takings, Till, TillChange } from '../port.ts'
import type { Row } from '../rows.ts'
import { hasSentNothing, listSentSince } from './earlier.ts'
import { note } from './operations.ts'

const dayMs = 24 * 60 * 60 * 1000
const restMs = 90 * dayMs

/** Assigns a free number to an account or removes one, and records that. */
export function setTill(rows: Draft, { id, till, to }: TillChange): Till | undefined {
  const known = rows.row('tills', till)
  const isFree = known === undefined || rows.now - (known.removed_at ?? rows.now) > restMs
  if (to !== undefined && isFree) {
    rows.put('tills', { till, ...to, added_at: rows.now, removed_at: null })
    note(rows, { id, action: 'add-agent', detail: { till, account: to.account } })
  }
  if (to === undefined && known?.removed_at === null) {
    rows.put('tills', { ...known, removed_at: rows.now })
    note(rows, { id, action: 'remove-agent', detail: { till, account: known.account } })
  }
  return findTill(rows, till)
}

const toTills = (found: readonly Row<'tills'>[]): Till[] =>
  found
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
  const own = { table: 'takings', list: 'account', group: account, newest: true } as const
  const received = rows
    .list({ ...own, from: midnight, limit: noLimit })
    .flatMap(findPaymentIn(rows))
  const final = received.filter(({ payment }) => payment.state === 'confirmed')
  const sent = listSentSince(rows, account, midnight).filter((row) => !hasSentNothing(row))
  const sum = (spent: readonly { spends: string }[]) =>
    spent.reduce((wei, { spends }) => wei + BigInt(spends), 0n)
  return {
    inWei: sum(final.map(({ payment }) => payment)),
    outWei: sum(sent),
    last: rows
      .list({ ...own, limit })
      .flatMap(findPaymentIn(rows))
      .map(toTaking),
  }
}

type Paid = { payment: Row<'payments'>; reference: string | null }

/** Returns the payment of a taking; an empty list if its row is lost. */
const findPaymentIn =
  (rows: Draft) =>
  ({ session, reference }: Row<'takings'>): Paid[] => {
    const payment = rows.row('payments', session)
    return payment === undefined ? [] : [{ payment, reference }]
  }

const toTaking = ({ payment, reference }: Paid): Taking => ({
  intentId: payment.intent_id,
  amountWei: BigInt(payment.spends),
  state: payment.state,
  reference: reference ?? undefined,
})
