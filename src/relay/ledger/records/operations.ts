import type { Hex } from 'viem'
import type { PaymentKind } from '../../../loan/kinds.ts'
import { toReceiptNumber } from '../../forwarder/requests.ts'
import { readSessionRow } from '../decisions.ts'
import type { Draft, StepContext } from '../draft.ts'
import { type MetaValue, readMeta, saveMeta } from '../meta.ts'
import { findByIntent, findRecipient, findSessions } from '../payments/clues.ts'
import { getAgreed, getRequest } from '../payments/executed.ts'
import { findCarrier, isCarriedBy, listTransactionRows } from '../payments/nonces.ts'
import { getPaymentRow } from '../payments/payment-states.ts'
import { reads } from '../port.ts'
import type { Row } from '../rows.ts'
import { type PaymentState, type Phase, phaseNames, phases } from '../transitions.ts'
import { type Execution, smsParties } from '../values.ts'
import { forgetMissing, listMissing, recordSetBack } from './possible-loss.ts'

/** Selects payments. Times are Unix times in ms. */
type PaymentQuery = {
  state?: PaymentState | undefined
  kind?: PaymentKind | undefined
  outcome?: Execution['outcome'] | undefined
  intent?: Hex | undefined
  /** Selects by any transaction signed for them, even a replaced one. */
  hash?: Hex | undefined
  account?: string | undefined
  /** Selects archived payments, of which only the outcome is kept. */
  archived?: boolean
  /** Compares the acceptance time, or for settled payments the settlement time. */
  since?: number | undefined
  before?: number | undefined
  limit: number
}

/** Limits the archived payments that are searched for an intent or a receipt number. */
const maxSearchedHistory = 2_000

type ListedRow = { row: Row<'payments'> | Row<'history'>; at: number }

type Intake = MetaValue<'intake'>

export const readIntake = (rows: Draft): Intake => readMeta(rows, 'intake') ?? { kind: 'open' }

function saveIntake(rows: Draft, intake: Intake): Intake {
  saveMeta(rows, 'intake', intake)
  return intake
}

export function setIntake(
  { rows }: StepContext,
  kind: Intake['kind'],
  nextAccountKey?: string,
): Intake {
  const before = readIntake(rows)
  const hasNextKey = kind === 'draining' && nextAccountKey !== undefined
  if (kind === 'open' && listMissing(rows).length > 0) {
    recordSetBack(rows)
    forgetMissing(rows)
  }
  if (before.kind === kind && !hasNextKey) return before
  if (kind === 'open') return saveIntake(rows, { kind })
  const since = before.kind === kind ? before.since : rows.now
  return saveIntake(rows, { kind, since, ...(hasNextKey && { nextAccountKey }) })
}

function findPayments(rows: Draft, clue: string, limit: number) {
  const payments = findSessions(rows, clue, limit).flatMap(
    (session) => getPaymentRow(rows, session) ?? [],
  )
  const isReceipt = /^\d{3}-\d{4}$/.test(clue)
  const archived = isReceipt
    ? listArchived(rows).filter(({ intent_id }) => toReceiptNumber(intent_id) === clue)
    : []
  return [...payments, ...archived].slice(0, limit).map((row) => toRecord(row))
}

/** Lists the newest archived payments, which are all that is searched. */
const listArchived = (rows: Draft): Row<'history'>[] =>
  rows.list({ table: 'history', list: 'age', newest: true, limit: maxSearchedHistory })

/** Gives at most `limit` payments, maybe none; `next` is the time before which a page follows. */
function readPage(rows: Draft, query: PaymentQuery) {
  const named = findByHashOrIntent(rows, query)
  if (named !== undefined) return { payments: named.map((row) => toRecord(row)), next: undefined }
  const listedRows = listRows(rows, query).sort((a, b) => b.at - a.at)
  const { page, next } = cutPage(listedRows, query.limit)
  // Filters after the cut, so a page may have fewer payments although there is a next one.
  const matches = page
    .map(({ row }) => toRecord(row))
    .filter(
      ({ state, kind, outcome, account }) =>
        (query.state === undefined || state === query.state) &&
        (query.kind === undefined || kind === query.kind) &&
        (query.outcome === undefined || outcome === query.outcome) &&
        (query.account === undefined || account.toLowerCase() === query.account.toLowerCase()),
    )
  return { payments: matches, next }
}

/** Cuts off a page at a time, where the next begins: payments of one time stay on one page. */
function cutPage(
  rows: readonly ListedRow[],
  limit: number,
): { page: readonly ListedRow[]; next?: number } {
  const firstBeyond = rows[limit]
  if (firstBeyond === undefined) return { page: rows }
  const page = rows.filter(({ at }) => at > firstBeyond.at)
  // If one moment has more payments than a page holds, the others are never shown.
  return page.length === 0
    ? { page: rows.slice(0, limit), next: firstBeyond.at }
    : { page, next: firstBeyond.at + 1 }
}

