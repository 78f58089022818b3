import type { Hex } from 'viem'
import type { Draft } from './draft.ts'
import { getPaymentRow } from './payments/payment-states.ts'
import type { Row } from './rows.ts'
import type { Screen, StepKey } from './values.ts'

/** Tells how a session was decided, as far as one step may know. */
export type Decided =
  /**
   * Has the answer of this very step, and how long ago it was decided. If `paid` is set, the chain
   * executed another request than the screen says.
   */
  | { kind: 'answered'; screen: Screen; ageMs: number; paid?: Paid | undefined }
  /** Has the answer of this very step, whose payment has failed since. */
  | { kind: 'failed'; screen: Screen }
  /** Means that another step has paid, or that the ledger lost the answer. */
  | { kind: 'ended' }
  /**
   * Means that another step was refused: the session pays nothing any more. It has paid nothing
   * either, unless rows may have been lost that hold a payment of it.
   */
  | { kind: 'closed'; isUnsure?: true }

/** Holds the call that the chain executed for a session, and its transaction. */
export type Paid = { data: Hex; hash: Hex }

export function findDecision(rows: Draft, { session, input }: StepKey): Decided | undefined {
  const row = readSessionRow(rows, session)
  const payment = getPaymentRow(rows, session)
  if (row === undefined) return payment && { kind: 'ended' }
  if (row.input !== input) {
    if (row.state === 'unsure') return { kind: 'closed', isUnsure: true }
    return { kind: row.state === 'refused' ? 'closed' : 'ended' }
  }
  const { screen } = row
  if (payment !== undefined && canShowFailure(payment)) return { kind: 'failed', screen }
  const ageMs = rows.now - row.decided_at
  return { kind: 'answered', screen, ageMs, ...(payment && findOtherPaid(payment)) }
}

/** Returns what the chain executed, if that is not what the stored screen says. */
function findOtherPaid({ executed, hash }: Row<'payments'>): { paid: Paid } | undefined {
  if (!executed || hash === null) return undefined
  return { paid: { data: executed.data, hash } }
}

/**
 * Tells whether a payment has failed for good, or was adopted from the chain as failed. One that
 * was told as final stays so, also for its caller: the operator stands for it.
 */
function canShowFailure({ state, outcome, history, assured_at }: Row<'payments'>): boolean {
  if (assured_at !== undefined) return false
  const isAdopted = history[0]?.[0] === 'mined'
  const isFinal = state === 'reverted' || state === 'expired'
  return isFinal || (isAdopted && state === 'mined' && outcome === 'failed')
}

/** Returns how a session was decided: with a payment, by that. */
export function readSessionRow(rows: Draft, session: string): Row<'sessions'> | undefined {
  const payment = getPaymentRow(rows, session)
  if (payment?.decided === undefined) return rows.row('sessions', session)
  const { account, decided, accepted_at } = payment
  return { session, account, ...decided, state: 'accepted', decided_at: accepted_at }
}

/** Returns what a payment keeps of the delivery that began it. */
export const toDecided = (
  { input, answerCount }: { input: string; answerCount: number },
  screen: Screen,
) => ({ input, steps: answerCount, screen })
