import type { Draft } from './draft.ts'
import type { Row } from './rows.ts'
import { isUnsettled } from './transitions.ts'

/**
 * What steps decide by and no single row says: an account's open payments, a relayer's nonces, whether
 * a queue waits. Each is a row that is written by every step that changes it, so two steps never both
 * pass on one sum. A sum that is missing is counted anew from the rows.
 */
const ALL = Number.MAX_SAFE_INTEGER

export function accountOf(rows: Draft, account: string): Row<'accounts'> {
  const known = rows.row('accounts', account)
  if (known !== undefined) return known
  const payments = rows.list({ table: 'payments', list: 'account', group: account, limit: ALL })
  const open = payments.filter(({ state }) => isUnsettled(state))
  return {
    account,
    open: open.map((payment) => [payment.session, payment.nonce, payment.accepted_at]),
    claims: [],
    seen: payments.length,
  }
}

/** An account that nothing is known of has no row. */
export function saveAccount(rows: Draft, account: Row<'accounts'>): void {
  const { open, claims, seen } = account
  if (open.length + claims.length + seen > 0) rows.put('accounts', account)
  else rows.drop('accounts', account.account)
}

/** The account with its claim for a session, until a time; without one where there is no time. */
export function claimedUntil(
  account: Row<'accounts'>,
  session: string,
  until: number | undefined,
  now: number,
): Row<'accounts'> {
  const others = account.claims.filter(([other, end]) => other !== session && end > now)
  return { ...account, claims: until === undefined ? others : [...others, [session, until]] }
}

export function relayerOf(rows: Draft, relayer: string): Row<'relayers'> {
  const known = rows.row('relayers', relayer)
  if (known !== undefined) return known
  const nonces = rows.list({ table: 'nonces', list: 'number', group: relayer, limit: ALL })
  const used = nonces.filter(({ state }) => state === 'mined' || state === 'foreign')
  return {
    relayer,
    leases: [],
    open: nonces.filter(({ state }) => state === 'recorded').map(({ nonce }) => nonce),
    top: used.at(-1)?.nonce ?? null,
  }
}

/** The highest nonce that has recorded bytes or was used; -1 where there is none. */
export const highestUsed = ({ open, top }: Row<'relayers'>): number =>
  Math.max(-1, top ?? -1, ...open)

/** One above the highest nonce that was ever handed out and not given back. */
export function nextNonce(relayer: Row<'relayers'>): number {
  return Math.max(highestUsed(relayer), ...relayer.leases.map(({ nonce }) => nonce)) + 1
}

/** With a nonce that carries bytes and is in no block. */
export function opened(relayer: Row<'relayers'>, nonce: number): Row<'relayers'> {
  const open = [...relayer.open.filter((other) => other !== nonce), nonce]
  const leases = relayer.leases.filter((lease) => lease.nonce !== nonce)
  return { ...relayer, leases, open: open.sort((a, b) => a - b) }
}

/** With a nonce that was used. */
export function used(relayer: Row<'relayers'>, nonce: number): Row<'relayers'> {
  return { ...closed(relayer, nonce), top: Math.max(nonce, relayer.top ?? nonce) }
}

export function closed(relayer: Row<'relayers'>, nonce: number): Row<'relayers'> {
  return { ...relayer, open: relayer.open.filter((other) => other !== nonce) }
}

/** Nonces that are looked at for the highest used one: more than a pool takes of one key. */
const NEIGHBOURS = 64

/** With nonces that were used and are not any more: the highest used one may be another. */
export function unused(
  rows: Draft,
  relayer: Row<'relayers'>,
  nonces: readonly number[],
): Row<'relayers'> {
  const { top } = relayer
  if (top === null || !nonces.includes(top)) return relayer
  const group = relayer.relayer
  const below = rows.list({
    ...({ table: 'nonces', list: 'number', group, to: top, newest: true } as const),
    limit: NEIGHBOURS,
  })
  const next = below.find(
    ({ nonce, state }) => !nonces.includes(nonce) && (state === 'mined' || state === 'foreign'),
  )
  const isSeenWhole = below.length < NEIGHBOURS
  return { ...relayer, top: next?.nonce ?? (isSeenWhole ? null : top - NEIGHBOURS) }
}

/** Payments that wait for a nonce, and until when (Unix time in s) the last of them may be carried. */
export type Queue = { waiting: number; until: number }

export function queueOf(rows: Draft): Queue {
  const known = rows.row('meta', 'queue')
  if (known !== undefined) return JSON.parse(known.value) as Queue
  const counted = waitingIn(rows).reduce(joined, { waiting: 0, until: 0 })
  saveQueue(rows, counted)
  return counted
}

export const joined = ({ waiting, until }: Queue, { request }: Row<'payments'>): Queue => ({
  waiting: waiting + 1,
  until: Math.max(until, request.deadline),
})

export function left(rows: Draft, { waiting, until }: Queue, gone: Row<'payments'>): Queue {
  // Mostly the oldest goes, and the youngest has the longest time.
  if (waiting > 1 && gone.request.deadline < until) return { waiting: waiting - 1, until }
  return waitingIn(rows)
    .filter(({ session }) => session !== gone.session)
    .reduce(joined, { waiting: 0, until: 0 })
}

const waitingIn = (rows: Draft) =>
  rows.list({ table: 'payments', list: 'phase', group: 'waiting', limit: ALL })

export function saveQueue(rows: Draft, queue: Queue): void {
  rows.put('meta', { name: 'queue', value: JSON.stringify(queue) })
}