/** Finds payments by hash or intent; undefined if the query has neither. */
function findByHashOrIntent(rows: Draft, { intent, hash }: PaymentQuery) {
  if (hash !== undefined) {
    const sessions = rows.row('transactions', hash)?.sessions ?? []
    return sessions.flatMap((session) => getPaymentRow(rows, session) ?? [])
  }
  if (intent === undefined) return undefined
  const row = findRow(rows, intent)
  return row === undefined ? [] : [row]
}

function findRow(rows: Draft, intent: Hex): Row<'payments'> | Row<'history'> | undefined {
  const payment = findByIntent(rows, intent)
  if (payment !== undefined) return payment
  return listArchived(rows).find(({ intent_id }) => intent_id === intent)
}

function listPhases(state: PaymentState | undefined): readonly Phase[] {
  if (state === undefined) return phaseNames
  const phase = phases[state]
  return phase === 'waiting' ? ['waiting', 'stuck'] : [phase]
}

function listRows(rows: Draft, { state, account, archived, since, before, limit }: PaymentQuery) {
  const range = {
    newest: true,
    limit: limit + 1,
    ...(since === undefined ? {} : { from: since }),
    // A fixed time, because an age would move with the clock from page to page.
    ...(before === undefined ? {} : { before }),
  }
  if (archived === true) {
    const listed = rows.list({ table: 'history', list: 'age', ...range })
    return listed.map((row) => ({ row, at: row.settled_at }))
  }
  if (account !== undefined) {
    const listed = rows.list({ table: 'payments', list: 'account', group: account, ...range })
    return listed.map((row) => ({ row, at: row.accepted_at }))
  }
  return listPhases(state)
    .flatMap((group) => rows.list({ table: 'payments', list: 'phase', group, ...range }))
    .map((row) => ({ row, at: row.since }))
}

/** Shows operators a payment; wei are decimal digits. */
export function toRecord(row: Row<'payments'> | Row<'history'>) {
  const request = 'request' in row ? getRequest(row) : undefined
  return {
    intentId: row.intent_id,
    state: row.state,
    kind: row.kind,
    account: row.account,
    recipient: ('request' in row && findRecipient(row)) || null,
    spendsWei: row.spends,
    lentWei: row.kind === 'loan' && 'reserves_pool' in row ? row.reserves_pool : null,
    agreed: getAgreed(row) ?? null,
    acceptedAt: row.accepted_at,
    assuredAt: row.assured_at ?? null,
    history: row.history,
    attempts: row.attempts,
    hash: row.hash,
    block: row.block_number,
    outcome: row.outcome,
    reason: row.reason,
    relayer: 'relayer' in row ? row.relayer : null,
    nonce: 'nonce' in row ? row.nonce : null,
    gas: request?.gas ?? null,
    deadline: request?.deadline ?? null,
  }
}

/** Adds the transactions of the payment's nonce, the highest price first. */
export function readTrace({ rows }: StepContext, intent: Hex) {
  const row = findRow(rows, intent)
  if (row === undefined) return undefined
  const record = toRecord(row)
  const carrier = 'relayer' in row ? findCarrier(rows, row) : undefined
  const transactions = listTransactionRows(rows, carrier).map((transaction) => ({
    hash: transaction.hash,
    nonce: transaction.nonce,
    gasPriceWei: transaction.gas_price,
    failures: transaction.failures,
    recordedAt: transaction.recorded_at,
    sentAt: transaction.sent_at,
  }))
  const batch = (carrier?.sessions ?? []).flatMap((session) => {
    const carried = getPaymentRow(rows, session)
    return carrier && isCarriedBy(carried, carrier) ? carried.intent_id : []
  })
  const messages = smsParties.flatMap((party) => rows.row('sms', row.session, party) ?? [])
  return {
    ...record,
    transactions,
    batch,
    screen: readSessionRow(rows, row.session)?.screen ?? null,
    messages: messages.map(({ party, state, at, attempts }) => ({ party, state, at, attempts })),
  }
}

export const operationSteps = {
  /**
   * Returns the payments to which a clue leads, the newest first: the account that they pay, a
   * payment's code or receipt number, or at least as much of a hash as screens show.
   */
  findPayments: reads(({ rows }, clue: string, limit: number) => findPayments(rows, clue, limit)),
  readPage: reads(({ rows }, query: PaymentQuery) => readPage(rows, query)),
  tracePayment: reads(readTrace),
}

/** Sets how many rows a page searches, unless more rows have one score. */
const initialLimit = 500

/**
 * Searches a page of a list that is sorted by this column. The next page begins at `nextScore`,
 * undefined on the last one.
 */
export function searchPage<Listed extends object>(
  list: (limit: number) => Listed[],
  column: keyof Listed,
  isWanted: (row: Listed) => boolean = () => true,
): { matches: Listed[]; nextScore: number | undefined } {
  for (let limit = initialLimit; ; limit *= 2) {
    const rows = list(limit)
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) {
      return { matches: rows.filter(isWanted), nextScore: undefined }
    }
    // More rows may have the last score, so the next page has all of them.
    const complete = rows.filter((row) => row[column] !== last[column])
    if (complete.length > 0) {
      return { matches: complete.filter(isWanted), nextScore: Number(last[column]) }
    }
    // All rows have one score, so the page needs more of them.
  }
}
