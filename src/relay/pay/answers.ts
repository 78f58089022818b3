import { type Clock, withTimeLimit } from '../../runtime/clock.ts'
import { describeFault, tryOrLog } from '../../runtime/log.ts'
import type { Decided } from '../ledger/decisions.ts'
import type { Traces } from '../ledger/records/possible-loss.ts'
import type { Ledger } from '../ledger/steps.ts'
import { maxReadAgeMs, type Screen, type StepKey } from '../ledger/values.ts'
import { readIsSpent } from '../outcome/spent.ts'
import { findObstacleKind, isSilentOnPayments, nameReason, type Refusal } from '../refusal.ts'
import type { Relayer } from '../relayer.ts'
import type { Delivery, PayingStep } from './paying-step.ts'

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

/** Limits how long a session may take to close once its answer is due. */
const closeWithinMs = maxReadAgeMs - answerWithinMs
/** Ends a session without a payment, unless one is recorded or already executed. */
export async function endUnpaid(delivery: Delivery, isNodeSilent: boolean): Promise<PaymentAnswer> {
  const { relayer, step, progress } = delivery
  if (progress.screen !== undefined) return { kind: 'screen', screen: progress.screen }
  if (progress.isAnswered || progress.isSpent) return { kind: 'uncertain' }
  if (isNodeSilent) progress.observed.node = 'silent'
  const closed = refuse(delivery, { kind: isNodeSilent ? 'no_answer' : 'unavailable' }).catch(() =>
    readKnownAnswer(relayer.ledger, step.stepKey),
  )
  const answer = await withTimeLimit(relayer.clock, closeWithinMs, closed, () => undefined)
  return answer ?? { kind: 'uncertain' }
}

/** Answers for a decided session, with what the chain executed if that is not what was accepted. */
export async function answerDecided(
  { texts }: PayingStep,
  decided: Decided,
): Promise<PaymentAnswer> {
  const paid = decided.kind === 'answered' ? decided.paid : undefined
  const answer = toAnswer(decided)
  return paid === undefined ? answer : { ...answer, kind: 'screen', screen: await texts.paid(paid) }
}

/** Completes what shows lost rows, where the ledger is in doubt or nothing was simulated. */
async function readTraces({
  relayer,
  options,
  step,
  progress: { traces, isDoubtful },
}: Delivery): Promise<Traces | undefined> {
  if (traces === undefined || (options.preflight && !isDoubtful)) return traces
  return { ...traces, ...(await readIsSpent(relayer, step.intent)) }
}

export async function refuse(
  delivery: Delivery,
  refusal: Refusal,
): Promise<PaymentAnswer | undefined> {
  const { relayer, step, progress } = delivery
  if (progress.isAnswered) return undefined
  const { answerCount, stepKey, texts } = step
  const screen = texts.refusal(refusal)
  const obstacle = findObstacleKind(refusal)
  const read = await readTraces(delivery)
  if (progress.isAnswered) return undefined
  // Meanwhile the payment may have been offered: what was read before that shows nothing of it.
  if (progress.screen !== undefined) return { kind: 'screen', screen: progress.screen }
  const traces = progress.traces && read
  const refused = await retryLedgerCall(relayer.clock, () =>
    relayer.ledger.refuse({
      ...stepKey,
      answerCount,
      screen,
      obstacle,
      reason: nameReason(refusal),
      observations: { ...progress.observed, now: relayer.clock.now() },
      traces,
      asOf: progress.asOf,
    }),
  )
  if (refused.kind !== 'refused' && refused.kind !== 'unsure') return answerDecided(step, refused)
  if (obstacle !== undefined && refused.isNews) {
    relayer.log({
      level: obstacle === 'paused' ? 'warn' : 'error',
      event: 'payments.refused',
      message: 'Payments are refused because of the state of the relay',
      reason: obstacle,
    })
  }
  return refused.kind === 'unsure' ? { kind: 'uncertain' } : { kind: 'screen', screen }
}

/** Describes the end of a session that pays nothing. */
type SessionEnd = Pick<PayingStep, 'since' | 'stepKey' | 'answerCount' | 'intent'> & {
  /** Says that nothing was sent. It is shown only if that is true. */
  screen: Screen
  /** Names why nothing is paid. It is undefined if no payment was asked for. */
  reason?: string | undefined
}

/** Limits how long the node may take to show whether rows were lost. */
const nodeTimeoutMs = 2_000

export type EndSession = (end: SessionEnd) => Promise<PaymentAnswer>

/** Creates the function that ends sessions in the ledger, so that no later delivery can pay. */
export function createEndSession(relayer: Relayer): EndSession {
  const { ledger, node, signer, clock, log } = relayer
  /** Reads what the chain shows of rows that the ledger may have lost. */
  async function readLoss({ intent }: SessionEnd): Promise<Traces> {
    const signal = clock.timeout(nodeTimeoutMs)
    const read = (block: 'latest' | 'pending') =>
      node.getTransactionCount(signer.address, signal, block)
    const [chain, pool, spent] = await Promise.all([
      read('latest'),
      read('pending'),
      readIsSpent(relayer, intent),
    ])
    return { chain, pool, relayer: signer.address.toLowerCase(), ...spent }
  }

  async function close(end: SessionEnd): Promise<PaymentAnswer> {
    const { screen, stepKey, answerCount, reason } = end
    const mustLook = !isSilentOnPayments(reason)
    const view = mustLook ? await retryLedgerCall(clock, () => ledger.lookup(stepKey)) : undefined
    if (view !== undefined && view.kind !== 'undecided') return toAnswer(view)
    const traces =
      view && (await tryOrLog(log, { level: 'warn', event: 'end.unread' }, () => readLoss(end)))
    const refused = await retryLedgerCall(clock, () =>
      ledger.refuse({ ...stepKey, answerCount, screen, reason, traces, asOf: view?.now }),
    )
    if (refused.kind === 'refused') return { kind: 'screen', screen }
    return refused.kind === 'unsure' ? { kind: 'uncertain' } : toAnswer(refused)
  }

  return async (end) => {
    const answer = close(end).catch((error) => {
      log({ level: 'error', event: 'end.failed', message: describeFault(error) })
      return readKnownAnswer(ledger, end.stepKey)
    })
    const leftMs = end.since + answerWithinMs - clock.now()
    return await withTimeLimit(clock, leftMs, answer, () => ({ kind: 'uncertain' }))
  }
}
