import type { Hex } from 'viem'
import type { At, Draft } from '../draft.ts'
import type {
  Claiming,
  Load,
  OpenNonce,
  Room,
  SignedNonce,
  SignedTransaction,
  Slot,
  Transition,
} from '../port.ts'
import type { Row } from '../rows.ts'
import { drop, noBlock, paymentRow } from './payments.ts'
import { lookAtQueue, noLimit, noteBlock, queueOf } from './sums.ts'

type NonceRow = Row<'nonces'>
type RelayerRow = Row<'relayers'>
type Lease = RelayerRow['leases'][number]

/** A relayer's leases, and what its nonces add up to: counted again where the row is lost. */
export function relayerOf(rows: Draft, relayer: string): RelayerRow {
  const known = rows.row('relayers', relayer)
  if (known !== undefined) return known
  const all = { table: 'nonces', list: 'number', group: relayer, limit: noLimit } as const
  const nonces = rows.list({ ...all, unless: ['relayers', relayer] })
  const none: RelayerRow = { relayer, leases: [], open: [], top: null }
  return nonces.reduce((sum, row) => counted(sum, undefined, row), none)
}

/** What a row of a nonce is to its relayer: bytes in no block, a number that is used, or nothing. */
function useOf(row: NonceRow | undefined): 'open' | 'used' | 'free' {
  if (row === undefined || row.state === 'abandoned') return 'free'
  return row.state === 'recorded' ? 'open' : 'used'
}

/** The relayer after the row of a nonce has changed. A lease ends where bytes are recorded. */
function counted(relayer: RelayerRow, before: NonceRow | undefined, after: NonceRow): RelayerRow {
  const { nonce, sessions } = after
  const [was, is] = [useOf(before), useOf(after)]
  const open = relayer.open.filter(([other]) => other !== nonce)
  if (is === 'open') open.push([nonce, sessions.length])
  const leases =
    is === 'open' ? relayer.leases.filter((lease) => lease.nonce !== nonce) : relayer.leases
  const others = was === 'used' && relayer.top === nonce ? nonce - 1 : relayer.top
  const top = is === 'used' ? Math.max(nonce, others ?? nonce) : others
  return { ...relayer, leases, open: open.sort(([a], [b]) => a - b), top }
}

/** Writes a nonce and what counts it. */
export function saveNonce(rows: Draft, after: NonceRow): void {
  const { relayer, nonce } = after
  const before = rows.row('nonces', relayer, nonce)
  const isAsLong = before?.sessions.length === after.sessions.length
  if (useOf(before) !== useOf(after) || !isAsLong) {
    rows.put('relayers', counted(relayerOf(rows, relayer), before, after))
  }
  noteBlock(rows, before, after, { nonces: [[relayer, nonce]], sessions: [] })
  rows.put('nonces', after)
}

/** Forgets the bytes of a nonce and its row, which counts on: what was used stays used. */
export function dropNonce(rows: Draft, row: NonceRow): void {
  const { relayer, nonce } = row
  rows.drop('nonces', relayer, nonce)
  noteBlock(rows, row, undefined, { nonces: [[relayer, nonce]], sessions: [] })
  dropBytes(rows, row)
}

export function dropBytes(rows: Draft, { bytes }: NonceRow): void {
  for (const [hash] of bytes) rows.drop('transactions', hash)
}

export const isLive = (lease: Lease, now: number): boolean => lease.until > now

/** The highest nonce that has recorded bytes or was used; -1 without any. */
export const highestUsed = ({ open, top }: RelayerRow): number =>
  Math.max(-1, top ?? -1, ...open.map(([nonce]) => nonce))

/** Of so many nonces, the highest, a block may hold what payments' own requests have settled meanwhile. */
const latelySigned = 64

/** What was signed for the nonces in use, and for the last ones, whatever became of them. */
export function signedBytes({ rows, relayer }: At): SignedNonce[] {
  const last = { table: 'nonces', list: 'number', group: relayer, newest: true } as const
  const open = relayerOf(rows, relayer).open.flatMap(
    ([nonce]) => rows.row('nonces', relayer, nonce) ?? [],
  )
  const all = new Set([...open, ...rows.list({ ...last, limit: latelySigned })])
  return [...all].flatMap(({ nonce, bytes }) => bytes.map(([hash]) => ({ hash, nonce })))
}

