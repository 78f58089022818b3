import type { Clock } from '../../runtime/clock.ts'
import type { Decided } from '../ledger/decisions.ts'
import type { Ledger } from '../ledger/steps.ts'
import type { Screen, StepKey } from '../ledger/values.ts'

/** Tells what the caller is shown. */
export type PaymentAnswer =
  /**
   * Shows this screen, to every delivery of the step until the payment fails for good. `ageMs`
   * tells how long ago an earlier delivery decided it.
   */
  | { kind: 'screen'; screen: Screen; ageMs?: number }
  /** Says that the submitted payment has failed for good. */
  | { kind: 'failed' }
  /** Says that another step decided the session, and may have paid. */
  | { kind: 'ended' }
  /** Says that another step decided the session, and nothing was sent. */
  | { kind: 'closed' }
  /** Asks the payment's last question again, because its answer came too late. */
  | { kind: 'late' }
  /** Says that nothing was sent so far; a later delivery may still send it. */
  | { kind: 'unsent' }
  /** Says that the ledger gave no answer, so it is not known whether something was sent. */
  | { kind: 'uncertain' }

/** Limits how long a caller waits for an answer: gateways wait at least 10 s. */
export const answerWithinMs = 6_500

/** Sets the pause between two tries to pay, in ms. */
export const retryPauseMs = 30

const maxLedgerAttempts = 3
const ledgerRetryMs = 50

/** Retries an idempotent ledger call, since its object may restart. @throws {Error} no answer */
export async function retryLedgerCall<T>(clock: Clock, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (attempt === maxLedgerAttempts)
        throw new Error('the ledger gave no answer', { cause: error })
      await clock.sleep(ledgerRetryMs)
    }
  }
}

/** Returns the answer for a decided session. */
export function toAnswer(decided: Decided): PaymentAnswer {
  if (decided.kind === 'closed') return { kind: decided.isUnsure ? 'ended' : 'closed' }
  if (decided.kind !== 'answered') return { kind: decided.kind }
  return { kind: 'screen', screen: decided.screen, ageMs: decided.ageMs }
}

/** Returns what is known of a session that could not be closed. Some databases can only read. */
export async function readKnownAnswer(
  ledger: Pick<Ledger, 'lookup'>,
  stepKey: StepKey,
): Promise<PaymentAnswer> {
  const view = await ledger.lookup(stepKey).catch(() => undefined)
  if (view === undefined) return { kind: 'uncertain' }
  return view.kind === 'undecided' ? { kind: 'unsent' } : toAnswer(view)
}
