import type { Draft } from './draft.ts'
import { getPaymentRow } from './payments/payment-states.ts'
import type { Decided, Paid, Screen, StepKey } from './port.ts'
import type { Row } from './rows.ts'

/** Returns a session's decision, if there is one. */
export function findDecision(rows: Draft, { session, input }: StepKey): Decided | undefined {
  const row = rows.row('sessions', session)
  const payment = getPaymentRow(rows, session)
  if (row === undefined) return payment && { kind: 'ended' }
  if (row.input !== input) return { kind: row.state === 'refused' ? 'closed' : 'ended' }
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

/** Tells whether a payment has failed for good, or was adopted from the chain as failed. */
function canShowFailure({ state, outcome, history }: Row<'payments'>): boolean {
  const isAdopted = history[0]?.[0] === 'mined'
  const isFinal = state === 'reverted' || state === 'expired'
  return isFinal || (isAdopted && state === 'mined' && outcome === 'failed')
}

export function saveSession(
  rows: Draft,
  { session, account, input, answerCount }: StepKey & { answerCount: number },
  state: Row<'sessions'>['state'],
  screen: Screen,
): void {
  rows.put('sessions', {
    session,
    account,
    input,
    steps: answerCount,
    state,
    screen,
    decided_at: rows.now,
  })
}
