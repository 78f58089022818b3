import type { Address, Hex } from 'viem'
import type { SignedRequest } from '../forwarder/requests.ts'
import type { RefusalOf } from '../refusal.ts'
import { type Decided, findDecision, toDecided } from './decisions.ts'
import type { StepContext } from './draft.ts'
import type { ObservationReport } from './observations.ts'
import {
  type Capacity,
  countUsage,
  findFreeNonce,
  type Pace,
  readSlot,
  recordTransaction,
  type Slot,
  type Usage,
} from './payments/nonces.ts'
import { backPayment, beginPayment, getPaymentRow, saveCarried } from './payments/payment-states.ts'
import { exceedsLendable, type Lendable } from './payments/reserves.ts'
import { countCarried, readAccountTotals, readQueue, readRelayerTotals } from './payments/totals.ts'
import { opens, reads } from './port.ts'
import { recordObservations } from './records/chain.ts'
import {
  type DayLimitRefusal,
  type EarlierPayment,
  findDayLimit,
  hasDayLimit,
  type PaymentLimits,
  recordEarlier,
} from './records/earlier.ts'
import { type AskedQuestion, isLateAnswer } from './records/first-values.ts'
import { type Identity, isOfOtherDeployment } from './records/identity.ts'
import { readIntake } from './records/operations.ts'
import { compareNonces, isOld, listMissing } from './records/possible-loss.ts'
import {
  findRecalled,
  type Holdings,
  isRecalled,
  mayGiveBack,
  returnRecalled,
} from './records/recalls.ts'
import {
  type Backing,
  endangersAssured,
  hasAssured,
  mayBeBacked,
  saveAssuring,
} from './records/settled.ts'
import { endObstacle, isHeld } from './records/standing.ts'
import {
  hashPlaceholder,
  minutesPlaceholder,
  type Order,
  type Screen,
  type SignedTransaction,
  type StepKey,
} from './values.ts'

/** Asks to confirm a payment: an equal one was accepted lately. */
export type Equal = { kind: 'equal' } & EarlierPayment

/** Tells why the ledger lets a payment not begin. Nothing has changed. */
type Unacceptable =
  | RefusalOf<'paused' | 'held' | 'too_many_open' | 'unsettled' | 'none_left'>
  | RefusalOf<'recalled' | 'not_held'>
  | RefusalOf<'price_too_high' | 'relayer_poor' | 'crowded'>
  | DayLimitRefusal

export type PaymentOffer = StepKey & {
  answerCount: number
  order: Order
  screens: Screens
  /** Counts the relayer's transactions in blocks, as read a moment ago. */
  chainNonce: number
  /** Counts also those in the pool: one may carry a payment whose rows were lost. */
  poolNonce: number
  gasPriceWei: bigint
  /** Is the ledger's time of the look-up, before the chain was read; if old, it is `changed`. */
  asOf?: number | undefined
  /** Repeats the account's `version`; if that is another now, the decision is `changed`. */
  version: number | undefined
  limits: PaymentLimits
  capacity: Capacity
  /** Asks for {@link Equal} if an equal payment was accepted a moment ago. */
  unlessEqual?: boolean
  /** Asks for the decision `late` if this question does not hold any more. */
  question?: AskedQuestion | undefined
  observations?: ObservationReport | undefined
  /** Identifies the relay that offers; if the ledger has another, the decision is `paused`. */
  identity?: Identity | undefined
  /** Gives what was left at a block; if it is too little, the decision is `none_left`. */
  lendable?: Lendable | undefined
  /** Gives what the account has, if something is held back in it; else it is `changed`. */
  holdings?: Holdings | undefined
  /** Names the payment that it gives back: it pays no more than is held back of that. */
  returns?: Hex | undefined
  /** Makes the payment final at once, as far as the operator backs that. */
  backing?: Backing | undefined
}

/** Holds a recorded transaction that has to be sent now, and the payments that it carries. */
export type TransactionToSend = {
  nonce: number
  transaction: SignedTransaction
  requests: ReadonlyMap<string, SignedRequest>
  /** Is true if nothing was signed for the nonce before. */
  isFirst: boolean
}

/** Answers an offer. Of offers that share a transaction, one has `sending`. */
export type OfferAnswer = OfferDecision & { sending?: TransactionToSend | undefined }

/** Accepts a payment and makes it durable, or tells why it may not begin. */
export type AcceptPayment = (offer: PaymentOffer) => Promise<OfferAnswer>

/** Holds the screens of acceptance; each has a placeholder for what is not known yet. */
export type Screens = { carried: Screen; queued: Screen }

export type OfferDecision =
  | Decided
  /** Has the recorded screen. If `isCarried`, the transaction carries it; else it is queued. */
  | { kind: 'accepted'; screen: Screen; isCarried: boolean }
  | Unacceptable
  | Equal
  /** Asks the question again: it was asked, or first answered, longer ago than it holds. */
  | { kind: 'late' }
  /** Asks to look the account up again, because its payments have changed. */
  | { kind: 'changed' }

