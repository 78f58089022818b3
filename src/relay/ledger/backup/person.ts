import type { Hex } from 'viem'
import type { Draft, StepContext } from '../draft.ts'
import { listOpenPayments, noLimit, readAccount, saveAccount } from '../payments/account-totals.ts'
import { eraseNames, getPaymentRow } from '../payments/payment-states.ts'
import { giveUpSms } from '../payments/sms.ts'
import type { Erased, ErasureRequest, PersonPage, PersonQuery } from '../port.ts'
import { findLoan } from '../records/loans.ts'
import { readTrace, recordAction, toRecord } from '../records/operations.ts'
import { isHeld, readSessionTrace } from '../records/standing.ts'
import { listAccountTills } from '../records/tills.ts'
import { getTable, type Row } from '../rows.ts'
import { isOutcomeUnknown } from '../transitions.ts'
import { readListPage } from './export.ts'

/** Limits the rows of all accounts that one page searches. */
const searched = 500

const nothing = {
  ...{ payments: [], archived: [], sessions: [], audit: [], references: [], tills: [] },
  loan: undefined,
}

/** Returns a page of what the ledger has of an account, full payments first. */
export function readPersonPage(
  step: StepContext,
  { account, contract, place }: PersonQuery,
): PersonPage {
  const { rows } = step
  const { part, from } = place
  const follows = (next: number | undefined) =>
    next === undefined ? { part: part + 1, from: 0 } : { part, from: next }
  switch (part) {
    case 0: {
      const paid = listPayments(rows, account)
      return {
        ...nothing,
        payments: paid.flatMap((row) => readTrace(step, row.intent_id) ?? []),
        references: paid.flatMap(({ session, intent_id }) =>
          toReference(intent_id, rows.row('takings', session)?.reference),
        ),
        tills: listAccountTills(rows, account),
        loan: findLoan(rows, contract, account),
        next: follows(undefined),
      }
    }
    case 1: {
      const { found, next } = search(rows, 'sessions', from, (row) => row.account === account)
      const sessions = found
        .filter(({ session }) => getPaymentRow(rows, session) === undefined)
        .flatMap(({ session }) => readSessionTrace(rows, session) ?? [])
      return { ...nothing, sessions, next: follows(next) }
    }
    case 2: {
      const { found, next } = search(rows, 'history', from, (row) => row.account === account)
      const references = found.flatMap((row) => toReference(row.intent_id, row.reference))
      return { ...nothing, archived: found.map(toRecord), references, next: follows(next) }
    }
    default: {
      const { found, next } = search(
        rows,
        'audit',
        from,
        ({ detail }) => detail.account === account,
      )
      return { ...nothing, audit: found, next: next === undefined ? undefined : follows(next) }
    }
  }
}

/**
 * Deletes what is stored about an account and guards nothing. Sessions and payments stay as long as
 * usual, so that a redelivery is answered and not paid again; then the history has them without a
 * name.
 */
export function eraseAccount(
  { rows, rules }: StepContext,
  { id, from, ...erasing }: ErasureRequest,
): Erased {
  const { account, contract } = erasing
  const { found, next } = search(rows, 'history', from, (row) => row.account === account)
  const payments = listPayments(rows, account)
  const sums = readAccount(rows, account)
  recordAction(rows, { id, action: 'erase', detail: { account } })
  for (const row of found) rows.put('history', eraseNames(row))
  if (payments.length > 0) saveAccount(rows, { ...sums, erased_at: rows.now })
  const settled = payments.filter(({ state }) => !isOutcomeUnknown(state))
  const messages = settled.filter(({ session }) => giveUpSms(rows, session)).length
  const refusals = rows.row('refusals', account)?.last.length ?? 0
  rows.drop('refusals', account)
  const loan = findLoan(rows, contract, account)
  const isOwed = loan !== undefined && loan.owedWei > 0n
  if (!isOwed) rows.drop('loans', contract.toLowerCase(), account)
  const open = listOpenPayments(rows, sums).length
  if (!isOwed && open === 0) rows.drop('reminders', account)
  const isLoanGone = loan !== undefined && !isOwed
  return {
    gone: { archived: found.length, messages, refusals, loans: isLoanGone ? 1 : 0 },
    kept: {
      until: rows.now + rules.retentionMs,
      ...{ payments: payments.length, open, loans: isOwed ? 1 : 0 },
      holds: isHeld(rows, account) ? 1 : 0,
    },
    next,
  }
}

const listPayments = (rows: Draft, account: string): Row<'payments'>[] =>
  rows.list({ table: 'payments', list: 'account', group: account, limit: noLimit })

const toReference = (intentId: Hex, reference: string | null | undefined) =>
  reference ? [{ intentId, reference }] : []

/** Searches a page of a list of all accounts, by age. */
function search<Name extends 'sessions' | 'history' | 'audit'>(
  rows: Draft,
  table: Name,
  from: number,
  isWanted: (row: Row<Name>) => boolean,
): { found: Row<Name>[]; next: number | undefined } {
  const score = getTable(table).lists.age?.score ?? ''
  const { items, next } = readListPage(searched, (limit) =>
    rows.list<Name>({ table, list: 'age' as never, from, limit }).map((row) => ({
      ...{ row, score: Number((row as Readonly<Record<string, unknown>>)[score]) },
    })),
  )
  return { found: items.map(({ row }) => row).filter(isWanted), next }
}
