import type { Hex } from 'viem'
import type { Draft, StepContext } from '../draft.ts'
import type {
  Capacity,
  OpenNonce,
  SignedNonce,
  SignedTransaction,
  Slot,
  Transition,
  Usage,
} from '../port.ts'
import type { Row } from '../rows.ts'
import { listOpen, noLimit, noteBlock, peekQueue } from './account-totals.ts'
import { drop, noBlock, paymentRow } from './payment-states.ts'

type NonceRow = Row<'nonces'>
type RelayerRow = Row<'relayers'>

/** Returns a relayer's totals, counted again if the row is lost. */
export function readRelayer(rows: Draft, relayer: string): RelayerRow {
  const known = rows.row('relayers', relayer)
  if (known !== undefined) return known
  const all = { table: 'nonces', list: 'number', group: relayer, limit: noLimit } as const
  const nonces = rows.list({ ...all, unless: ['relayers', relayer] })
  const none: RelayerRow = { relayer, open: [], top: null }
  return nonces.reduce((sum, row) => counted(sum, undefined, row), none)
}

/** Tells a nonce's use: bytes in no block, a used number, or free. */
function describeUse(row: NonceRow | undefined): 'open' | 'used' | 'free' {
  if (row === undefined || row.state === 'abandoned') return 'free'
  return row.state === 'recorded' ? 'open' : 'used'
}

function counted(relayer: RelayerRow, before: NonceRow | undefined, after: NonceRow): RelayerRow {
  const { nonce, sessions } = after
  const [was, is] = [describeUse(before), describeUse(after)]
  const open = relayer.open.filter(([other]) => other !== nonce)
  if (is === 'open') open.push([nonce, sessions.length])
  const others = was === 'used' && relayer.top === nonce ? nonce - 1 : relayer.top
  const top = is === 'used' ? Math.max(nonce, others ?? nonce) : others
  return { ...relayer, open: open.sort(([a], [b]) => a - b), top }
}

/** Saves a nonce and the totals that count it. */
export function saveNonce(rows: Draft, after: NonceRow): void {
  const { relayer, nonce } = after
  const before = rows.row('nonces', relayer, nonce)
  const isAsLong = before?.sessions.length === after.sessions.length
  if (describeUse(before) !== describeUse(after) || !isAsLong) {
    rows.put('relayers', counted(readRelayer(rows, relayer), before, after))
  }
  noteBlock(rows, before, after, { nonces: [[relayer, nonce]], sessions: [] })
  rows.put('nonces', after)
}

/** Deletes a nonce's row and bytes; its number stays used. */
export function dropNonce(rows: Draft, row: NonceRow): void {
  const { relayer, nonce } = row
  rows.drop('nonces', relayer, nonce)
  noteBlock(rows, row, undefined, { nonces: [[relayer, nonce]], sessions: [] })
  dropBytes(rows, row)
}

export function dropBytes(rows: Draft, { bytes }: NonceRow): void {
  for (const [hash] of bytes) rows.drop('transactions', hash)
}

/** Returns the highest nonce that has recorded bytes or was used; -1 without any. */
export const highestUsed = ({ open, top }: RelayerRow): number =>
  Math.max(-1, top ?? -1, ...open.map(([nonce]) => nonce))

/** Limits how many of the last nonces are checked: a block may still include them. */
const latelySigned = 64

/** Returns the signed hashes of the nonces in use and of the last ones, in any state. */
export function signedBytes({ rows, relayer }: StepContext): SignedNonce[] {
  const last = { table: 'nonces', list: 'number', group: relayer, newest: true } as const
  const open = readRelayer(rows, relayer).open.flatMap(
    ([nonce]) => rows.row('nonces', relayer, nonce) ?? [],
  )
  const all = new Set([...open, ...rows.list({ ...last, limit: latelySigned })])
  return [...all].flatMap(({ nonce, bytes }) => bytes.map(([hash]) => ({ hash, nonce })))
}

export const nextNonce = (relayer: RelayerRow): number => highestUsed(relayer) + 1

/** Counts the relayer's transactions on the chain, and with the pool's, by recent readings. */
export type NonceCounts = { chainNonce: number; poolNonce: number }

/** Finds a nonce above all used ones; undefined if the pool would refuse it, or others wait. */
export function freeNonce(
  { rows, rules, relayer: name }: StepContext,
  { chainNonce, poolNonce }: NonceCounts,
): number | undefined {
  const { waiting, until } = peekQueue(rows)
  if (waiting > 0 && until > rows.now / 1000) return undefined
  const relayer = readRelayer(rows, name)
  const nonce = Math.max(chainNonce, poolNonce, nextNonce(relayer))
  if (nonce < chainNonce + rules.maxInFlight) return nonce
  return nonce < minedCount(rows, relayer) + rules.maxInFlight ? nonce : undefined
}

/** Counts by the ledger's own blocks: a node's count may be older. */
function minedCount(rows: Draft, { relayer, top }: RelayerRow): number {
  const isMined = top !== null && rows.row('nonces', relayer, top)?.state === 'mined'
  return isMined ? top + 1 : 0
}

/** Counts the open payments of the relayer's key, and of an account. */
export const measureUsage = ({ rows, relayer }: StepContext, account: Row<'accounts'>): Usage => ({
  ofAccount: listOpen(rows, account).length,
  carried: carriedBy(readRelayer(rows, relayer)),
  waiting: peekQueue(rows).waiting,
})

