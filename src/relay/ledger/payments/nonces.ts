import type { Hex } from 'viem'
import type { Draft, StepContext } from '../draft.ts'
import type { Row } from '../rows.ts'
import type { SignedTransaction } from '../values.ts'
import { addTransaction, dropTransaction } from './clues.ts'
import {
  applyEvent,
  getPaymentRow,
  noBlock,
  noExecution,
  noNonce,
  requeuePayment,
  type Transition,
} from './payment-states.ts'
import {
  countCarried,
  countMined,
  findNextNonce,
  listOpenPayments,
  readQueue,
  readRelayerTotals,
  updateBlockContents,
  updateRelayerTotals,
} from './totals.ts'

/** Counts open payments: `accountOpenCount` those of one account, the others those of all. */
export type Usage = ReturnType<typeof countUsage>

/** Tells how many payments may be open and may wait now, the new one included. */
export type Capacity = Pace & { open: number; waiting: number; isPriceTooHigh: boolean }

/** Tells how many payments a block is expected to take, and how often blocks come. */
export type Pace = { paymentsInBlock: number; blockMs: number }

export type Slot = {
  nonce: number
  /** Holds the transaction with the highest price, which a new one replaces. */
  pending: SignedTransaction | undefined
}

export type SignedNonce = { hash: Hex; nonce: number }

export type OpenNonce = ReturnType<typeof listOpenNonces>[number]

/** Holds a nonce; `bytes` lists the hash and the gas price of each of its transactions. */
type NonceRow = Row<'nonces'>

export function saveNonce(rows: Draft, after: NonceRow): void {
  const { relayer, nonce } = after
  const before = rows.row('nonces', relayer, nonce)
  updateRelayerTotals(rows, before, after)
  updateBlockContents(rows, before, after, { nonces: [[relayer, nonce]], sessions: [] })
  rows.put('nonces', after)
}

/** Deletes a nonce's row and transactions; its number stays used. */
export function deleteNonce(rows: Draft, row: NonceRow): void {
  const { relayer, nonce } = row
  rows.drop('nonces', relayer, nonce)
  updateBlockContents(rows, row, undefined, { nonces: [[relayer, nonce]], sessions: [] })
  deleteTransactions(rows, row)
}

function deleteTransactions(rows: Draft, { bytes }: NonceRow): void {
  for (const [hash] of bytes) dropTransaction(rows, hash)
}

/** Sets how many of the last nonces are listed too: a block may hold any of their transactions. */
const recentNonceCount = 64

/** Lists the hashes of all transactions signed for the open nonces and for the last ones. */
export function listSignedHashes({ rows, relayer }: StepContext): SignedNonce[] {
  const newest = { table: 'nonces', list: 'number', group: relayer, newest: true } as const
  const open = readRelayerTotals(rows, relayer).open.flatMap(
    ([nonce]) => rows.named('nonces', relayer, nonce) ?? [],
  )
  const rowsToCheck = new Set([...open, ...rows.list({ ...newest, limit: recentNonceCount })])
  return [...rowsToCheck].flatMap(({ nonce, bytes }) => bytes.map(([hash]) => ({ hash, nonce })))
}

/** Counts the relayer's transactions as last read; only `poolNonce` includes those in the pool. */
type NonceCounts = { chainNonce: number; poolNonce: number }

/** Finds the nonce after all used ones, unless payments wait or the pool would refuse it. */
export function findFreeNonce(
  { rows, rules, relayer: address }: StepContext,
  { chainNonce, poolNonce }: NonceCounts,
): number | undefined {
  const { waiting, until } = readQueue(rows)
  if (waiting > 0 && until > rows.now / 1000) return undefined
  const relayer = readRelayerTotals(rows, address)
  const nonce = Math.max(chainNonce, poolNonce, findNextNonce(relayer))
  if (nonce < chainNonce + rules.maxInFlight) return nonce
  return nonce < countMined(rows, relayer) + rules.maxInFlight ? nonce : undefined
}

export const countUsage = ({ rows, relayer }: StepContext, account: Row<'accounts'>) => ({
  accountOpenCount: listOpenPayments(rows, account).length,
  /** Counts payments with a nonce whose transactions are in no block. */
  carried: countCarried(readRelayerTotals(rows, relayer)),
  waiting: readQueue(rows).waiting,
})

/** Lists a nonce's transactions, the highest price first: a replacement has to offer more. */
export function listTransactions(row: NonceRow | undefined): { hash: Hex; gasPriceWei: bigint }[] {
  return (row?.bytes ?? [])
    .map(([hash, price]) => ({ hash, gasPriceWei: BigInt(price) }))
    .sort((a, b) => (a.gasPriceWei < b.gasPriceWei ? 1 : -1))
}

export const listTransactionRows = (rows: Draft, row: NonceRow | undefined) =>
  listTransactions(row).flatMap(({ hash }) => rows.named('transactions', hash) ?? [])

