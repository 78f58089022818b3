import type { Address } from 'viem'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { getCallRules, type SharedLimit } from '../../loan/kinds.ts'
import { computeClockLead, maxClockOffsetMs } from '../../runtime/clock.ts'
import { describeFault } from '../../runtime/log.ts'
import { withTimeLimit } from '../../runtime/time-limit.ts'
import { isPausedError } from '../forwarder/requests.ts'
import type { TargetCheck } from '../forwarder/target.ts'
import { getIdentity } from '../identity.ts'
import type {
  AcceptPayment,
  OfferAnswer,
  PaymentOffer,
  Screens,
  TransactionToSend,
} from '../ledger/acceptance.ts'
import type { Paid } from '../ledger/decisions.ts'
import type { ObservationReport } from '../ledger/observations.ts'
import type { Lendable } from '../ledger/payments/reserves.ts'
import { hasDayLimit } from '../ledger/records/earlier.ts'
import type { AskedQuestion } from '../ledger/records/first-values.ts'
import type { Traces } from '../ledger/records/possible-loss.ts'
import type { Undecided } from '../ledger/sessions.ts'
import type { Order, Screen, StepKey } from '../ledger/values.ts'
import { broadcast } from '../outcome/broadcast.ts'
import { findExecution } from '../outcome/executions.ts'
import { type IntentName, readIsSpent } from '../outcome/spent.ts'
import { findObstacleKind, nameReason, type Refusal, type RefusalOf } from '../refusal.ts'
import type { Relayer } from '../relayer.ts'
import { type AccountLimits, computeCapacity, selectLimits } from './admission.ts'
import {
  answerWithinMs,
  type PaymentAnswer,
  readKnownAnswer,
  retryLedgerCall,
  retryPauseMs,
  toAnswer,
} from './answers.ts'
import { maxReadingAgeMs, type Readings, readFunding, takeReadings } from './readings.ts'
import { watchReceipt } from './watch.ts'

/** Describes a step of a session that asks to pay. A session pays at most once. */
export type PayingStep = {
  /** Tells when the delivery arrived (Unix time in ms): its answer is due some seconds later. */
  since: number
  stepKey: StepKey
  /** Counts the answers that the caller has given. */
  answerCount: number
  /** Names what the session's payment spends on the chain. */
  intent: IntentName
  /** Names the question that was answered, unless a late answer pays too. */
  question?: AskedQuestion | undefined
  /** Builds what is to be paid, once, if nothing is decided. It may read the chain. */
  createOrder: () => Promise<PreparedOrder>
  /** Tells why the caller may not pay at this moment; undefined if nothing speaks against it. */
  findDenial: () => Promise<RefusalOf<'not_authorized'> | undefined>
  texts: PaymentTexts
}

/** Holds a signed order, and what belongs to it before it is accepted. */
export type PreparedOrder = {
  order: Order
  /** Holds the screens of its acceptance. */
  screens: Screens
  /** Holds a recipient that was typed or saved, which may be nobody's wallet. */
  payee?: Address | undefined
}

/** Writes the screens of a step that asks to pay. */
export type PaymentTexts = {
  /** Asks whether to repeat an equal payment, which is this many minutes old. */
  repeat?: ((minutes: number) => Screen) | undefined
  /** Tells what the chain executed, whatever the text asks for now. */
  paid: (paid: Paid) => Promise<Screen>
  refusal: (refusal: Refusal) => Screen
}

/** Tracks the state of a delivery. */
type Progress = {
  /** Is true once the caller has an answer: unfinished work must not pay or close. */
  isAnswered: boolean
  /** Is true once the intent is spent on the chain: no screen may say that nothing was sent. */
  isSpent: boolean
  /** Holds the screen that is recorded with the payment. */
  screen: Screen | undefined
  /** Is true while the node is asked: if the time ends then, the node has not answered. */
  isWaitingForNode: boolean
  /** Holds what the chain shows of lost rows, once that is read. */
  traces: Traces | undefined
  /** Is true if lost rows may hold a payment of the session. */
  isDoubtful: boolean
  /** Holds what is to be paid, once it is built. */
  prepared: PreparedOrder | undefined
  /** Collects observations of the chain for the next ledger call. */
  readonly observed: ObservationReport
}