/** Counts the payments of all nonces in use; a no-op costs as much as one. */
export const carriedBy = ({ open }: RelayerRow): number =>
  open.reduce((sum, [, payments]) => sum + Math.max(1, payments), 0)

/** Tells whether one more payment is too much; `mustWait`: no nonce is free for it. */
export function isFull(load: Usage, room: Capacity, mustWait: boolean): boolean {
  const { ofAccount, carried, waiting } = load
  const isWaitingFull = mustWait && waiting >= room.waiting
  return ofAccount >= room.ofAccount || carried + waiting >= room.open || isWaitingFull
}

/** Returns a nonce's transactions, the highest price first: new bytes have to outbid it. */
export function listTransactions(row: NonceRow | undefined): { hash: Hex; gasPriceWei: bigint }[] {
  return (row?.bytes ?? [])
    .map(([hash, price]) => ({ hash, gasPriceWei: BigInt(price) }))
    .sort((a, b) => (a.gasPriceWei < b.gasPriceWei ? 1 : -1))
}

/** Returns a nonce and the bytes to outbid; those refused over foreign bytes do not count. */
export function readSlot({ rows, relayer }: StepContext, nonce: number): Slot {
  const row = rows.row('nonces', relayer, nonce)
  const [highest] = row?.state === 'foreign' ? [] : listTransactions(row)
  const prior = highest && { ...highest, raw: rows.row('transactions', highest.hash)?.raw }
  return { nonce, prior }
}

/** Records a nonce's transaction. */
export function recordBytes(
  { rows, relayer }: StepContext,
  nonce: number,
  sessions: readonly string[],
  { hash, raw, gasPriceWei }: SignedTransaction,
): void {
  const before = rows.row('nonces', relayer, nonce)
  // The pool refused them in favour of bytes that it has dropped by now: nothing to outbid.
  if (before?.state === 'foreign') dropBytes(rows, before)
  const bytes = before?.state === 'foreign' ? [] : (before?.bytes ?? [])
  const isNew = bytes.every(([other]) => other !== hash)
  const gas_price = `${gasPriceWei}`
  saveNonce(rows, {
    ...{ relayer, nonce, state: 'recorded', sessions: [...sessions], ...noBlock },
    ...{ bytes: isNew ? [...bytes, [hash, gas_price]] : bytes, phase: null, changed_at: rows.now },
  })
  if (rows.row('transactions', hash) !== undefined) return
  const named = { hash, relayer, nonce, sessions: [...sessions] }
  rows.put('transactions', {
    ...named,
    raw,
    gas_price,
    recorded_at: rows.now,
    sent_at: null,
    failures: 0,
  })
}

/** Marks a nonce's last bytes as refused, so that they are sent again soon. */
export function resendSoon(rows: Draft, row: NonceRow): void {
  const latest = rows.row('transactions', listTransactions(row)[0]?.hash ?? '')
  if (latest !== undefined) rows.put('transactions', { ...latest, failures: 1 })
}

/** Takes a nonce out of use; its unsettled payments wait again. */
export function take(at: StepContext, nonce: number, state: 'foreign' | 'abandoned'): Transition[] {
  const { rows, relayer } = at
  const row = rows.row('nonces', relayer, nonce)
  if (row?.state !== 'recorded') return []
  // The bytes of an abandoned nonce stay: its next holder has to outbid them.
  saveNonce(rows, { ...row, state, phase: 'done', changed_at: rows.now })
  return row.sessions.flatMap((session) => dropFrom(at, row, session))
}

/** Tells whether this nonce carries a payment, by the payment's row. */
export const isCarriedBy = (
  payment: Row<'payments'> | undefined,
  { relayer, nonce }: Pick<NonceRow, 'relayer' | 'nonce'>,
): payment is Row<'payments'> => payment?.nonce === nonce && payment.relayer === relayer

/** Queues a payment for another nonce, unless it has one already. */
export function dropFrom(at: StepContext, row: NonceRow, session: string): Transition[] {
  const payment = paymentRow(at.rows, session)
  return isCarriedBy(payment, row) ? drop(at, payment) : []
}

/** Returns the nonce that carries a payment; undefined: its row carries others, or is lost. */
export function findCarrier(
  rows: Draft,
  { relayer, nonce, session }: Row<'payments'>,
): NonceRow | undefined {
  const row = relayer === null || nonce === null ? undefined : rows.row('nonces', relayer, nonce)
  return row?.sessions.includes(session) ? row : undefined
}

/** Lists the nonces whose bytes are in no block. */
export function openNonces({ rows, relayer }: StepContext): OpenNonce[] {
  return readRelayer(rows, relayer).open.flatMap(([nonce]): OpenNonce[] => {
    const row = rows.row('nonces', relayer, nonce)
    if (row?.state !== 'recorded') return []
    const transactions = listTransactions(row)
      .flatMap(({ hash }) => rows.row('transactions', hash) ?? [])
      .map(({ hash, raw, gas_price, recorded_at, sent_at, failures }) => ({
        hash,
        raw,
        gasPriceWei: BigInt(gas_price),
        recordedAt: recorded_at,
        sentAt: sent_at ?? undefined,
        failures,
      }))
    return [{ nonce, sessions: row.sessions, transactions }]
  })
}