/** One above the highest nonce that was ever handed out and not given back. */
export const nextNonce = (relayer: RelayerRow): number =>
  Math.max(highestUsed(relayer), ...relayer.leases.map(({ nonce }) => nonce)) + 1

/** Leases a nonce to the holder of the token. */
export function leaseTo(
  { rows, rules }: At,
  relayer: RelayerRow,
  { nonce, token, sessions }: { nonce: number; token: string; sessions: readonly string[] },
): Slot {
  const lease = { nonce, token, until: rows.now + rules.leaseMs, sessions: [...sessions] }
  const leases = [...relayer.leases.filter((other) => other.nonce !== nonce), lease]
  rows.put('relayers', { ...relayer, leases: leases.sort((a, b) => a.nonce - b.nonce) })
  return slotOf(rows, relayer.relayer, nonce)
}

/** Without a holder, a nonce that nothing was recorded for is free. */
export function releaseLease(rows: Draft, relayer: RelayerRow, token: string): void {
  if (relayer.leases.every((lease) => lease.token !== token)) return
  const leases = relayer.leases.map((lease) =>
    lease.token === token ? { ...lease, token: null, until: 0, sessions: [] } : lease,
  )
  rows.put('relayers', { ...relayer, leases })
}

/**
 * The lowest nonce that is not held and that comes after the account's open payments: one whose
 * holder never recorded, else the next one. Undefined where the pool would refuse it, or where older
 * payments wait for one.
 */
export function freeNonce(
  { rows, rules }: At,
  relayer: RelayerRow,
  { open }: Row<'accounts'>,
  { chainNonce, poolNonce }: Claiming,
): number | undefined {
  const { waiting, until } = queueOf(rows)
  if (waiting > 0 && until > rows.now / 1000) return undefined
  const last = Math.max(-1, ...open.map(([, nonce]) => nonce ?? -1))
  const given = relayer.leases
    .filter((lease) => !isLive(lease, rows.now) && lease.nonce > last)
    .map((lease) => lease.nonce)
  const next = Math.max(chainNonce, poolNonce, nextNonce(relayer))
  const nonce = given.length > 0 ? Math.min(...given) : next
  if (nonce < chainNonce + rules.maxInFlight) return nonce
  return nonce < minedCount(rows, relayer) + rules.maxInFlight ? nonce : undefined
}

/**
 * The account's count in the blocks that the ledger knows: a count may have been read before them. What
 * else is used, a pool may hold.
 */
function minedCount(rows: Draft, { relayer, top }: RelayerRow): number {
  const isMined = top !== null && rows.row('nonces', relayer, top)?.state === 'mined'
  return isMined ? top + 1 : 0
}

/** What is open with the relayer's key, and of an account besides one of its sessions. */
export function loadOf({ rows, relayer }: At, account: Row<'accounts'>, session: string): Load {
  const claims = account.claims.filter(([other, until]) => other !== session && until > rows.now)
  return {
    ofAccount: account.open.length + claims.length,
    carried: carriedBy(relayerOf(rows, relayer), rows.now),
    waiting: lookAtQueue(rows).waiting,
  }
}

/** Counts the payments of all nonces in use; one that carries nothing costs as much as one. */
export function carriedBy({ leases, open }: RelayerRow, now: number): number {
  const held = leases.filter((lease) => isLive(lease, now)).map(({ sessions }) => sessions.length)
  const counts = [...held, ...open.map(([, payments]) => payments)]
  return counts.reduce((sum, payments) => sum + Math.max(1, payments), 0)
}

/** Whether one payment more is too much; `mustWait`: no nonce is free for it. */
export function isFull(load: Load, room: Room, mustWait: boolean): boolean {
  const { ofAccount, carried, waiting } = load
  const isWaitingFull = mustWait && waiting >= room.waiting
  return ofAccount >= room.ofAccount || carried + waiting >= room.open || isWaitingFull
}

