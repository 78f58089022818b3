import { decodeCall } from '../../../loan/calls.ts'
import { toReceiptNumber } from '../../forwarder/requests.ts'
import type { Draft } from '../draft.ts'
import type { Row } from '../rows.ts'
import { hashPlaceholder } from '../values.ts'
import { getRequest } from './executed.ts'

/** Returns the account or wallet that a payment's call pays; undefined if it pays nobody. */
export function findRecipient(payment: Row<'payments'>): string | undefined {
  const call = decodeCall(getRequest(payment).data)
  return call && 'to' in call ? call.to : undefined
}

/** Adds a clue for whom a payment pays. */
export function addRecipientClue(rows: Draft, payment: Row<'payments'>): void {
  const clue = findRecipient(payment)?.toLowerCase()
  if (clue) rows.add('clues', { clue, at: payment.accepted_at, name: payment.session })
}

export function dropRecipientClue(rows: Draft, payment: Row<'payments'>): void {
  const clue = findRecipient(payment)?.toLowerCase()
  if (clue) rows.drop('clues', clue, payment.accepted_at, payment.session)
}

/** Returns an intent's payment by its receipt number; 1.0.0 leaves numbers without payments. */
export function findByIntent(rows: Draft, intentId: string): Row<'payments'> | undefined {
  const { sessions = [] } = rows.row('receipts', toReceiptNumber(intentId)) ?? {}
  return [...sessions, rows.row('intents', intentId)?.session ?? '']
    .map((session) => rows.row('payments', session))
    .find((payment) => payment?.intent_id === intentId)
}

export function addReceipt(rows: Draft, intentId: string, session: string): void {
  const receipt = toReceiptNumber(intentId)
  const { sessions = [] } = rows.row('receipts', receipt) ?? {}
  rows.put('receipts', { receipt, sessions: [session, ...sessions] })
}

export function dropReceipt(rows: Draft, { intent_id: intentId, session }: Row<'payments'>): void {
  const receipt = toReceiptNumber(intentId)
  const sessions = rows.row('receipts', receipt)?.sessions.filter((other) => other !== session)
  if (sessions?.length) rows.put('receipts', { receipt, sessions })
  else rows.drop('receipts', receipt)
  if (rows.row('intents', intentId)?.session === session) rows.drop('intents', intentId)
}

/** Saves a new transaction, and a clue for the start of its hash as screens show it. */
export function addTransaction(rows: Draft, transaction: Row<'transactions'>): void {
  rows.put('transactions', transaction)
  rows.add('clues', toHashClue(transaction))
}

export function dropTransaction(rows: Draft, hash: string): void {
  const transaction = rows.row('transactions', hash)
  if (transaction === undefined) return
  const { clue, at, name } = toHashClue(transaction)
  rows.drop('clues', clue, at, name)
  rows.drop('transactions', hash)
}

const toHashClue = ({ hash, recorded_at: at }: Row<'transactions'>): Row<'clues'> => ({
  clue: getHashStart(hash),
  at,
  name: hash,
})

const getHashStart = (hash: string): string => hash.slice(0, hashPlaceholder.length).toLowerCase()

/** Finds the sessions of the payments to which a clue leads, the newest first. */
export function findSessions(rows: Draft, clue: string, limit: number): string[] {
  const text = clue.toLowerCase()
  const isAccount = /^0x[0-9a-f]{40}$/.test(text)
  const isHash = text.startsWith('0x') && !isAccount
  const group = isHash ? getHashStart(text) : text
  const { sessions: byReceipt = [] } = rows.row('receipts', text) ?? {}
  const found = rows.list({ table: 'clues', list: 'clue', group, newest: true, limit })
  const sessions = found.flatMap(({ name }) => {
    if (!isHash) return [name]
    return name.startsWith(text) ? (rows.row('transactions', name)?.sessions ?? []) : []
  })
  return [...new Set([...byReceipt, ...sessions])]
}
