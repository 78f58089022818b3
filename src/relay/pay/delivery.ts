import type { Address, Hex, LocalAccount } from 'viem'
import { type Payee, readPayee } from '../../chain/payees.ts'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { getCallRules, type PaymentKind } from '../../loan/kinds.ts'
import { computeClockLead, maxClockOffsetMs } from '../../runtime/clock.ts'
import { describeFault } from '../../runtime/log.ts'
import { withTimeLimit } from '../../runtime/time-limit.ts'
import {
  decodeExecute,
  decodeForwarderRefusal,
  encodeExecute,
  type ForwarderRefusal,
  isPausedError,
  type RequestResult,
  type SignedRequest,
  signRequest,
} from '../forwarder/requests.ts'
import type { TargetCheck } from '../forwarder/target.ts'
import { getIdentity } from '../identity.ts'
import type { AcceptPayment, PaymentOffer, TransactionToSend } from '../ledger/acceptance.ts'
import type { Paid } from '../ledger/decisions.ts'
import type { ObservationReport } from '../ledger/observations.ts'
import type { Usage } from '../ledger/payments/nonces.ts'
import type { Lendable } from '../ledger/payments/reserves.ts'
import type { AskedQuestion } from '../ledger/records/first-values.ts'
import type { NextNonces, Traces } from '../ledger/records/possible-loss.ts'
import type { Undecided } from '../ledger/sessions.ts'
import {
  type HeldSms,
  hashPlaceholder,
  minutesPlaceholder,
  type Order,
  type ReservedAmounts,
  type Screen,
  type StepKey,
} from '../ledger/values.ts'
import { broadcast } from '../outcome/broadcast.ts'
import { findExecution } from '../outcome/executions.ts'
import { readIsSpent } from '../outcome/spent.ts'
import { findObstacleKind, nameReason, type Refusal, type RefusalOf } from '../refusal.ts'
import { type Relayer, requestLifetimeSeconds } from '../relayer.ts'
import {
  type AccountLimits,
  type Funding,
  findCapacity,
  findExceededLimit,
  findObstacle,
  getPace,
  selectLimits,
} from './admission.ts'
import {
  answerWithinMs,
  type PaymentAnswer,
  readKnownAnswer,
  retryLedgerCall,
  retryPauseMs,
  toAnswer,
} from './answers.ts'
import { watchReceipt } from './watch.ts'

/** Describes a payment that a session asks for, which is made at most once. */
export type RequestedPayment = {
  /** Tells when the delivery arrived (Unix time in ms): its answer is due some seconds later. */
  since: number
  stepKey: StepKey
  /** Counts the answers that the caller has given. */
  answerCount: number
  intentId: Hex
  caller: LocalAccount
  /** Builds the call, and may read the chain; used only while the session is undecided. */
  call: () => Promise<ContractCall>
  /** Names the question that was answered, unless a late answer pays too. */
  question?: AskedQuestion | undefined
  /** Writes the question whether to repeat an equal payment, which is this many minutes old. */
  createRepeatScreen?: ((minutes: number) => Screen) | undefined
  /** Returns why the caller may not pay now, if so. */
  findDenial: () => Promise<RefusalOf<'not_authorized'> | undefined>
  /** Builds the acceptance screen of what the chain executed, whatever the text asks for now. */
  writePaid: (paid: Paid) => Promise<Screen>
  writeRefusal: (refusal: Refusal) => Screen
}

/** Holds what an acceptance screen shows: the start of a hash, or the minutes in the queue. */
export type AcceptedAs = { hash: string } | { minutes: string }

/** Describes the contract call that a payment makes. */
export type ContractCall = {
  data: Hex
  kind: PaymentKind
  spendsWei: bigint
  /** Holds what this call takes of limits that all accounts share, and reads what is left. */
  sharedLimits?: (ReservedAmounts & { readLimits: () => Promise<Lendable> }) | undefined
  /** Holds a recipient that was typed or saved, which may be nobody's wallet. */
  payee?: Address | undefined
  /** Builds the acceptance screen. */
  writeSubmitted: (tx: AcceptedAs) => Screen
  /** Lists messages that are due once the outcome is final. */
  sms?: readonly HeldSms[] | undefined
  /** Holds the borrower's sealed number if loan reminders are sent. */
  reminder?: string | undefined
  till?: Order['till']
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
  /** Collects observations of the chain for the next ledger call. */
  readonly observed: ObservationReport
}

