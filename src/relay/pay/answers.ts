import type { Clock } from '../../runtime/clock.ts'
import type { Decided, Ledger, Question, Screen } from '../ledger/port.ts'

/** What the caller is told. */
export type PaymentAnswer =
  /** This screen, the same for every delivery of this question until it is known to have failed. */
  | { kind: 'screen'; screen: Screen }
  /** What was submitted has failed for good. */
  | { kind: 'failed' }
  /** The session was decided by another question, and may have paid. */
  | { kind: 'ended' }
  /** The session was decided by another question, and nothing was sent. */
  | { kind: 'closed' }
  /** Nothing was sent so far, and the ledger could not note that nothing will be: a later delivery may send it. */
  | { kind: 'unsent' }
  /** The ledger gave no answer: it is not known whether something was sent. */
  | { kind: 'uncertain' }

/** After this time a caller gets an answer in any case: a gateway waits 10 s at least. */
export const answerWithinMs = 6_500

/** Between two looks at a session that another delivery decides: growing, since a claim whose Worker died stands for seconds. */
export const firstPauseMs = 30
export const longerPauseMs = (pauseMs: number): number => Math.min(pauseMs * 2, 1_000)

const ledgerAttempts = 3
const ledgerRetryMs = 50

/**
 * Calls of the ledger that a restart of its object interrupts are made again; each of them meets
 * its own token, so that twice is once.
 *
 * @throws {Error} the ledger gave no answer
 */
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

/** What the caller of a session is told that is decided. */
export function answerOf(decided: Exclude<Decided, { kind: 'pending' }>): PaymentAnswer {
  switch (decided.kind) {
    case 'answered':
      return { kind: 'screen', screen: decided.screen }
    case 'failed':
    case 'ended':
    case 'closed':
      return { kind: decided.kind }
  }
}

/** What is known of a session that could not be closed: some databases still answer that do not write. */
export async function soFar(
  ledger: Pick<Ledger, 'lookup'>,
  question: Question,
): Promise<PaymentAnswer> {
  const view = await ledger.lookup(question).catch(() => undefined)
  if (view === undefined || view.kind === 'pending') return { kind: 'uncertain' }
  return view.kind === 'undecided' ? { kind: 'unsent' } : answerOf(view)
}