/** Returns a nonce with its transaction to replace. A nonce that others have used has none. */
export function readSlot({ rows, relayer }: StepContext, nonce: number): Slot {
  const row = rows.row('nonces', relayer, nonce)
  const [highest] = row?.state === 'foreign' ? [] : listTransactions(row)
  const raw = highest && rows.named('transactions', highest.hash)?.raw
  return { nonce, pending: raw && { ...highest, raw } }
}

/** Records a signed transaction of a nonce, and the payments that the nonce now carries. */
export function recordTransaction(
  { rows, relayer }: StepContext,
  nonce: number,
  sessions: readonly string[],
  { hash, raw, gasPriceWei }: SignedTransaction,
): void {
  const before = rows.row('nonces', relayer, nonce)
  // The pool preferred a foreign transaction that is gone by now, so ours need no higher price.
  if (before?.state === 'foreign') deleteTransactions(rows, before)
  const bytes = before?.state === 'foreign' ? [] : (before?.bytes ?? [])
  const isNew = bytes.every(([other]) => other !== hash)
  const gas_price = `${gasPriceWei}`
  saveNonce(rows, {
    ...noBlock,
    relayer,
    nonce,
    state: 'recorded',
    sessions: [...sessions],
    bytes: isNew ? [...bytes, [hash, gas_price]] : bytes,
    phase: null,
    changed_at: rows.now,
  })
  if (rows.row('transactions', hash) !== undefined) return
  addTransaction(rows, {
    hash,
    relayer,
    nonce,
    sessions: [...sessions],
    raw,
    gas_price,
    recorded_at: rows.now,
    sent_at: null,
    failures: 0,
  })
}

/** Marks a nonce's highest-priced transaction as refused, so that it is sent again soon. */
export function markForResend(rows: Draft, row: NonceRow): void {
  const [highest] = listTransactionRows(rows, row)
  if (highest !== undefined) rows.put('transactions', { ...highest, failures: 1 })
}

/** Ends the use of a nonce, and queues its payments again. Returns undefined if it is not open. */
export function retireNonce(step: StepContext, nonce: number, state: 'foreign' | 'abandoned') {
  const { rows, relayer } = step
  const row = rows.row('nonces', relayer, nonce)
  if (row?.state !== 'recorded') return undefined
  // The transactions of an abandoned nonce stay: the next one must be priced above them.
  saveNonce(rows, { ...row, state, phase: 'done', changed_at: rows.now })
  return row.sessions.flatMap((session) => requeueFrom(step, row, session))
}

/** Tells whether bytes may have left, or carry what older bytes of their nonce carry. */
export function mayHaveLeft(rows: Draft, row: NonceRow, { hash, sent_at }: Row<'transactions'>) {
  const others = row.bytes.filter(([other]) => other !== hash)
  const carriesTheSame = others.some(([other]) => {
    const older = rows.row('transactions', other)
    return older === undefined || `${older.sessions}` === `${row.sessions}`
  })
  return sent_at !== null || carriesTheSame
}

/** Takes bytes back that never left, and queues their payments as if nothing had carried them. */
export function withholdTransaction(step: StepContext, row: NonceRow, hash: Hex): Transition[] {
  const { rows } = step
  dropTransaction(rows, hash)
  const bytes = row.bytes.filter(([other]) => other !== hash)
  saveNonce(rows, { ...row, bytes, state: 'abandoned', phase: 'done', changed_at: rows.now })
  return row.sessions.flatMap((session) => {
    const payment = getPaymentRow(rows, session)
    if (!isCarriedBy(payment, row)) return []
    return applyEvent(step, payment, 'dropped', { ...noExecution, ...noNonce })
  })
}

export const isCarriedBy = (
  payment: Row<'payments'> | undefined,
  { relayer, nonce }: Pick<NonceRow, 'relayer' | 'nonce'>,
): payment is Row<'payments'> => payment?.nonce === nonce && payment.relayer === relayer

/** Queues a session's payment again, if this nonce still carries it. */
export function requeueFrom(step: StepContext, row: NonceRow, session: string): Transition[] {
  const payment = getPaymentRow(step.rows, session)
  return isCarriedBy(payment, row) ? requeuePayment(step, payment) : []
}

/** Returns the nonce that carries a payment, unless it names other payments. */
export function findCarrier(rows: Draft, { relayer, nonce, session }: Row<'payments'>) {
  const row = relayer === null || nonce === null ? undefined : rows.named('nonces', relayer, nonce)
  return row?.sessions.includes(session) ? row : undefined
}

/** Lists the nonces whose transactions are in no block, with those, the highest price first. */
export function listOpenNonces({ rows, relayer }: StepContext) {
  return readRelayerTotals(rows, relayer).open.flatMap(([nonce]) => {
    const row = rows.named('nonces', relayer, nonce)
    if (row?.state !== 'recorded') return []
    const transactions = listTransactionRows(rows, row).map(
      ({ hash, raw, gas_price, recorded_at, sent_at, failures }) => ({
        hash,
        raw,
        gasPriceWei: BigInt(gas_price),
        recordedAt: recorded_at,
        sentAt: sent_at ?? undefined,
        failures,
      }),
    )
    return [{ nonce, sessions: row.sessions, transactions }]
  })
}