type Delivery = {
  relayer: Relayer
  options: PayOptions
  step: PayingStep
  progress: Progress
}

/** Adds what is to be paid, and the state of its account. */
type Attempt = Delivery & { prepared: PreparedOrder; view: Undecided }

export type Pay = (step: PayingStep) => Promise<PaymentAnswer>

export type PayOptions = {
  /** Returns whether the forwarder calls the contract that screens are read from. */
  isTarget: TargetCheck
  /** Simulates each call first, and refuses one that would revert. */
  preflight: boolean
  limits: AccountLimits
  /** Reads what is left of the limits that all accounts share. */
  readLimits: Readonly<Record<Exclude<SharedLimit, 'nothing'>, () => Promise<Lendable>>>
  /** Returns whether an account may ask again now; a redelivered question counts once. */
  mayDial: (stepKey: StepKey) => boolean
  accept: AcceptPayment
  /** Keeps work alive after the reply. */
  waitUntil: (work: Promise<void>) => void
}

/** Limits how long a session may take to close once its answer is due. */
const closeWithinMs = 1_000
/** Sets the pause between two requests to a node that is behind. */
const behindPauseMs = 1_000
const broadcastTimeoutMs = 2_000

/** Creates the function that makes a payment at most once. STORAGE.md describes the flow. */
export function createPay(relayer: Relayer, options: PayOptions): Pay {
  const { clock } = relayer
  return async (step) => {
    const progress: Progress = {
      isAnswered: false,
      isSpent: false,
      screen: undefined,
      isWaitingForNode: false,
      traces: undefined,
      isDoubtful: true,
      prepared: undefined,
      observed: { facts: {}, node: undefined, round: undefined },
    }
    const delivery = { relayer, options, step, progress }
    const leftMs = step.since + answerWithinMs - clock.now()
    const endLate = () => endUnpaid(delivery, progress.isWaitingForNode)
    try {
      return await withTimeLimit(clock, leftMs, payOrRefuse(delivery), endLate)
    } finally {
      progress.isAnswered = true
    }
  }
}

async function payOrRefuse(delivery: Delivery): Promise<PaymentAnswer> {
  const { relayer, step } = delivery
  try {
    return await pay(delivery)
  } catch (error) {
    const message = describeFault(error)
    relayer.log({ level: 'error', event: 'pay.failed', message, intent: step.intent.intentId })
    const isNodeFault = error instanceof TransportError || error instanceof RpcError
    return endUnpaid(delivery, isNodeFault)
  }
}

