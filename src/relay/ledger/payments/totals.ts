import type { Draft } from '../draft.ts'
import { type MetaValue, readMeta, saveMeta } from '../meta.ts'
import type { Row } from '../rows.ts'
import { isOutcomeUnknown } from '../transitions.ts'

/** Holds an account's totals: `seen` counts payments, `open` lists those of unknown outcome. */
type AccountTotals = Row<'accounts'>

export const readAccountTotals = (rows: Draft, account: string): AccountTotals =>
  rows.row('accounts', account) ?? { account, open: [], seen: 0 }

/** Returns an account's payments whose outcome is unknown, the oldest first. */
export const listOpenPayments = (rows: Draft, { open }: AccountTotals): Row<'payments'>[] =>
  open
    .flatMap((session) => rows.named('payments', session) ?? [])
    .filter(({ state }) => isOutcomeUnknown(state))
    .sort((a, b) => a.accepted_at - b.accepted_at || (a.session < b.session ? -1 : 1))

/** Updates the totals of a payment's account after the payment was created or has changed. */
export function updateAccountTotals(
  rows: Draft,
  { account, session, state }: Row<'payments'>,
  isNew: boolean,
): void {
  const totals = readAccountTotals(rows, account)
  // A payment with an outcome may stay in `open`, because readers check the states.
  if (!isNew && totals.open.includes(session)) return
  const open = listOpenPayments(rows, totals).map((payment) => payment.session)
  if (isOutcomeUnknown(state)) open.push(session)
  saveOrDropTotals(rows, { ...totals, open, seen: totals.seen + (isNew ? 1 : 0) })
}

/** Saves an account's totals, or deletes their row if the account has no payments. */
export function saveOrDropTotals(rows: Draft, totals: AccountTotals): void {
  if (totals.open.length + totals.seen > 0) rows.put('accounts', totals)
  else rows.drop('accounts', totals.account)
}

/** Counts the payments that wait for a nonce, and holds their last deadline (Unix time in s). */
export const readQueue = (rows: Draft): MetaValue<'queue'> =>
  readMeta(rows, 'queue') ?? { waiting: 0, until: 0 }

/** Counts payments that wait for a nonce, and keeps the last deadline until none waits. */
export function countWaiting(rows: Draft, change: -1 | 0 | 1, deadline: number): void {
  const { waiting, until } = readQueue(rows)
  const left = Math.max(0, waiting + change)
  const last = change > 0 ? Math.max(until, deadline) : until
  saveMeta(rows, 'queue', { waiting: left, until: left === 0 ? 0 : last })
}

type NonceRow = Row<'nonces'>
type RelayerTotals = Row<'relayers'>

export const readRelayerTotals = (rows: Draft, relayer: string): RelayerTotals =>
  rows.row('relayers', relayer) ?? { relayer, open: [], top: null }

/** Updates the totals of a nonce's relayer, if they change with the nonce. */
export function updateRelayerTotals(
  rows: Draft,
  before: NonceRow | undefined,
  { relayer, nonce, sessions, ...after }: NonceRow,
): void {
  const [useBefore, useAfter] = [getUse(before), getUse(after)]
  if (useBefore === useAfter && before?.sessions.length === sessions.length) return
  const totals = readRelayerTotals(rows, relayer)
  const open = totals.open.filter(([other]) => other !== nonce)
  if (useAfter === 'open') open.push([nonce, sessions.length])
  // A nonce that a block has lost was the highest used one, so the one before it is now.
  const topBefore = useBefore === 'used' && totals.top === nonce ? nonce - 1 : totals.top
  const top = useAfter === 'used' ? Math.max(nonce, topBefore ?? nonce) : topBefore
  rows.put('relayers', { relayer, open: open.sort(([a], [b]) => a - b), top })
}

/** Returns the use of a nonce. While it is open, no block has a transaction of it. */
function getUse(row: Pick<NonceRow, 'state'> | undefined): 'open' | 'used' | 'free' {
  if (row === undefined || row.state === 'abandoned') return 'free'
  return row.state === 'recorded' ? 'open' : 'used'
}

/** Returns the nonce after all that have a transaction or were used. */
export const findNextNonce = ({ open, top }: RelayerTotals): number =>
  Math.max(-1, top ?? -1, ...open.map(([nonce]) => nonce)) + 1

/** Counts the payments of all open nonces; a nonce without a payment counts as one. */
export const countCarried = ({ open }: RelayerTotals): number =>
  open.reduce((sum, [, payments]) => sum + Math.max(1, payments), 0)

/** Counts the nonces in blocks by the ledger's rows, because a node's count may be older. */
export function countMined(rows: Draft, { relayer, top }: RelayerTotals): number {
  const isMined = top !== null && rows.row('nonces', relayer, top)?.state === 'mined'
  return isMined ? top + 1 : 0
}

type BlockColumns = Pick<Row<'nonces'>, 'block_hash' | 'block_number'>
type BlockContents = Pick<Row<'blocks'>, 'nonces' | 'sessions'>

/** Moves nonces or payments from the row of one block to that of another. */
export function updateBlockContents(
  rows: Draft,
  before: BlockColumns | undefined,
  after: BlockColumns | undefined,
  contents: BlockContents,
): void {
  const [hashBefore, hashAfter] = [before?.block_hash ?? null, after?.block_hash ?? null]
  if (hashBefore === hashAfter) return
  const blockBefore = hashBefore === null ? undefined : rows.row('blocks', hashBefore)
  if (blockBefore !== undefined) removeContents(rows, blockBefore, contents)
  const number = after?.block_number ?? null
  if (hashAfter === null || number === null) return
  const { nonces = [], sessions = [] } = rows.row('blocks', hashAfter) ?? {}
  rows.put('blocks', {
    hash: hashAfter,
    number,
    nonces: [...nonces, ...contents.nonces],
    sessions: [...sessions, ...contents.sessions],
  })
}

/** Removes contents from a block's row, and deletes the row if nothing remains. */
function removeContents(rows: Draft, block: Row<'blocks'>, contents: BlockContents): void {
  const removed = new Set([...contents.nonces, ...contents.sessions].map(String))
  const nonces = block.nonces.filter((nonce) => !removed.has(`${nonce}`))
  const sessions = block.sessions.filter((session) => !removed.has(session))
  if (nonces.length + sessions.length > 0) rows.put('blocks', { ...block, nonces, sessions })
  else rows.drop('blocks', block.hash)
}
