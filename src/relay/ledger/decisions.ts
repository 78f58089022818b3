import type { Draft } from './draft.ts'
import { getPaymentRow } from './payments/payment-states.ts'
import type { Decided, Question, Screen } from './port.ts'
import { readIntake } from './records/operations.ts'
import type { Row } from './rows.ts'

export const isRestoring = (rows: Draft): boolean => readIntake(rows).kind === 'restoring'

/** Returns a session's decision; undefined while it is open. A restore keeps it `pending`. */
export function findDecision(rows: Draft, { session, input }: Question): Decided | undefined {
  const row = rows.row('sessions', session)
  const payment = getPaymentRow(rows, session)
  if (row === undefined) {
    if (payment !== undefined) return { kind: 'ended' }
    return isRestoring(rows) ? { kind: 'pending' } : undefined
  }
  if (row.input !== input) return { kind: row.state === 'refused' ? 'closed' : 'ended' }
  const kind = payment !== undefined && hasFailed(payment) ? 'failed' : 'answered'
  return { kind, screen: row.screen }
}

/** Tells whether a failure may be shown: it is final, or was adopted from the chain. */
function hasFailed({ state, outcome, history }: Row<'payments'>): boolean {
  const isAdopted = history[0]?.[0] === 'mined'
  const isFinal = state === 'reverted' || state === 'expired'
  return isFinal || (isAdopted && state === 'mined' && outcome === 'failed')
}

export function saveSession(
  rows: Draft,
  { session, account, input, answerCount }: Question & { answerCount: number },
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
