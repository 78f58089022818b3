import type { Draft } from '../draft.ts'
import type { Row } from '../rows.ts'

type NonceRow = Row<'nonces'>
type RelayerTotals = Row<'relayers'>

/** Returns a relayer's totals. */
export const readRelayerTotals = (rows: Draft, relayer: string): RelayerTotals =>
  rows.row('relayers', relayer) ?? { relayer, open: [], top: null }

/** Updates the totals of a nonce's relayer, if they change with the nonce. */
export function updateRelayerTotals(
  rows: Draft,
  before: NonceRow | undefined,
  after: NonceRow,
): void {
  const hasSameCount = before?.sessions.length === after.sessions.length
  if (getUse(before) !== getUse(after) || !hasSameCount) {
    rows.put('relayers', addChange(readRelayerTotals(rows, after.relayer), before, after))
  }
}

function addChange(
  totals: RelayerTotals,
  before: NonceRow | undefined,
  after: NonceRow,
): RelayerTotals {
  const { nonce, sessions } = after
  const [useBefore, useAfter] = [getUse(before), getUse(after)]
  const open = totals.open.filter(([other]) => other !== nonce)
  if (useAfter === 'open') open.push([nonce, sessions.length])
  // A nonce that a block has lost was the highest used one, so the one before it is now.
  const topBefore = useBefore === 'used' && totals.top === nonce ? nonce - 1 : totals.top
  const top = useAfter === 'used' ? Math.max(nonce, topBefore ?? nonce) : topBefore
  return { ...totals, open: open.sort(([a], [b]) => a - b), top }
}

/** Returns the use of a nonce. While it is open, no block has a transaction of it. */
function getUse(row: NonceRow | undefined): 'open' | 'used' | 'free' {
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