type Delivery = {
  relayer: Relayer
  options: PayOptions
  payment: RequestedPayment
  progress: Progress
}

/** Adds the signed order to a delivery. */
type Attempt = Delivery & { order: Order } & Pick<
    ContractCall,
    'writeSubmitted' | 'sharedLimits' | 'payee'
  >

export type Pay = (payment: RequestedPayment) => Promise<PaymentAnswer>

export type PayOptions = {
  /** Returns whether the forwarder calls the contract that screens are read from. */
  isTarget: TargetCheck
  /** Simulates each call first, and refuses one that would revert. */
  preflight: boolean
  limits: AccountLimits
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
const nodeTimeoutMs = 5_000
/** Limits the age of the readings for which a payment is refused. */
const maxReadingAgeMs = 5_000
const broadcastTimeoutMs = 2_000

/** Creates the function that makes a payment at most once. STORAGE.md describes the flow. */
export function createPay(relayer: Relayer, options: PayOptions): Pay {
  const { clock } = relayer
  return async (payment) => {
    const progress: Progress = {
      isAnswered: false,
      isSpent: false,
      screen: undefined,
      isWaitingForNode: false,
      traces: undefined,
      isDoubtful: true,
      observed: { facts: {}, node: undefined, round: undefined },
    }
    const delivery = { relayer, options, payment, progress }
    const leftMs = payment.since + answerWithinMs - clock.now()
    const endLate = () => endUnpaid(delivery, progress.isWaitingForNode)
    try {
      return await withTimeLimit(clock, leftMs, payOrRefuse(delivery), endLate)
    } finally {
      progress.isAnswered = true
    }
  }
}

async function payOrRefuse(delivery: Delivery): Promise<PaymentAnswer> {
  const { relayer, payment } = delivery
  try {
    return await pay(delivery)
  } catch (error) {
    const message = describeFault(error)
    relayer.log({ level: 'error', event: 'pay.failed', message, intent: payment.intentId })
    const isNodeFault = error instanceof TransportError || error instanceof RpcError
    return endUnpaid(delivery, isNodeFault)
  }
}

/** Ends a session without a payment, unless one is recorded or already executed. */
async function endUnpaid(delivery: Delivery, isNodeSilent: boolean): Promise<PaymentAnswer> {
  const { relayer, payment, progress } = delivery
  if (progress.screen !== undefined) return { kind: 'screen', screen: progress.screen }
  if (progress.isAnswered || progress.isSpent) return { kind: 'uncertain' }
  if (isNodeSilent) progress.observed.node = 'silent'
  const closed = refuse(delivery, { kind: isNodeSilent ? 'no_answer' : 'unavailable' }).catch(() =>
    readKnownAnswer(relayer.ledger, payment.stepKey),
  )
  const answer = await withTimeLimit(relayer.clock, closeWithinMs, closed, () => undefined)
  return answer ?? { kind: 'uncertain' }
}

async function pay(delivery: Delivery): Promise<PaymentAnswer> {
  const { relayer, payment, progress } = delivery
  while (!progress.isAnswered) {
    const lookupStartedAt = relayer.clock.now()
    progress.isWaitingForNode = false
    const view = await retryLedgerCall(relayer.clock, () => relayer.ledger.lookup(payment.stepKey))
    switch (view.kind) {
      case 'answered':
      case 'failed':
      case 'ended':
      case 'closed':
        return answerDecided(payment, view)
      case 'undecided': {
        const clockOffsetMs = computeClockLead(view.now, lookupStartedAt, relayer.clock.now())
        if (Math.abs(clockOffsetMs) > maxClockOffsetMs) {
          const answer = await refuse(delivery, { kind: 'clock' })
          if (answer !== undefined) return answer
          break
        }
        const answer = await tryToPay(delivery, view)
        if (answer !== undefined) return answer
      }
    }
    await relayer.clock.sleep(retryPauseMs)
  }
  return { kind: 'uncertain' }
}

/** Makes one attempt. Returns undefined if something has changed, so that `pay` tries again. */
async function tryToPay(delivery: Delivery, view: Undecided): Promise<PaymentAnswer | undefined> {
  const { relayer, options, payment, progress } = delivery
  if (!options.mayDial(payment.stepKey)) return refuse(delivery, { kind: 'too_many_dials' })
  progress.isWaitingForNode = true
  const attempt = await signOrder(delivery)
  const { result, lendable, funding, payee, ...nonces } = await readState(attempt, view)
  switch (result?.status) {
    // There is no result without a simulation (`PREFLIGHT=off`).
    case undefined:
    // Denials come after the simulation, because a ledger that lost its rows may have paid already.
    case 'executed': {
      if (payee === 'unknown') throw new TransportError('no node tells who the recipient is')
      if (payee !== 'wallet') return refuse(delivery, { kind: 'not_a_wallet', payee })
      const denied = await payment.findDenial()
      if (denied !== undefined) return refuse(delivery, denied)
      const exceeded = findExceededLimit(selectLimits(options.limits, view), view.usage)
      if (exceeded !== undefined) return refuse(delivery, exceeded)
      const rechecked = await recheckObstacle(delivery, view, funding, view.usage)
      if (rechecked.obstacle !== undefined) return refuse(delivery, rechecked.obstacle)
      return acceptAndSend(attempt, view, { ...nonces, lendable }, rechecked.funding)
    }
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

/** Reads what a payment is judged by. The nonce after all pending ones is always read anew. */
async function readState(attempt: Attempt, view: Undecided) {
  const { relayer, options, sharedLimits, order, payee: recipient, progress } = attempt
  const { node, signer, clock, rules } = relayer
  const signal = clock.timeout(nodeTimeoutMs)
  const readNonce = (block: 'latest' | 'pending') =>
    node.getTransactionCount(signer.address, signal, block)
  const { observations, now } = view
  const { count } = observations
  progress.isDoubtful = view.isDoubtful === true
  const isCountFresh = count !== undefined && now - count.at < rules.accountStateMs
  // Kept at once, so that a refusal for want of another answer knows them.
  const readNonces = async (): Promise<NextNonces> => {
    const [chain, pool] = await Promise.all([
      isCountFresh ? count.number : readNonce('latest'),
      readNonce('pending'),
    ])
    const nonces = { chain, pool }
    progress.traces = nonces
    return nonces
  }
  const [simulated, isTarget, lendable, payee, nonces, funding] = await Promise.all([
    options.preflight ? simulate(relayer, view, order.request, signal) : undefined,
    options.isTarget(node, signal),
    options.preflight ? sharedLimits?.readLimits() : undefined,
    recipient === undefined ? ('wallet' as Payee) : readPayee(node, recipient, signal),
    readNonces(),
    readFunding(attempt, view, rules.accountStateMs),
  ])
  const { chain: chainNonce, pool: poolNonce } = nonces
  const result = isTarget ? simulated : ({ status: 'not_allowed' } as const)
  const { facts } = progress.observed
  if (observations.silentSince !== undefined) progress.observed.node = 'answered'
  const { state = 'ready', at = now } = observations.contracts ?? {}
  // Records the state if the ledger has another, or had this one long ago.
  const mustRecordReady =
    state === 'ready' ? now - at >= rules.accountStateMs : state !== 'loan_paused'
  if (result?.status === 'executed' && mustRecordReady) facts.contracts = { state: 'ready' }
  return { result, lendable, payee, chainNonce, poolNonce, funding }
}

/** Returns the gas price and the balance of the relayer's key, at most `maxAgeMs` old. */
async function readFunding(
  { relayer, progress }: Delivery,
  { observations, now }: Undecided,
  maxAgeMs: number,
): Promise<Funding> {
  const { node, signer, clock } = relayer
  const { facts } = progress.observed
  const read = async (name: 'gasPrice' | 'funds', ask: () => Promise<bigint>): Promise<bigint> => {
    const [stored, fresh] = [observations[name], facts[name]]
    if (fresh?.readAt !== undefined && clock.now() - fresh.readAt < maxReadingAgeMs)
      return BigInt(fresh.wei)
    if (stored !== undefined && now - stored.at < maxAgeMs) return BigInt(stored.wei)
    const wei = await ask()
    facts[name] = { wei: `${wei}`, readAt: clock.now() }
    return wei
  }
  const [gasPriceWei, balanceWei] = await Promise.all([
    read('gasPrice', () => node.getGasPrice(clock.timeout(nodeTimeoutMs))),
    read('funds', () => node.getBalance(signer.address, clock.timeout(nodeTimeoutMs))),
  ])
  return { gasPriceWei, balanceWei }
}

/** Returns the obstacle of a payment, if there is one by fresh readings too. */
async function recheckObstacle(
  delivery: Delivery,
  view: Undecided,
  funding: Funding,
  usage: Usage,
): Promise<{ obstacle: Refusal | undefined; funding: Funding }> {
  const { relayer } = delivery
  const obstacle = findObstacle(relayer, funding, usage)
  if (obstacle === undefined) return { obstacle, funding }
  const freshFunding = await readFunding(delivery, view, maxReadingAgeMs)
  return { obstacle: findObstacle(relayer, freshFunding, usage), funding: freshFunding }
}

/** Signs the payment's call with the caller's key. */
async function signOrder(delivery: Delivery): Promise<Attempt> {
  const { relayer, payment } = delivery
  const { data, kind, spendsWei, sharedLimits, payee, writeSubmitted, sms, reminder, till } =
    await payment.call()
  const request = await signRequest(payment.caller, relayer.forwarder, {
    from: payment.caller.address,
    intentId: payment.intentId,
    gas: getCallRules(kind).gas,
    deadline: Math.floor(relayer.clock.now() / 1000) + requestLifetimeSeconds,
    data,
  })
  const reserves = sharedLimits && {
    poolWei: sharedLimits.poolWei,
    capWei: sharedLimits.capWei,
    outWei: sharedLimits.outWei,
  }
  const order = { request, kind, spendsWei, reserves, sms, reminder, till }
  return { ...delivery, writeSubmitted, sharedLimits, payee, order }
}

/** Simulates a request after the account's earlier ones. The node is `behind` if those fail. */
async function simulate(
  { node, signer, forwarder }: Relayer,
  { open, executed }: Undecided,
  request: SignedRequest,
  signal: AbortSignal,
): Promise<RequestResult | { status: 'behind' | ForwarderRefusal } | undefined> {
  const requests = [...executed, ...open, request]
  const outcome = await node.call(
    { from: signer.address, to: forwarder.address, data: encodeExecute(requests) },
    signal,
  )
  if (outcome.kind === 'reverted') return { status: decodeForwarderRefusal(outcome.data) }
  if (outcome.data === '0x') return { status: 'missing' }
  const results = decodeExecute(requests, outcome.data)
  const isBehind = results.slice(0, executed.length).some(({ status }) => status === 'failed')
  return isBehind ? { status: 'behind' } : results.at(-1)
}

type AccountNonces = Pick<PaymentOffer, 'chainNonce' | 'poolNonce'>

async function acceptAndSend(
  attempt: Attempt,
  view: Undecided,
  readings: AccountNonces & { lendable: Lendable | undefined },
  funding: Funding,
): Promise<PaymentAnswer | undefined> {
  const { relayer, options, progress } = attempt
  if (progress.isAnswered) return undefined
  progress.isWaitingForNode = false
  const offer = createOffer(attempt, view, readings, funding)
  const accepted = await retryLedgerCall(relayer.clock, () => options.accept(offer))
  switch (accepted.kind) {
    case 'accepted':
      progress.screen = accepted.screen
      if (accepted.sending !== undefined) send(attempt, accepted.sending)
      return { kind: 'screen', screen: accepted.screen }
    case 'full':
      return refuseFull(attempt, view, funding, accepted.usage)
    case 'none_left':
    case 'paused':
    case 'held':
    case 'too_many_today':
    case 'too_much_today':
      return refuse(attempt, accepted)
    case 'equal': {
      const { createRepeatScreen } = attempt.payment
      return createRepeatScreen && { kind: 'screen', screen: createRepeatScreen(accepted.minutes) }
    }
    case 'late':
      return accepted
    case 'changed':
    case 'answered':
    case 'failed':
    case 'ended':
    case 'closed':
      return undefined
  }
}

/** Creates the offer, which the ledger judges again, because the readings may be outdated. */
function createOffer(
  { relayer, options, payment, order, writeSubmitted, progress }: Attempt,
  view: Undecided,
  readings: AccountNonces & { lendable: Lendable | undefined },
  funding: Funding,
): PaymentOffer {
  const { openPayments, transfersADay, sentADayWei } = selectLimits(options.limits, view)
  const unlessEqual = payment.createRepeatScreen !== undefined
  const isLimited = (transfersADay ?? sentADayWei) !== undefined
  const mustMatchVersion = options.preflight || unlessEqual || isLimited
  return {
    ...payment.stepKey,
    ...readings,
    answerCount: payment.answerCount,
    order,
    screens: {
      carried: writeSubmitted({ hash: hashPlaceholder }),
      queued: writeSubmitted({ minutes: minutesPlaceholder }),
    },
    pace: getPace(relayer.rules),
    gasPriceWei: funding.gasPriceWei,
    version: mustMatchVersion ? view.version : undefined,
    capacity: { ...findCapacity(relayer, funding), accountOpenCount: openPayments },
    day: isLimited ? { transfersADay, sentADayWei } : undefined,
    unlessEqual,
    question: payment.question,
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

/** Refuses if other payments have used up the capacity. Returns undefined if some is free again. */
async function refuseFull(delivery: Delivery, view: Undecided, funding: Funding, usage: Usage) {
  const exceeded = findExceededLimit(selectLimits(delivery.options.limits, view), usage)
  if (exceeded !== undefined) return refuse(delivery, exceeded)
  const { obstacle } = await recheckObstacle(delivery, view, funding, usage)
  return obstacle && refuse(delivery, obstacle)
}

/** Answers for a decided session, with what the chain executed if that is not what was accepted. */
async function answerDecided(
  { writePaid }: RequestedPayment,
  decided: Parameters<typeof toAnswer>[0],
): Promise<PaymentAnswer> {
  const paid = decided.kind === 'answered' ? decided.paid : undefined
  const answer = toAnswer(decided)
  return paid === undefined ? answer : { ...answer, kind: 'screen', screen: await writePaid(paid) }
}

/** Completes what shows lost rows, where the ledger is in doubt or nothing was simulated. */
async function readTraces({
  relayer,
  options,
  payment,
  progress: { traces, isDoubtful },
}: Delivery): Promise<Traces | undefined> {
  if (traces === undefined || (options.preflight && !isDoubtful)) return traces
  const spent = await readIsSpent(relayer, {
    from: payment.caller.address,
    intentId: payment.intentId,
  })
  return { ...traces, ...spent }
}

async function refuse(delivery: Delivery, refusal: Refusal): Promise<PaymentAnswer | undefined> {
  const { relayer, payment, progress } = delivery
  if (progress.isAnswered) return undefined
  const { answerCount } = payment
  const screen = payment.writeRefusal(refusal)
  const obstacle = findObstacleKind(refusal)
  const traces = await readTraces(delivery)
  const refused = await retryLedgerCall(relayer.clock, () =>
    relayer.ledger.refuse({
      ...payment.stepKey,
      answerCount,
      screen,
      obstacle,
      reason: nameReason(refusal),
      observations: { ...progress.observed, now: relayer.clock.now() },
      traces,
    }),
  )
  if (refused.kind !== 'refused' && refused.kind !== 'unsure')
    return answerDecided(payment, refused)
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
async function adopt({ relayer, payment, order }: Attempt): Promise<PaymentAnswer | undefined> {
  const { stepKey, answerCount } = payment
  const execution = await findExecution(relayer, order.request)
  if (execution === undefined) return { kind: 'uncertain' }
  const { executed, hash } = execution
  const screen = await payment.writePaid({ data: executed.data, hash })
  await retryLedgerCall(relayer.clock, () =>
    relayer.ledger.adopt({ ...stepKey, answerCount, screen, order, execution }),
  )
  return undefined
}
