import { RpcError, TransportError } from '../../chain/rpc.ts'
import { computeClockLead, maxClockOffsetMs, withTimeLimit } from '../../runtime/clock.ts'
import { describeFault } from '../../runtime/log.ts'
import { isPausedError } from '../forwarder/requests.ts'
import { getIdentity } from '../identity.ts'
import type { PaymentOffer, Screens, TransactionToSend } from '../ledger/acceptance.ts'
import { hasDayLimit } from '../ledger/records/earlier.ts'
import type { Undecided } from '../ledger/sessions.ts'
import { broadcast } from '../outcome/broadcast.ts'
import { findExecution, readMinedReport } from '../outcome/executions.ts'
import { logTransitions } from '../outcome/log-transitions.ts'
import { nodeTimeoutMs, type Relayer } from '../relayer.ts'
import { computeCapacity, selectLimits } from './admission.ts'
import {
  answerDecided,
  answerWithinMs,
  endUnpaid,
  type PaymentAnswer,
  refuse,
  retryLedgerCall,
  retryPauseMs,
} from './answers.ts'
import {
  createProgress,
  type Delivery,
  type PayingStep,
  type PayOptions,
  type PreparedOrder,
} from './paying-step.ts'
import {
  maxReadingAgeMs,
  type Prepared,
  type Readings,
  readFunding,
  takeReadings,
} from './readings.ts'

/** Adds what is to be paid, and the state of its account. */
type Attempt = Prepared & { screens: Screens }

export type Pay = (step: PayingStep) => Promise<PaymentAnswer>

/** Sets the pause between two requests to a node that is behind. */
const behindPauseMs = 1_000
const broadcastTimeoutMs = 2_000

/** Creates the function that makes a payment at most once. STORAGE.md describes the flow. */
export function createPay(relayer: Relayer, options: PayOptions): Pay {
  const { clock } = relayer
  return async (step) => {
    const progress = createProgress()
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

async function pay(delivery: Delivery): Promise<PaymentAnswer> {
  const { relayer, step, progress } = delivery
  while (!progress.isAnswered) {
    const lookupStartedAt = relayer.clock.now()
    progress.isWaitingForNode = false
    const view = await retryLedgerCall(relayer.clock, () => relayer.ledger.lookup(step.stepKey))
    if (view.kind !== 'undecided') return answerDecided(step, view)
    progress.asOf = view.now
    const clockOffsetMs = computeClockLead(view.now, lookupStartedAt, relayer.clock.now())
    const answer =
      Math.abs(clockOffsetMs) > maxClockOffsetMs
        ? await refuse(delivery, { kind: 'clock' })
        : await tryToPay(delivery, view)
    if (answer !== undefined) return answer
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
  const { prepared } = progress
  const isAlone = view.open.length + view.executed.length === 0 && !view.isRecalled
  const read = { ...delivery, view, prepared }
  const [readings, screens] = await Promise.all([
    takeReadings(read),
    prepared.writeScreens(isAlone),
  ])
  const attempt = { ...read, screens }
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
      // No pause of the pool stops a deposit: there it is the token's.
      if (isPausedError(revertData) && progress.prepared.order.kind !== 'deposit')
        progress.observed.facts.contracts = { state: 'loan_paused' }
      return refuse(delivery, { kind: 'would_revert', revertData })
    }
    case 'already_spent':
      progress.isSpent = true
      return adopt(attempt)
    case 'missing':
    case 'paused':
    case 'not_allowed':
    case 'other_unit':
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
  const call = texts.repeat && { data: order.request.data, agreed: order.agreed }
  const earlier = await retryLedgerCall(relayer.clock, () =>
    relayer.ledger.recordEarlier(stepKey, call),
  )
  if (earlier === undefined || texts.repeat === undefined) return undefined
  return { kind: 'screen', screen: texts.repeat(earlier) }
}

/** Offers the payment. What refuses it for want of funds is judged by fresh readings too. */
async function acceptAndSend(attempt: Attempt, readings: Readings) {
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
async function offer(attempt: Attempt, readings: Readings) {
  const { relayer, options, step, progress } = attempt
  const denied = await step.findDenial()
  if (denied !== undefined) return denied
  if (progress.isAnswered) return undefined
  progress.isWaitingForNode = false
  const offered = createOffer(attempt, readings)
  const { traces } = progress
  // Until the ledger answers, it may have accepted this: then what was read before shows nothing.
  progress.traces = undefined
  const answer = await retryLedgerCall(relayer.clock, () => options.accept(offered))
  progress.traces = traces
  return answer
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
      return repeat && { kind: 'screen', screen: repeat(accepted) }
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
  { relayer, options, step, prepared, screens, progress, view }: Attempt,
  { nonces, lendable, funding, holdings, settled }: Readings,
): PaymentOffer {
  const { limitWei } = options.finalAtOnce
  const limits = selectLimits(options.limits, view)
  const unlessEqual = step.texts.repeat !== undefined
  const mustMatchVersion = options.preflight || unlessEqual || hasDayLimit(limits)
  return {
    ...step.stepKey,
    answerCount: step.answerCount,
    order: prepared.order,
    screens,
    chainNonce: nonces.chain,
    poolNonce: nonces.pool,
    gasPriceWei: funding.gasPriceWei,
    asOf: view.now,
    version: mustMatchVersion ? view.version : undefined,
    limits,
    capacity: computeCapacity(relayer, funding),
    lendable,
    holdings,
    returns: step.returns,
    backing: settled && { settled, limitWei },
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

/** Limits the watch to the time that a Worker lives after its reply, 30 s. Then rounds go on. */
const maxWatchMs = 25_000

/**
 * Polls for a transaction's receipt, and records what became of the payments that it carries.
 * Rounds check its block again until that is final.
 */
export async function watchReceipt(
  relayer: Relayer,
  { nonce, transaction, requests }: TransactionToSend,
): Promise<void> {
  const { ledger, rules, clock, log } = relayer
  const watched = { nonce, sessions: [...requests.keys()], transactions: [transaction], requests }
  const endsAt = clock.now() + maxWatchMs
  while (clock.now() + rules.pollMs <= endsAt) {
    await clock.sleep(rules.pollMs)
    const report = await readMinedReport(relayer, watched, clock.timeout(nodeTimeoutMs))
    if (report !== undefined) return logTransitions(log, await ledger.recordMined(report))
  }
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
