import type { Address } from 'viem'
import type { Draft, StepContext } from '../draft.ts'
import { eraseNames, getPaymentRow } from '../payments/payment-states.ts'
import { giveUpSms } from '../payments/sms.ts'
import { listOpenPayments, readAccountTotals, saveOrDropTotals } from '../payments/totals.ts'
import { noLimit, type Row } from '../rows.ts'
import { isOutcomeUnknown } from '../transitions.ts'
import { nameRecall } from '../values.ts'
import { readTrace, searchPage, toRecord } from './operations.ts'
import { isRecalled } from './recalls.ts'
import { isHeld, readSessionTrace } from './standing.ts'

type ErasureRequest = { account: Address; from: number; keepsReminder: boolean }

const emptyPage = { payments: [], archived: [], sessions: [], next: undefined }

/**
 * Returns a page of what is stored about an account: payments, then sessions without a payment,
 * then payments that were settled longer ago. `next` is undefined after the last one.
 */
export function readPerson(
  step: StepContext,
  account: Address,
  { part, from }: { part: number; from: number },
) {
  const { rows } = step
  const nextPart = { part: part + 1, from: 0 }
  const getNext = (score: number | undefined) =>
    score === undefined ? nextPart : { part, from: score }
  const isOwn = (row: { account: string }) => row.account === account
  switch (part) {
    case 0: {
      const payments = listPayments(rows, account)
      const traces = payments.flatMap((row) => readTrace(step, row.intent_id) ?? [])
      return { ...emptyPage, payments: traces, next: nextPart }
    }
    case 1: {
      const list = (limit: number) => rows.list({ table: 'sessions', list: 'age', from, limit })
      const page = searchPage(list, 'decided_at', isOwn)
      const sessions = page.matches
        .filter(({ session }) => getPaymentRow(rows, session) === undefined)
        .flatMap(({ session }) => readSessionTrace(rows, session) ?? [])
      return { ...emptyPage, sessions, next: getNext(page.nextScore) }
    }
    case 2: {
      const page = searchHistory(rows, account, from)
      return { ...emptyPage, archived: page.matches.map(toRecord), next: getNext(page.nextScore) }
    }
    default:
      return emptyPage
  }
}

const searchHistory = (rows: Draft, account: Address, from: number) =>
  searchPage(
    (limit) => rows.list({ table: 'history', list: 'age', from, limit }),
    'settled_at',
    (row) => row.account === account,
  )

export function eraseAccount(
  { rows, rules }: StepContext,
  { account, from, keepsReminder }: ErasureRequest,
) {
  const archived = searchHistory(rows, account, from)
  const payments = listPayments(rows, account)
  const totals = readAccountTotals(rows, account)
  for (const row of archived.matches) rows.put('history', eraseNames(row))
  if (payments.length > 0) saveOrDropTotals(rows, { ...totals, erased_at: rows.now })
  const settled = payments.filter(({ state }) => !isOutcomeUnknown(state))
  const names = settled.flatMap(({ session, intent_id: id }) => [session, nameRecall(id)])
  const messages = names.filter((name) => giveUpSms(rows, name)).length
  const refusals = rows.row('refusals', account)?.last.length ?? 0
  rows.drop('refusals', account)
  const open = listOpenPayments(rows, totals).length
  if (!keepsReminder && open === 0) rows.drop('reminders', account)
  return {
    gone: { archived: archived.matches.length, messages, refusals },
    kept: {
      /** Tells when the last of its sessions is deleted (Unix time in ms), if nothing is open. */
      until: rows.now + rules.retentionMs,
      payments: payments.length,
      open,
      holds: isHeld(rows, account) ? 1 : 0,
      recalled: isRecalled(rows, account) ? 1 : 0,
    },
    next: archived.nextScore,
  }
}

const listPayments = (rows: Draft, account: string): Row<'payments'>[] =>
  rows.list({ table: 'payments', list: 'account', group: account, limit: noLimit })