/** What was signed for a nonce, the highest price first: that is what others have to outbid. */
export function bytesOf(row: NonceRow | undefined): { hash: Hex; gasPriceWei: bigint }[] {
  return (row?.bytes ?? [])
    .map(([hash, price]) => ({ hash, gasPriceWei: BigInt(price) }))
    .sort((a, b) => (a.gasPriceWei < b.gasPriceWei ? 1 : -1))
}

export function slotOf(rows: Draft, relayer: string, nonce: number): Slot {
  return { nonce, priorGasPriceWei: bytesOf(rows.row('nonces', relayer, nonce))[0]?.gasPriceWei }
}

/** Makes a nonce's transaction durable. Its lease ends. */
export function recordBytes(
  { rows, relayer }: At,
  nonce: number,
  sessions: readonly string[],
  { hash, raw, gasPriceWei }: SignedTransaction,
): void {
  const bytes = rows.row('nonces', relayer, nonce)?.bytes ?? []
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

/** What was offered last for a nonce counts as taken by no node: it is offered again soon. */
export function resendSoon(rows: Draft, row: NonceRow): void {
  const latest = rows.row('transactions', bytesOf(row)[0]?.hash ?? '')
  if (latest !== undefined) rows.put('transactions', { ...latest, failures: 1 })
}

/** A nonce with bytes that leaves the recorded ones; its payments that are not settled wait again. */
export function take(at: At, nonce: number, state: 'foreign' | 'abandoned'): Transition[] {
  const { rows, relayer } = at
  const row = rows.row('nonces', relayer, nonce)
  if (row?.state !== 'recorded') return []
  // The bytes of an abandoned nonce stay: its next holder has to outbid them.
  saveNonce(rows, { ...row, state, phase: 'done', changed_at: rows.now })
  return row.sessions.flatMap((session) => dropFrom(at, row, session))
}

/** Whether a payment is carried by this nonce, as its own row has it. */
export const isCarriedBy = (
  payment: Row<'payments'> | undefined,
  { relayer, nonce }: Pick<NonceRow, 'relayer' | 'nonce'>,
): payment is Row<'payments'> => payment?.nonce === nonce && payment.relayer === relayer

/** A nonce did nothing for a payment: it waits for another one, unless it has that already. */
export function dropFrom(at: At, row: NonceRow, session: string): Transition[] {
  const payment = paymentRow(at.rows, session)
  return isCarriedBy(payment, row) ? drop(at, payment) : []
}

/** The nonce that carries a payment; undefined where its row carries others by now, or is lost. */
export function carrierOf(
  rows: Draft,
  { relayer, nonce, session }: Row<'payments'>,
): NonceRow | undefined {
  const row = relayer === null || nonce === null ? undefined : rows.row('nonces', relayer, nonce)
  return row?.sessions.includes(session) ? row : undefined
}

/** Nonces that are held, and those whose bytes no block has. */
export function openNonces({ rows, relayer }: At): OpenNonce[] {
  const { leases, open } = relayerOf(rows, relayer)
  const rowOf = (nonce: number) => rows.row('nonces', relayer, nonce)
  const withBytes = (row: NonceRow | undefined) => ({
    transactions: bytesOf(row)
      .flatMap(({ hash }) => rows.row('transactions', hash) ?? [])
      .map(({ hash, raw, gas_price, recorded_at, sent_at, failures }) => ({
        ...{ hash, raw, gasPriceWei: BigInt(gas_price) },
        ...{ recordedAt: recorded_at, sentAt: sent_at ?? undefined, failures },
      })),
  })
  const held = leases.map((lease): OpenNonce => {
    const { nonce, sessions } = lease
    const known = { nonce, sessions, leaseLive: isLive(lease, rows.now) }
    return { ...known, state: 'leased', ...withBytes(rowOf(nonce)) }
  })
  const recorded = open.flatMap(([nonce]): OpenNonce[] => {
    const row = rowOf(nonce)
    if (row?.state !== 'recorded') return []
    const known = { nonce, sessions: row.sessions, leaseLive: false }
    return [{ ...known, state: 'recorded', ...withBytes(row) }]
  })
  return [...held, ...recorded].sort((a, b) => a.nonce - b.nonce)
}