/** Returns what signs for a slot; undefined if its older transaction may not be outbid. */
export type OpenSlot = (slot: Slot) => SignOffers | undefined

/** Signs the transaction that carries offers; the same offers always give the same bytes. */
type SignOffers = (offers: readonly PaymentOffer[]) => SignedTransaction

function acceptOffers(
  step: StepContext,
  offers: readonly PaymentOffer[],
  openSlot: OpenSlot,
): OfferAnswer[] {
  // What others have read is of another key, or of long ago.
  const own = offers.filter(
    ({ identity, asOf }) => !isOfOtherDeployment(step, identity) && !isOld(step, asOf),
  )
  for (const { observations, chainNonce, poolNonce } of own) {
    recordObservations(step, observations)
    compareNonces(step, { chain: chainNonce, pool: poolNonce })
  }
  const slot = findSlot(step, own)
  const sign = slot && openSlot(slot)
  if (slot === undefined || sign === undefined) return acceptAll(step, offers, undefined)
  return carry(step, slot, sign, offers, acceptAll(step, offers, slot.nonce))
}

function findSlot(step: StepContext, offers: readonly PaymentOffer[]): Slot | undefined {
  const nonce = findFreeNonce(step, {
    chainNonce: Math.max(...offers.map(({ chainNonce }) => chainNonce)),
    poolNonce: Math.max(...offers.map(({ poolNonce }) => poolNonce)),
  })
  return nonce === undefined ? undefined : readSlot(step, nonce)
}

/** Records the transaction of the payments that have begun. The first one's caller sends it. */
function carry(
  step: StepContext,
  { nonce, pending }: Slot,
  sign: SignOffers,
  offers: readonly PaymentOffer[],
  decisions: readonly OfferDecision[],
): OfferAnswer[] {
  const carried = offers.filter((_, index) => decisions[index]?.kind === 'accepted')
  if (carried.length === 0) return [...decisions]
  const transaction = sign(carried)
  const sessions = carried.map(({ session }) => session)
  recordTransaction(step, nonce, sessions, transaction)
  const requests = new Map(carried.map(({ session, order }) => [session, order.request]))
  const sending = { nonce, transaction, requests, isFirst: pending === undefined }
  return offers.map((offer, index) => {
    const decision = decisions[index] as OfferDecision
    if (decision.kind !== 'accepted') return decision
    const { hash } = transaction
    const screen = insertHash(offer.screens.carried, hash)
    saveCarried(step.rows, offer.session, { hash, decided: toDecided(offer, screen) })
    return { ...decision, screen, ...(offer === carried[0] && { sending }) }
  })
}

/** Judges each payment after those before it, and begins it if it may: queued without a nonce. */
function acceptAll(
  step: StepContext,
  offers: readonly PaymentOffer[],
  nonce: number | undefined,
): OfferDecision[] {
  const begun: PaymentOffer[] = []
  return offers.map((offer) => {
    const refusal = judge(step, offer, nonce, begun)
    if (refusal !== undefined) return refusal
    // What an account began in this step is in no list yet.
    const isFirst = begun.every(({ account }) => account !== offer.account)
    const isBacked = isFirst && mayBeBacked(step, offer)
    begun.push(offer)
    const decision = beginOffer(step, offer, nonce)
    if (isBacked) back(step, offer)
    return decision
  })
}

/** Tells why a payment may not begin after those that began in the same step. */
function judge(
  step: StepContext,
  offer: PaymentOffer,
  nonce: number | undefined,
  begun: readonly PaymentOffer[],
): OfferDecision | undefined {
  const { rows } = step
  const { version, order, unlessEqual, question } = offer
  // Its answer is known after the transaction is signed.
  if (begun.some(({ session }) => session === offer.session)) return { kind: 'changed' }
  const decided = findDecision(rows, offer)
  if (decided !== undefined) return decided
  if (isOfOtherDeployment(step, offer.identity)) return { kind: 'paused' }
  if (isOld(step, offer.asOf)) return { kind: 'changed' }
  const { seen } = readAccountTotals(rows, offer.account)
  if (version !== undefined && version !== seen) return { kind: 'changed' }
  // These checks list the account's payments, and a step cannot list rows that it has written:
  // the account's second payment is judged in a later step.
  const isHeldBack = isRecalled(rows, offer.account)
  if (isHeldBack && offer.holdings === undefined) return { kind: 'changed' }
  const mustList =
    unlessEqual === true ||
    hasDayLimit(offer.limits) ||
    hasAssured(rows, offer.account) ||
    isHeldBack
  if (mustList && begun.some((other) => other.account === offer.account)) return { kind: 'changed' }
  // The nonce's row, which counts these payments, is written only after all of them have begun.
  const refusal = findRefusal(step, offer, nonce === undefined ? 0 : begun.length)
  if (refusal !== undefined) return refusal
  const call = { data: order.request.data, agreed: order.agreed }
  const earlier = unlessEqual === true ? recordEarlier(rows, offer, call) : undefined
  if (earlier !== undefined) return { kind: 'equal', ...earlier }
  return question !== undefined && isLateAnswer(rows, offer, question)
    ? { kind: 'late' }
    : undefined
}

