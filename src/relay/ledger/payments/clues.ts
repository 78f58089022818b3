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

/** Adds clues for what its caller can read out of a payment: whom it pays, and its receipt. */
export function addPaymentClues(rows: Draft, payment: Row<'payments'>): void {
  for (const clue of listPaymentClues(payment)) rows.add('clues', clue)
}

export function dropPaymentClues(rows: Draft, payment: Row<'payments'>): void {
  for (const { clue, at, name } of listPaymentClues(payment)) rows.drop('clues', clue, at, name)
}

function listPaymentClues(payment: Row<'payments'>): Row<'clues'>[] {
  const recipient = findRecipient(payment)?.toLowerCase()
  const clues = [toReceiptNumber(payment.intent_id), ...(recipient ? [recipient] : [])]
  return clues.map((clue) => ({ clue, at: payment.accepted_at, name: payment.session }))
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
  const found = rows.list({ table: 'clues', list: 'clue', group, newest: true, limit })
  const sessions = found.flatMap(({ name }) => {
    if (!isHash) return [name]
    return name.startsWith(text) ? (rows.row('transactions', name)?.sessions ?? []) : []
  })
  return [...new Set(sessions)]
}
