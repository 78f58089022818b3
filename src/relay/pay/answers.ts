import type { Clock } from '../../runtime/clock.ts'
import type { Decided, Ledger, Question, Screen } from '../ledger/port.ts'

/** Tells what the caller is shown. */
export type PaymentAnswer =
  /** Shows this screen to every delivery of the question until it is known to have failed. */
  | { kind: 'screen'; screen: Screen }
  /** Says that what was submitted has failed for good. */
  | { kind: 'failed' }
  /** Says that another question decided the session, and may have paid. */
  | { kind: 'ended' }
  /** Says that another question decided the session, and nothing was sent. */
  | { kind: 'closed' }
  /** Says that nothing was sent so far; a later delivery may still send it. */
  | { kind: 'unsent' }
  /** Says that the ledger gave no answer: it is not known whether something was sent. */
  | { kind: 'uncertain' }

/** Limits how long a caller waits for an answer: gateways wait at least 10 s. */
export const answerWithinMs = 6_500

/** Grows between two looks at a session that a restore may still tell of. */
export const firstPauseMs = 30
export const longerPauseMs = (pauseMs: number): number => Math.min(pauseMs * 2, 1_000)

const ledgerAttempts = 3
const ledgerRetryMs = 50

/** Calls the ledger again where its object restarts: twice is once. @throws {Error} no answer */
export async function persist<Answer>(clock: Clock, call: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (attempt === ledgerAttempts) throw new Error('the ledger gave no answer', { cause: error })
      await clock.sleep(ledgerRetryMs)
    }
  }
}

/** Returns what the caller of a decided session is told. */
export function toAnswer(decided: Exclude<Decided, { kind: 'pending' }>): PaymentAnswer {
  if (decided.kind === 'answered') return { kind: 'screen', screen: decided.screen }
  return { kind: decided.kind }
}

/** Tells what is known of a session that was not closed: some databases answer and do not write. */
export async function soFar(
  ledger: Pick<Ledger, 'lookup'>,
  question: Question,
): Promise<PaymentAnswer> {
  const view = await ledger.lookup(question).catch(() => undefined)
  if (view === undefined || view.kind === 'pending') return { kind: 'uncertain' }
  return view.kind === 'undecided' ? { kind: 'unsent' } : toAnswer(view)
}