/** Holds what is known of a payment so far. What is not known refuses nothing. */
type Judged = Pick<PaymentOffer, 'account' | 'limits' | 'lendable' | 'holdings' | 'returns'> & {
  order: Pick<Order, 'kind' | 'spendsWei' | 'reserves'> & Partial<Pick<Order, 'request'>>
  capacity?: Capacity
}

/** Tells why one more payment may not begin, besides those that are carried but not counted yet. */
function findRefusal(
  step: StepContext,
  judged: Judged,
  uncounted: number,
): Unacceptable | undefined {
  const { rows } = step
  const { account, order, limits, capacity, lendable } = judged
  if (readIntake(rows).kind !== 'open' || listMissing(rows).length > 0) return { kind: 'paused' }
  if (isHeld(rows, account)) return { kind: 'held' }
  const usage = countUsage(step, readAccountTotals(rows, account))
  const max = limits.openPayments
  if (usage.accountOpenCount >= max) return { kind: 'too_many_open', max }
  // What is given back is not the payer's to spend.
  const dayRefusal = mayGiveBack(rows, account, judged)
    ? undefined
    : findDayLimit(rows, account, limits, order)
  if (dayRefusal !== undefined) return dayRefusal
  if (endangersAssured(rows, account, order)) return { kind: 'unsettled' }
  const recalled = findRecalled(rows, account, judged)
  if (recalled !== undefined) return recalled
  if (order.reserves !== undefined && exceedsLendable(step, order.reserves, lendable)) {
    return { kind: 'none_left' }
  }
  return capacity && findObstacle(capacity, { ...usage, carried: usage.carried + uncounted })
}

/** Sets to a multiple of how many minutes a shown wait is rounded up. */
const minutesStep = 10

/** Tells why no further payment of any account can be taken now. */
function findObstacle(capacity: Capacity, { carried, waiting }: Usage): Unacceptable | undefined {
  if (capacity.isPriceTooHigh) return { kind: 'price_too_high' }
  if (carried + waiting >= capacity.open) return { kind: 'relayer_poor' }
  if (waiting < capacity.waiting) return undefined
  const minutes = Math.ceil(estimateMinutes(capacity, waiting) / minutesStep) * minutesStep
  return { kind: 'crowded', minutes }
}

function beginOffer(
  step: StepContext,
  offer: PaymentOffer,
  nonce: number | undefined,
): OfferDecision {
  const { rows, relayer } = step
  const { session, account, order, screens, capacity } = offer
  endObstacle(rows)
  returnRecalled(rows, account, offer)
  if (nonce !== undefined) {
    beginPayment(step, 'accepted', session, order, { relayer, nonce })
    return { kind: 'accepted', screen: screens.carried, isCarried: true }
  }
  const minutes = estimateMinutes(capacity, countOpenPayments(step) + 1)
  const screen = replaceText(screens.queued, minutesPlaceholder, `${minutes}`)
  beginPayment(step, 'enqueued', session, order, { decided: toDecided(offer, screen) })
  return { kind: 'accepted', screen, isCarried: false }
}

/** Makes a payment that has begun final at once. */
function back({ rows }: StepContext, { session, backing }: PaymentOffer): void {
  const payment = getPaymentRow(rows, session)
  if (payment === undefined || backing === undefined) return
  saveAssuring(rows, payment, backing.settled)
  backPayment(rows, payment)
}

/** Counts the payments that blocks must take to reach the end of the queue. */
const countOpenPayments = ({ rows, relayer }: StepContext): number =>
  countCarried(readRelayerTotals(rows, relayer)) + readQueue(rows).waiting

const insertHash = (screen: Screen, hash: string): Screen =>
  replaceText(screen, hashPlaceholder, hash.slice(0, hashPlaceholder.length))

const replaceText = ({ kind, lines }: Screen, placeholder: string, text: string): Screen => ({
  kind,
  lines: lines.map((line) => line.replace(placeholder, text)),
})

/** Returns in about how many minutes blocks have this many payments; rounded up. */
const estimateMinutes = ({ paymentsInBlock, blockMs }: Pace, payments: number): number =>
  Math.ceil((Math.ceil(payments / paymentsInBlock) * blockMs) / 60_000)

export const acceptanceSteps = {
  /** Tells why a payment of the account would be refused, as far as the ledger knows. */
  findKnownRefusal: reads(
    (step, account: Address, limits: PaymentLimits, order: Pick<Order, 'kind' | 'spendsWei'>) =>
      findRefusal(step, { account, limits, order }, 0),
  ),
  /**
   * Accepts the offers that may begin, each judged after those before it. One transaction, which is
   * signed here, carries them all; without a free nonce they are queued. It takes a function, so it
   * is called where the store is. What one block may assure is not to wait long for a round.
   */
  acceptOffers: opens(acceptOffers, (offers) => offers.some(({ order }) => order.lasting)),
}
