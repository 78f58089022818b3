import type { Draft } from '../draft.ts'
import type { Row } from '../rows.ts'
import { isUnsettled } from '../transitions.ts'

/** Lists all rows, to count a lost total again. */
export const noLimit = Number.MAX_SAFE_INTEGER

type Account = Row<'accounts'>

export function readAccount(rows: Draft, account: string): Account {
  const known = rows.row('accounts', account)
  if (known !== undefined) return known
  // Most accounts are new and have no row: their few payments are listed instead.
  const payments = rows.list({ table: 'payments', list: 'account', group: account, limit: noLimit })
  const open = payments.filter(({ state }) => isUnsettled(state)).map(({ session }) => session)
  return { account, open, seen: payments.length }
}

/** Returns an account's payments whose outcome is unknown, the oldest first. */
export const listOpen = (rows: Draft, { open }: Account): Row<'payments'>[] =>
  open
    .flatMap((session) => rows.row('payments', session) ?? [])
    .filter(({ state }) => isUnsettled(state))
    .sort((a, b) => a.accepted_at - b.accepted_at || (a.session < b.session ? -1 : 1))

/** Counts a payment with its account, and unlists those that were settled since. */
export function noteOpen(
  rows: Draft,
  { account: name, session, state }: Row<'payments'>,
  isNew: boolean,
): void {
  const account = readAccount(rows, name)
  if (!isNew && account.open.includes(session)) return
  const open = listOpen(rows, account).map((payment) => payment.session)
  if (isUnsettled(state)) open.push(session)
  saveAccount(rows, { ...account, open, seen: account.seen + (isNew ? 1 : 0) })
}

/** Saves an account; one without payments has no row. */
export function saveAccount(rows: Draft, account: Account): void {
  const { open, seen } = account
  if (open.length + seen > 0) rows.put('accounts', account)
  else rows.drop('accounts', account.account)
}

/** Counts payments that wait for a nonce; `until` is their last deadline (Unix time in s). */
export type Queue = { waiting: number; until: number }

/** Returns the queue, saving it if it was counted again, since every payment reads it. */
export function readQueue(rows: Draft): Queue {
  const queue = peekQueue(rows)
  if (rows.row('meta', 'queue') === undefined) saveQueue(rows, queue)
  return queue
}

/** Returns the queue without a write. */
export function peekQueue(rows: Draft): Queue {
  const known = rows.row('meta', 'queue')
  if (known !== undefined) return JSON.parse(known.value) as Queue
  const waiting = { table: 'payments', list: 'phase', group: 'waiting', limit: noLimit } as const
  return rows.list({ ...waiting, totalRow: ['meta', 'queue'] }).reduce(addToQueue, noQueue)
}

export const addToQueue = ({ waiting, until }: Queue, { request }: Row<'payments'>): Queue => ({
  waiting: waiting + 1,
  until: Math.max(until, request.deadline),
})

/** Removes a payment; the queue keeps its latest deadline until it is empty. */
export const removeFromQueue = ({ waiting, until }: Queue): Queue =>
  waiting > 1 ? { waiting: waiting - 1, until } : noQueue

const noQueue: Queue = { waiting: 0, until: 0 }

/** Empties a queue without waiting payments, because payments with lost rows never leave it. */
export function endQueue(rows: Draft): void {
  const known = rows.row('meta', 'queue')
  if (known === undefined || (JSON.parse(known.value) as Queue).waiting === 0) return
  const first = rows.list({ table: 'payments', list: 'phase', group: 'waiting', limit: 1 })
  if (first.length === 0) saveQueue(rows, noQueue)
}

export function saveQueue(rows: Draft, queue: Queue): void {
  rows.put('meta', { name: 'queue', value: JSON.stringify(queue) })
}

type InBlock = Pick<Row<'nonces'>, 'block_hash' | 'block_number'>
type Holds = Pick<Row<'blocks'>, 'nonces' | 'sessions'>

/** Updates block rows after a nonce or payment came into a block, or left one. */
export function noteBlock(
  rows: Draft,
  before: InBlock | undefined,
  after: InBlock | undefined,
  { nonces, sessions }: Holds,
): void {
  const [hashBefore, hashAfter] = [before?.block_hash ?? null, after?.block_hash ?? null]
  if (hashBefore === hashAfter) return
  const old = hashBefore === null ? undefined : rows.row('blocks', hashBefore)
  if (old !== undefined) {
    const removed = new Set([...nonces, ...sessions].map(String))
    const remaining = {
      nonces: old.nonces.filter((nonce) => !removed.has(`${nonce}`)),
      sessions: old.sessions.filter((session) => !removed.has(session)),
    }
    if (remaining.nonces.length + remaining.sessions.length > 0)
      rows.put('blocks', { ...old, ...remaining })
    else rows.drop('blocks', old.hash)
  }
  const number = after?.block_number ?? null
  if (hashAfter === null || number === null) return
  const block = rows.row('blocks', hashAfter) ?? {
    hash: hashAfter,
    number,
    nonces: [],
    sessions: [],
  }
  rows.put('blocks', {
    ...block,
    nonces: [...block.nonces, ...nonces],
    sessions: [...block.sessions, ...sessions],
  })
}
