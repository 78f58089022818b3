import type { Address } from 'viem'
import type { Draft } from '../draft.ts'
import { listOpenPayments, readAccountTotals } from '../payments/account-totals.ts'
import type { AccountStanding, SessionRefusal, SessionTrace } from '../port.ts'
import { sumSentInDay } from './earlier.ts'
import { findLoan } from './loans.ts'
import { recordAction } from './operations.ts'

const maxRefusals = 5

export const isHeld = (rows: Draft, account: string): boolean =>
  rows.row('holds', account) !== undefined

/** Holds or releases an account, and records the action. */
export function setHold(
  rows: Draft,
  account: Address,
  isHeld: boolean,
  id: string,
): AccountStanding {
  recordAction(rows, { id, action: isHeld ? 'hold' : 'release', detail: { account } })
  if (!isHeld) rows.drop('holds', account)
  else if (rows.row('holds', account) === undefined) {
    rows.put('holds', { account, held_at: rows.now })
  }
  return readStanding(rows, account)
}

/** Records for operators why a session was refused. */
export function recordRefusal(rows: Draft, { account, session, reason }: SessionRefusal): void {
  if (reason === undefined) return
  const earlier = rows.row('refusals', account)?.last ?? []
  // A session that stays open is refused with each delivery.
  const others = earlier.filter((refusal) => refusal.session !== session)
  const last = [{ session, reason, at: rows.now }, ...others].slice(0, maxRefusals)
  rows.put('refusals', { account, last, at: rows.now })
}

export function readStanding(rows: Draft, account: Address, contract?: Address): AccountStanding {
  const { transfers, sentWei } = sumSentInDay(rows, account)
  const last = rows.row('refusals', account)?.last ?? []
  return {
    heldAt: rows.row('holds', account)?.held_at,
    refusals: last.map(({ session, reason, at }) => ({
      reason,
      at,
      screen: rows.row('sessions', session)?.screen,
    })),
    open: listOpenPayments(rows, readAccountTotals(rows, account)).length,
    today: { transfers, sentWei },
    loan: contract && findLoan(rows, contract, account),
  }
}

export function readSessionTrace(rows: Draft, session: string): SessionTrace | undefined {
  const row = rows.row('sessions', session)
  if (row === undefined) return undefined
  const { state, screen, account, decided_at: decidedAt } = row
  const refusals = rows.row('refusals', account)?.last ?? []
  return {
    state,
    screen,
    decidedAt,
    intentId: rows.row('payments', session)?.intent_id,
    reason: refusals.find((refusal) => refusal.session === session)?.reason,
  }
}

export function pruneRefusals(rows: Draft, olderThanMs: number, limit: number): void {
  const old = rows.list({ table: 'refusals', list: 'age', olderThanMs, limit })
  for (const { account } of old) rows.drop('refusals', account)
}
