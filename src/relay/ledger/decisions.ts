import type { Draft } from './draft.ts'
import { paymentRow } from './life/payments.ts'
import { intakeOf } from './notes/operations.ts'
import type { Decided, Question, Screen } from './port.ts'
import type { Row } from './rows.ts'

export const isRestoring = (rows: Draft): boolean => intakeOf(rows).kind === 'restoring'

/** Tells what a session's question was answered with; undefined where it is open. What a restore may tell of is not. */
export function decidedOf(rows: Draft, { session, input }: Question): Decided | undefined {
  const row = rows.row('sessions', session)
  const payment = paymentRow(rows, session)
  if (row === undefined) {
    if (payment !== undefined) return { kind: 'ended' }
    return isRestoring(rows) ? { kind: 'pending' } : undefined
  }
  if (row.input !== input) return { kind: row.state === 'refused' ? 'closed' : 'ended' }
  const kind = payment !== undefined && hasFailed(payment) ? 'failed' : 'answered'
  return { kind, screen: row.screen }
}

/**
 * Tells whether a failure is final. One that was found on the chain, by a ledger that had lost its rows, is told
 * at once: no one was told another thing by this ledger.
 */
function hasFailed({ state, outcome, history }: Row<'payments'>): boolean {
  const isAdopted = history[0]?.[0] === 'mined'
  const isFinal = state === 'reverted' || state === 'expired'
  return isFinal || (isAdopted && state === 'mined' && outcome === 'failed')
}

/** Writes what a session's question is answered with from now on. */
export function saveSession(
  rows: Draft,
  { session, account, input, steps }: Question & { steps: number },
  state: Row<'sessions'>['state'],
  screen: Screen,
): void {
  rows.put('sessions', { session, account, input, steps, state, screen, decided_at: rows.now })
}
