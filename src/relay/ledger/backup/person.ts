import type { Address, Hex } from 'viem'
import type { BookedLoan } from '../../../loan/loan-book.ts'
import type { Draft, StepContext } from '../draft.ts'
import {
  listOpenPayments,
  readAccountTotals,
  saveOrDropTotals,
} from '../payments/account-totals.ts'
import { eraseNames, getPaymentRow } from '../payments/payment-states.ts'
import { giveUpSms } from '../payments/sms.ts'
import { reads, writes } from '../port.ts'
import { findLoan } from '../records/loans.ts'
import {
  type AuditEntry,
  type PaymentRecord,
  type PaymentTrace,
  readTrace,
  recordAction,
  toRecord,
} from '../records/operations.ts'
import { isHeld, readSessionTrace, type SessionTrace } from '../records/standing.ts'
import { listAccountTills, type Till } from '../records/tills.ts'
import { noLimit, type Row } from '../rows.ts'
import { isOutcomeUnknown } from '../transitions.ts'
import { type PagePosition, searchPage } from './score-page.ts'

/** Asks for all that is stored about an account, and its loan of a contract. */
type PersonQuery = { account: Address; contract: Address; position: PagePosition }

/** Holds a page of what is stored about an account; `next` is undefined on the last one. */
export type PersonPage = {
  payments: PaymentTrace[]
  /** Lists payments that were settled longer ago. */
  archived: PaymentRecord[]
  /** Lists sessions without a payment. */
  sessions: SessionTrace[]
  audit: AuditEntry[]
  /** Lists what the account's payments of bills were for. */
  references: { intentId: Hex; reference: string }[]
  tills: Till[]
  loan: BookedLoan | undefined
  next: PagePosition | undefined
}

/** Asks to erase an account. The search of past payments begins at `from`. */
type ErasureRequest = { id: string; account: Address; contract: Address; from: number }

/** Counts what one step deleted, and what stays. If `next` is set, another step begins there. */
export type Erased = {
  gone: Record<'archived' | 'messages' | 'refusals' | 'loans', number>
  kept: Record<'payments' | 'open' | 'loans' | 'holds', number> & {
    /** Tells when the last of its sessions is deleted (Unix time in ms), if nothing is open. */
    until: number
  }
  next: number | undefined
}

const emptyPage = {
  payments: [],
  archived: [],
  sessions: [],
  audit: [],
  references: [],
  tills: [],
  loan: undefined,
}

function readPersonPage(
  step: StepContext,
  { account, contract, position: { part, from } }: PersonQuery,
): PersonPage {
  const { rows } = step
  const nextPart = { part: part + 1, from: 0 }
  const getNext = (score: number | undefined) =>
    score === undefined ? nextPart : { part, from: score }
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
        next: nextPart,
      }
    }
    case 1: {
      const page = searchPage(rows, 'sessions', from, (row) => row.account === account)
      const sessions = page.matches
        .filter(({ session }) => getPaymentRow(rows, session) === undefined)
        .flatMap(({ session }) => readSessionTrace(rows, session) ?? [])
      return { ...emptyPage, sessions, next: getNext(page.nextScore) }
    }
    case 2: {
      const page = searchPage(rows, 'history', from, (row) => row.account === account)
      const references = page.matches.flatMap((row) => toReferences(row.intent_id, row.reference))
      const archived = page.matches.map((row) => toRecord(rows, row))
      return { ...emptyPage, archived, references, next: getNext(page.nextScore) }
    }
    default: {
      const page = searchPage(rows, 'audit', from, ({ detail }) => detail.account === account)
      const next = page.nextScore === undefined ? undefined : getNext(page.nextScore)
      return { ...emptyPage, audit: page.matches, next }
    }
  }
}

function eraseAccount(
  { rows, rules }: StepContext,
  { id, account, contract, from }: ErasureRequest,
): Erased {
  const archived = searchPage(rows, 'history', from, (row) => row.account === account)
  const payments = listPayments(rows, account)
  const totals = readAccountTotals(rows, account)
  recordAction(rows, { id, action: 'erase', detail: { account } })
  for (const row of archived.matches) rows.put('history', eraseNames(row))
  if (payments.length > 0) saveOrDropTotals(rows, { ...totals, erased_at: rows.now })
  const settled = payments.filter(({ state }) => !isOutcomeUnknown(state))
  const messages = settled.filter(({ session }) => giveUpSms(rows, session)).length
  const refusals = rows.row('refusals', account)?.last.length ?? 0
  rows.drop('refusals', account)
  const loan = findLoan(rows, contract, account)
  const isOwed = loan !== undefined && loan.owedWei > 0n
  if (!isOwed) rows.drop('loans', contract.toLowerCase(), account)
  const open = listOpenPayments(rows, totals).length
  if (!isOwed && open === 0) rows.drop('reminders', account)
  const isLoanDeleted = loan !== undefined && !isOwed
  return {
    gone: { archived: archived.matches.length, messages, refusals, loans: isLoanDeleted ? 1 : 0 },
    kept: {
      until: rows.now + rules.retentionMs,
      payments: payments.length,
      open,
      loans: isOwed ? 1 : 0,
      holds: isHeld(rows, account) ? 1 : 0,
    },
    next: archived.nextScore,
  }
}

const listPayments = (rows: Draft, account: string): Row<'payments'>[] =>
  rows.list({ table: 'payments', list: 'account', group: account, limit: noLimit })

const toReferences = (intentId: Hex, reference: string | null | undefined) =>
  reference ? [{ intentId, reference }] : []

export const personSteps = {
  /** Returns a page of what is stored about an account: payments, sessions, history, then audit. */
  readPerson: reads(readPersonPage),
  /**
   * Deletes what is stored about an account, except what protects money. Sessions and payments stay
   * as long as usual, so that a redelivery is answered and pays nothing. After that, the history
   * holds the payments without the account.
   */
  erase: writes(eraseAccount),
}