/** Ends a session without a payment, unless one is recorded or already executed. */
async function endUnpaid(delivery: Delivery, isNodeSilent: boolean): Promise<PaymentAnswer> {
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

async function pay(delivery: Delivery): Promise<PaymentAnswer> {
  const { relayer, step, progress } = delivery
  while (!progress.isAnswered) {
    const lookupStartedAt = relayer.clock.now()
    progress.isWaitingForNode = false
    const view = await retryLedgerCall(relayer.clock, () => relayer.ledger.lookup(step.stepKey))
    switch (view.kind) {
      case 'answered':
      case 'failed':
      case 'ended':
      case 'closed':
        return answerDecided(step, view)
      case 'undecided': {
        const clockOffsetMs = computeClockLead(view.now, lookupStartedAt, relayer.clock.now())
        const answer =
          Math.abs(clockOffsetMs) > maxClockOffsetMs
            ? await refuse(delivery, { kind: 'clock' })
            : await tryToPay(delivery, view)
        if (answer !== undefined) return answer
      }
    }
    await relayer.clock.sleep(retryPauseMs)
  }
  return { kind: 'uncertain' }
}

/** Makes one attempt. Returns undefined if something has changed, so that `pay` tries again. */
async function tryToPay(delivery: Delivery, view: Undecided): Promise<PaymentAnswer | undefined> {
  const { relayer, options, step, progress } = delivery
  if (!options.mayDial(step.stepKey)) return refuse(delivery, { kind: 'too_many_dials' })
  progress.isWaitingForNode = true
  if (progress.prepared === undefined) {
    progress.prepared = await step.createOrder()
    const question = await askToRepeat(delivery, progress.prepared)
    if (question !== undefined) return question
  }
  const attempt = { ...delivery, view, prepared: progress.prepared }
  const readings = await readAll(attempt)
  const { result, payee } = readings
  switch (result?.status) {
    // There is no result without a simulation (`PREFLIGHT=off`).
    case undefined:
    // Denials come after the simulation, because a ledger that lost its rows may have paid already.
    case 'executed':
      if (payee === 'unknown') throw new TransportError('no node tells who the recipient is')
      if (payee !== 'wallet') return refuse(delivery, { kind: 'not_a_wallet', payee })
      return acceptAndSend(attempt, readings)
    case 'behind':
      // Only the node can catch up, and each attempt asks it again.
      await relayer.clock.sleep(behindPauseMs)
      return undefined
    case 'failed': {
      const { returnData: revertData } = result
      // The pause stops loans and withdrawals but no transfers, so it is no obstacle for others.
      if (isPausedError(revertData)) progress.observed.facts.contracts = { state: 'loan_paused' }
      return refuse(delivery, { kind: 'would_revert', revertData })
    }
    case 'already_spent':
      progress.isSpent = true
      return adopt(attempt)
    case 'missing':
    case 'paused':
    case 'not_allowed':
      progress.observed.facts.contracts = { state: result.status }
      return refuse(delivery, { kind: 'contracts' })
    case 'expired':
    case 'deadline_too_far':
    case 'bad_signature':
    case 'skipped':
    case 'out_of_bounds':
      throw new Error(`the forwarder refuses this relay's requests: ${result.status}`)
  }
}

/**
 * Asks whether to repeat an equal payment of the account, if there is one, before the chain is
 * asked: money in flight is not reported as a low balance then.
 */
async function askToRepeat(
  { relayer, step }: Delivery,
  { order }: PreparedOrder,
): Promise<PaymentAnswer | undefined> {
  const { stepKey, question, texts } = step
  if (texts.repeat === undefined && question === undefined) return undefined
  const call = texts.repeat && { data: order.request.data }
  const minutes = await retryLedgerCall(relayer.clock, () =>
    relayer.ledger.recordEqualAge(stepKey, call),
  )
  if (minutes === undefined || texts.repeat === undefined) return undefined
  return { kind: 'screen', screen: texts.repeat(minutes) }
}

async function readAll({ relayer, options, prepared, view, progress }: Attempt): Promise<Readings> {
  const { order, payee } = prepared
  const { sharedLimit } = getCallRules(order.kind)
  progress.isDoubtful = view.isDoubtful === true
  return await takeReadings(relayer, {
    order,
    payee,
    view,
    isTarget: options.isTarget,
    readLimits: sharedLimit === 'nothing' ? undefined : options.readLimits[sharedLimit],
    preflight: options.preflight,
    observed: progress.observed,
    keepNonces(nonces) {
      progress.traces = nonces
    },
  })
}

/** Offers the payment. What refuses it for want of funds is judged by fresh readings too. */
async function acceptAndSend(
  attempt: Attempt,
  readings: Readings,
): Promise<PaymentAnswer | undefined> {
  const { relayer, progress, view } = attempt
  const accepted = await offer(attempt, readings)
  if (accepted?.kind !== 'price_too_high' && accepted?.kind !== 'relayer_poor')
    return answerOffer(attempt, accepted)
  progress.isWaitingForNode = true
  const { gasPriceWei, balanceWei } = readings.funding
  const funding = await readFunding(relayer, view, progress.observed, maxReadingAgeMs)
  const isSame = funding.gasPriceWei === gasPriceWei && funding.balanceWei === balanceWei
  return answerOffer(attempt, isSame ? accepted : await offer(attempt, { ...readings, funding }))
}

/** Offers the payment, if the caller may still pay; undefined once the caller has an answer. */
async function offer(
  attempt: Attempt,
  readings: Readings,
): Promise<OfferAnswer | RefusalOf<'not_authorized'> | undefined> {
  const { relayer, options, step, progress } = attempt
  const denied = await step.findDenial()
  if (denied !== undefined) return denied
  if (progress.isAnswered) return undefined
  progress.isWaitingForNode = false
  const offered = createOffer(attempt, readings)
  return await retryLedgerCall(relayer.clock, () => options.accept(offered))
}

async function answerOffer(
  attempt: Attempt,
  accepted: Awaited<ReturnType<typeof offer>>,
): Promise<PaymentAnswer | undefined> {
  const { progress, step } = attempt
  if (accepted === undefined) return undefined
  switch (accepted.kind) {
    case 'accepted':
      progress.screen = accepted.screen
      if (accepted.sending !== undefined) send(attempt, accepted.sending)
      return { kind: 'screen', screen: accepted.screen }
    case 'equal': {
      const { repeat } = step.texts
      return repeat && { kind: 'screen', screen: repeat(accepted.minutes) }
    }
    case 'late':
      return accepted
    case 'changed':
    case 'answered':
    case 'failed':
    case 'ended':
    case 'closed':
      return undefined
    default:
      return refuse(attempt, accepted)
  }
}

/** Creates the offer, which the ledger judges, because the readings may be outdated. */
function createOffer(
  { relayer, options, step, prepared, progress, view }: Attempt,
  { nonces, lendable, funding }: Readings,
): PaymentOffer {
  const limits = selectLimits(options.limits, view)
  const unlessEqual = step.texts.repeat !== undefined
  const mustMatchVersion = options.preflight || unlessEqual || hasDayLimit(limits)
  return {
    ...step.stepKey,
    answerCount: step.answerCount,
    order: prepared.order,
    screens: prepared.screens,
    chainNonce: nonces.chain,
    poolNonce: nonces.pool,
    gasPriceWei: funding.gasPriceWei,
    version: mustMatchVersion ? view.version : undefined,
    limits,
    capacity: computeCapacity(relayer, funding),
    lendable,
    unlessEqual,
    question: step.question,
    identity: getIdentity(relayer),
    observations: { ...progress.observed, now: relayer.clock.now() },
  }
}

/** Sends the recorded transaction and watches it after the reply. Rounds repeat what fails. */
function send({ relayer, options }: Attempt, sending: TransactionToSend): void {
  const watching = broadcast(relayer, { ...sending, isUnsent: true }, broadcastTimeoutMs)
    .then((verdict) => (verdict === 'withheld' ? undefined : watchReceipt(relayer, sending)))
    .catch((error) => {
      const { hash } = sending.transaction
      relayer.log({ level: 'warn', event: 'watch.failed', message: describeFault(error), hash })
    })
  options.waitUntil(watching)
}

/** Answers for a decided session, with what the chain executed if that is not what was accepted. */
async function answerDecided(
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

async function refuse(delivery: Delivery, refusal: Refusal): Promise<PaymentAnswer | undefined> {
  const { relayer, step, progress } = delivery
  if (progress.isAnswered) return undefined
  const { answerCount, stepKey, texts } = step
  const screen = texts.refusal(refusal)
  const obstacle = findObstacleKind(refusal)
  const traces = await readTraces(delivery)
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

/** Adopts a payment that only the chain knows, as it was executed. */
async function adopt({ relayer, step, prepared }: Attempt): Promise<PaymentAnswer | undefined> {
  const { stepKey, answerCount, texts } = step
  const { order } = prepared
  const execution = await findExecution(relayer, order.request)
  if (execution === undefined) return { kind: 'uncertain' }
  const { executed, hash } = execution
  const screen = await texts.paid({ data: executed.data, hash })
  await retryLedgerCall(relayer.clock, () =>
    relayer.ledger.adopt({ ...stepKey, answerCount, screen, order, execution }),
  )
  return undefined
}
