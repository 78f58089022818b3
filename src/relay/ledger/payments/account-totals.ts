import type { Draft } from '../draft.ts'
import type { Row } from '../rows.ts'
import { isOutcomeUnknown } from '../transitions.ts'

/** Sets no limit to a list, so that a lost total is counted from all of its rows. */
export const noLimit = Number.MAX_SAFE_INTEGER

type Account = Row<'accounts'>

/** Returns an account's totals, counted from its payments if it has no row. */
export function readAccount(rows: Draft, account: string): Account {
  const stored = rows.row('accounts', account)
  if (stored !== undefined) return stored
  // Most accounts are new and have no row: their few payments are listed instead.
  const payments = rows.list({ table: 'payments', list: 'account', group: account, limit: noLimit })
  const open = payments.filter(({ state }) => isOutcomeUnknown(state)).map(({ session }) => session)
  return { account, open, seen: payments.length }
}

/** Returns an account's payments whose outcome is unknown, the oldest first. */
export const listOpenPayments = (rows: Draft, { open }: Account): Row<'payments'>[] =>
  open
    .flatMap((session) => rows.row('payments', session) ?? [])
    .filter(({ state }) => isOutcomeUnknown(state))
    .sort((a, b) => a.accepted_at - b.accepted_at || (a.session < b.session ? -1 : 1))

/** Adds a payment to its account's totals, and takes out those whose outcome is known since. */
export function updateOpenPayments(
  rows: Draft,
  { account: address, session, state }: Row<'payments'>,
  isNew: boolean,
): void {
  const account = readAccount(rows, address)
  if (!isNew && account.open.includes(session)) return
  const open = listOpenPayments(rows, account).map((payment) => payment.session)
  if (isOutcomeUnknown(state)) open.push(session)
  saveAccount(rows, { ...account, open, seen: account.seen + (isNew ? 1 : 0) })
}

/** Saves an account; one without payments has no row. */
export function saveAccount(rows: Draft, account: Account): void {
  const { open, seen } = account
  if (open.length + seen > 0) rows.put('accounts', account)
  else rows.drop('accounts', account.account)
}

/** Counts the payments that wait for a nonce; `until` is their last deadline (Unix time in s). */
export type Queue = { waiting: number; until: number }

/** Returns the queue. A lost one is counted again and saved, since every payment reads it. */
export function loadOrRebuildQueue(rows: Draft): Queue {
  const queue = readQueue(rows)
  if (rows.row('meta', 'queue') === undefined) saveQueue(rows, queue)
  return queue
}

/** Returns the queue, without saving one that was lost. */
export function readQueue(rows: Draft): Queue {
  const stored = rows.row('meta', 'queue')
  if (stored !== undefined) return JSON.parse(stored.value) as Queue
  const waiting = { table: 'payments', list: 'phase', group: 'waiting', limit: noLimit } as const
  return rows.list({ ...waiting, totalRow: ['meta', 'queue'] }).reduce(addToQueue, noQueue)
}

export const addToQueue = ({ waiting, until }: Queue, { request }: Row<'payments'>): Queue => ({
  waiting: waiting + 1,
  until: Math.max(until, request.deadline),
})

/** Removes a payment. The last deadline stays until the queue is empty. */
export const removeFromQueue = ({ waiting, until }: Queue): Queue =>
  waiting > 1 ? { waiting: waiting - 1, until } : noQueue

const noQueue: Queue = { waiting: 0, until: 0 }

/** Empties a queue if no payment waits: one whose row was lost would be counted forever. */
export function clearEmptyQueue(rows: Draft): void {
  const stored = rows.row('meta', 'queue')
  if (stored === undefined || (JSON.parse(stored.value) as Queue).waiting === 0) return
  const first = rows.list({ table: 'payments', list: 'phase', group: 'waiting', limit: 1 })
  if (first.length === 0) saveQueue(rows, noQueue)
}

export function saveQueue(rows: Draft, queue: Queue): void {
  rows.put('meta', { name: 'queue', value: JSON.stringify(queue) })
}

type BlockColumns = Pick<Row<'nonces'>, 'block_hash' | 'block_number'>
type BlockContents = Pick<Row<'blocks'>, 'nonces' | 'sessions'>

/** Updates the rows of blocks after nonces or payments came into a block, or left one. */
export function updateBlocks(
  rows: Draft,
  before: BlockColumns | undefined,
  after: BlockColumns | undefined,
  { nonces, sessions }: BlockContents,
): void {
  const [hashBefore, hashAfter] = [before?.block_hash ?? null, after?.block_hash ?? null]
  if (hashBefore === hashAfter) return
  const blockBefore = hashBefore === null ? undefined : rows.row('blocks', hashBefore)
  if (blockBefore !== undefined) {
    const removed = new Set([...nonces, ...sessions].map(String))
    const remaining = {
      nonces: blockBefore.nonces.filter((nonce) => !removed.has(`${nonce}`)),
      sessions: blockBefore.sessions.filter((session) => !removed.has(session)),
    }
    if (remaining.nonces.length + remaining.sessions.length > 0)
      rows.put('blocks', { ...blockBefore, ...remaining })
    else rows.drop('blocks', blockBefore.hash)
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
