import { withTimeLimit } from '../../runtime/clock.ts'
import { describeFault } from '../../runtime/log.ts'
import type { Traces } from '../ledger/records/possible-loss.ts'
import type { Screen, StepKey } from '../ledger/values.ts'
import { type IntentName, readIsSpent } from '../outcome/spent.ts'
import { findObstacleKind, isSilentOnPayments, nameReason, type Refusal } from '../refusal.ts'
import type { Relayer } from '../relayer.ts'
import {
  answerWithinMs,
  type PaymentAnswer,
  readKnownAnswer,
  retryLedgerCall,
  toAnswer,
} from './answers.ts'
import type { Delivery, PayingStep } from './paying-step.ts'

/** Limits how long a session may take to close once its answer is due. */
const closeWithinMs = 1_000
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
  decided: Parameters<typeof toAnswer>[0],
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
type SessionEnd = {
  /** Tells when the delivery arrived (Unix time in ms). */
  since: number
  stepKey: StepKey
  /** Counts the answers that the caller has given. */
  answerCount: number
  /** Says that nothing was sent. It is shown only if that is true. */
  screen: Screen
  /** Names why nothing is paid. It is undefined if no payment was asked for. */
  reason?: string | undefined
  /** Names what a payment of this session would spend on the chain. */
  intent: IntentName
}

/** Limits how long the node may take to show whether rows were lost. */
const nodeTimeoutMs = 2_000

export type EndSession = (end: SessionEnd) => Promise<PaymentAnswer>

/** Creates the function that ends sessions in the ledger, so that no later delivery can pay. */
export function createEndSession(relayer: Relayer): EndSession {
  const { ledger, node, signer, clock, log } = relayer
  /** Reads what the chain shows of rows that the ledger may have lost. */
  async function readLoss(intent: IntentName): Promise<Traces | undefined> {
    try {
      const signal = clock.timeout(nodeTimeoutMs)
      const read = (block: 'latest' | 'pending') =>
        node.getTransactionCount(signer.address, signal, block)
      const [chain, pool, spent] = await Promise.all([
        read('latest'),
        read('pending'),
        readIsSpent(relayer, intent),
      ])
      return { chain, pool, relayer: signer.address.toLowerCase(), ...spent }
    } catch (error) {
      log({ level: 'warn', event: 'end.unread', message: describeFault(error) })
      return undefined
    }
  }

  async function close(end: SessionEnd, answerBy: number): Promise<PaymentAnswer> {
    const { screen, stepKey, answerCount, reason } = end
    const traces = isSilentOnPayments(reason) ? undefined : await readLoss(end.intent)
    if (clock.now() >= answerBy) return { kind: 'uncertain' }
    const refused = await retryLedgerCall(clock, () =>
      ledger.refuse({ ...stepKey, answerCount, screen, reason, traces }),
    )
    if (refused.kind === 'refused') return { kind: 'screen', screen }
    return refused.kind === 'unsure' ? { kind: 'uncertain' } : toAnswer(refused)
  }

  return async (end) => {
    const answerBy = end.since + answerWithinMs
    const answer = close(end, answerBy).catch((error) => {
      log({ level: 'error', event: 'end.failed', message: describeFault(error) })
      return readKnownAnswer(ledger, end.stepKey)
    })
    const leftMs = answerBy - clock.now()
    return await withTimeLimit(clock, leftMs, answer, () => ({ kind: 'uncertain' }))
  }
}
