import type { Address } from 'viem'
import type { ObstacleKind } from '../../refusal.ts'
import { readSessionRow } from '../decisions.ts'
import type { Draft, StepContext } from '../draft.ts'
import { readMeta, saveMeta } from '../meta.ts'
import { listOpenPayments, readAccountTotals } from '../payments/totals.ts'
import { reads } from '../port.ts'
import type { StepKey } from '../values.ts'
import { sumSentInDay } from './earlier.ts'

const maxRefusals = 5

export const isHeld = (rows: Draft, account: string): boolean =>
  rows.row('holds', account) !== undefined

export function recordRefusal(
  rows: Draft,
  { account, session }: StepKey,
  reason: string | undefined,
): void {
  // A session that another dial goes on with was cut, and not refused anything.
  if (reason === undefined || reason === 'cut_off') return
  const earlier = rows.row('refusals', account)?.last ?? []
  // A session that stays open is refused with each delivery.
  const others = earlier.filter((refusal) => refusal.session !== session)
  const last = [{ session, reason, at: rows.now }, ...others].slice(0, maxRefusals)
  rows.put('refusals', { account, last, at: rows.now })
}

/**
 * Reads an account's state for operators: its last refusals, the newest first, its payments without
 * a known outcome, and what counts toward the limits of a day. Times are Unix times in ms.
 */
function readStanding(rows: Draft, account: Address) {
  const { transfers, sentWei } = sumSentInDay(rows, account)
  const last = rows.row('refusals', account)?.last ?? []
  const held = rows.row('holds', account)
  return {
    heldAt: held?.held_at,
    heldFor: held?.reason,
    refusals: last.map(({ session, reason, at }) => ({
      reason,
      at,
      screen: readSessionRow(rows, session)?.screen,
    })),
    open: listOpenPayments(rows, readAccountTotals(rows, account)).length,
    today: { transfers, sentWei },
  }
}

/**
 * Tells how a session was decided: a payment has its intent, a refusal its reason. `ended` was
 * refused too, by a ledger whose lost rows may hold a payment of it.
 */
export function readSessionTrace(rows: Draft, session: string) {
  const row = readSessionRow(rows, session)
  if (row === undefined) return undefined
  const { state, screen, account, decided_at: decidedAt } = row
  const refusals = rows.row('refusals', account)?.last ?? []
  return {
    state: state === 'unsure' ? ('ended' as const) : state,
    screen,
    decidedAt,
    intentId: rows.row('payments', session)?.intent_id,
    reason: refusals.find((refusal) => refusal.session === session)?.reason,
  }
}

/** Holds an account, or releases it; one that is held already only gets another reason. */
export function setHold(
  { rows }: StepContext,
  account: Address,
  mustHold: boolean,
  reason?: string,
) {
  const held = rows.row('holds', account) ?? { account, held_at: rows.now }
  if (!mustHold) rows.drop('holds', account)
  else rows.put('holds', reason === undefined ? held : { ...held, reason })
  return readStanding(rows, account)
}

export const standingSteps = {
  readStanding: reads(({ rows }, account: Address) => readStanding(rows, account)),
  /** Returns how a session was decided; undefined if it was not, or its rows have been deleted. */
  traceSession: reads(({ rows }, session: string) => readSessionTrace(rows, session)),
}

/** Tells whether a session is closed; `unsure`: it is not, as lost rows may have paid for it. */
type Refused = ({ kind: 'refused' } | { kind: 'unsure' }) & {
  /** Asks to log the obstacle: it is new, or was logged over a minute ago. */
  isNews?: true
}

const logIntervalMs = 60_000

export const readObstacle = (rows: Draft) => readMeta(rows, 'obstacle')

/** Records an obstacle. It is news if it differs from the last one, and once a minute. */
export function recordObstacle(rows: Draft, kind: ObstacleKind | undefined): Refused {
  if (kind === undefined) return { kind: 'refused' }
  const last = readObstacle(rows)
  const isSame = last?.kind === kind
  const isNews = !isSame || rows.now - last.toldAt >= logIntervalMs
  const toldAt = isNews ? rows.now : last.toldAt
  saveMeta(rows, 'obstacle', { kind, at: rows.now, toldAt })
  return isNews ? { kind: 'refused', isNews } : { kind: 'refused' }
}

export function endObstacle(rows: Draft): void {
  const last = readObstacle(rows)
  if (last !== undefined && last.endedAt === undefined) {
    saveMeta(rows, 'obstacle', { ...last, endedAt: rows.now })
  }
}
