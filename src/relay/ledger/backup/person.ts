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
import { readScoresPage } from './export.ts'

/** Sets the rows of all accounts that one page searches. */
const minSearchedRows = 500

const emptyPage = {
  payments: [],
  archived: [],
  sessions: [],
  audit: [],
  references: [],
  tills: [],
  loan: undefined,
}

/** Returns a page of what is stored about an account: payments first, then one list a part. */
export function readPersonPage(
  step: StepContext,
  { account, contract, place }: PersonQuery,
): PersonPage {
  const { rows } = step
  const { part, from } = place
  const getNextPlace = (score: number | undefined) =>
    score === undefined ? { part: part + 1, from: 0 } : { part, from: score }
  switch (part) {
    case 0: {
      const payments = listPayments(rows, account)
      return {
        ...emptyPage,
        payments: payments.flatMap((row) => readTrace(step, row.intent_id) ?? []),
        references: payments.flatMap(({ session, intent_id }) =>
          toReferences(intent_id, rows.row('takings', session)?.reference),
        ),
        tills: listAccountTills(rows, account),
        loan: findLoan(rows, contract, account),
        next: getNextPlace(undefined),
      }
    }
    case 1: {
      const { matches, next } = searchPage(rows, 'sessions', from, (row) => row.account === account)
      const sessions = matches
        .filter(({ session }) => getPaymentRow(rows, session) === undefined)
        .flatMap(({ session }) => readSessionTrace(rows, session) ?? [])
      return { ...emptyPage, sessions, next: getNextPlace(next) }
    }
    case 2: {
      const { matches, next } = searchPage(rows, 'history', from, (row) => row.account === account)
      const references = matches.flatMap((row) => toReferences(row.intent_id, row.reference))
      const archived = matches.map(toRecord)
      return { ...emptyPage, archived, references, next: getNextPlace(next) }
    }
    default: {
      const { matches, next } = searchPage(
        rows,
        'audit',
        from,
        ({ detail }) => detail.account === account,
      )
      return { ...emptyPage, audit: matches, next: next === undefined ? next : getNextPlace(next) }
    }
  }
}

/**
 * Deletes what is stored about an account, but for what protects money. Sessions and payments stay
 * as long as usual, so that a redelivery is answered and not paid again. After that the history has
 * the payments without a name.
 */
export function eraseAccount(
  { rows, rules }: StepContext,
  { id, from, ...erasing }: ErasureRequest,
): Erased {
  const { account, contract } = erasing
  const { matches, next } = searchPage(rows, 'history', from, (row) => row.account === account)
  const payments = listPayments(rows, account)
  const totals = readAccount(rows, account)
  recordAction(rows, { id, action: 'erase', detail: { account } })
  for (const row of matches) rows.put('history', eraseNames(row))
  if (payments.length > 0) saveAccount(rows, { ...totals, erased_at: rows.now })
  const settled = payments.filter(({ state }) => !isOutcomeUnknown(state))
  const messages = settled.filter(({ session }) => giveUpSms(rows, session)).length
  const refusals = rows.row('refusals', account)?.last.length ?? 0
  rows.drop('refusals', account)
  const loan = findLoan(rows, contract, account)
  const isOwed = loan !== undefined && loan.owedWei > 0n
  if (!isOwed) rows.drop('loans', contract.toLowerCase(), account)
  const open = listOpenPayments(rows, totals).length
  if (!isOwed && open === 0) rows.drop('reminders', account)
  const isLoanGone = loan !== undefined && !isOwed
  return {
    gone: { archived: matches.length, messages, refusals, loans: isLoanGone ? 1 : 0 },
    kept: {
      until: rows.now + rules.retentionMs,
      payments: payments.length,
      open,
      loans: isOwed ? 1 : 0,
      holds: isHeld(rows, account) ? 1 : 0,
    },
    next,
  }
}

const listPayments = (rows: Draft, account: string): Row<'payments'>[] =>
  rows.list({ table: 'payments', list: 'account', group: account, limit: noLimit })

const toReferences = (intentId: Hex, reference: string | null | undefined) =>
  reference ? [{ intentId, reference }] : []

/** Searches a page of a list that has the rows of all accounts, by age. */
function searchPage<Name extends 'sessions' | 'history' | 'audit'>(
  rows: Draft,
  table: Name,
  from: number,
  isWanted: (row: Row<Name>) => boolean,
): { matches: Row<Name>[]; next: number | undefined } {
  const score = getTable(table).lists.age?.score ?? ''
  const { items, next } = readScoresPage(minSearchedRows, (limit) =>
    rows.list<Name>({ table, list: 'age' as never, from, limit }).map((row) => {
      const columns: Readonly<Record<string, unknown>> = row
      return { row, score: Number(columns[score]) }
    }),
  )
  return { matches: items.map(({ row }) => row).filter(isWanted), next }
}
