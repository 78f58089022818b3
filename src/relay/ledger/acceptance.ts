import type { Hex } from 'viem'
import type { RefusalOf } from '../refusal.ts'
import { findDecision, saveSession } from './decisions.ts'
import { type Draft, layerDraft, type StepContext, type Writes } from './draft.ts'
import { listMissing } from './missing.ts'
import { readAccountTotals } from './payments/account-totals.ts'
import {
  countUsage,
  findFreeNonce,
  isFull,
  readSlot,
  recordTransaction,
} from './payments/nonces.ts'
import { beginPayment } from './payments/payment-states.ts'
import { readQueueTotals } from './payments/queue-totals.ts'
import { countCarried, readRelayerTotals } from './payments/relayer-totals.ts'
import { exceedsLendable } from './payments/reserves.ts'
import {
  type CarryingTransaction,
  hashPlaceholder,
  minutesPlaceholder,
  type OfferDecision,
  type Pace,
  type PaymentOffer,
  type Proposal,
  type Screen,
} from './port.ts'
import { recordObservations } from './records/chain.ts'
import { findDayLimit, recordEqualAge } from './records/earlier.ts'
import { isLateAnswer } from './records/first-values.ts'
import { isOfOtherDeployment } from './records/identity.ts'
import { endObstacle } from './records/obstacles.ts'
import { readIntake } from './records/operations.ts'
import { compareNonces } from './records/possible-loss.ts'
import { isHeld } from './records/standing.ts'

/** Judges offers, and finds the nonce for the payments that may begin. Writes nothing. */
export function propose(step: StepContext, offers: readonly PaymentOffer[]): Proposal {
  const nonce = pickNonce(step, offers)
  const trial = { ...step, rows: layerDraft(step.rows, new Map()) }
  const carrier: Carrier = nonce === undefined ? undefined : { nonce, hash: '0x' }
  const accepted = listAccepted(acceptAll(trial, offers, carrier))
  return { slot: nonce === undefined ? undefined : readSlot(step, nonce), accepted }
}

/** Records the payments that may begin, with the transaction that carries all of them. */
export function record(
  step: StepContext,
  offers: readonly PaymentOffer[],
  transaction?: CarryingTransaction,
): { kind: 'recorded'; decisions: OfferDecision[] } | { kind: 'changed' } {
  const changed = { kind: 'changed' } as const
  for (const { observations, chainNonce, poolNonce } of offers) {
    recordObservations(step, observations)
    compareNonces(step, { chain: chainNonce, pool: poolNonce })
  }
  if (transaction !== undefined && pickNonce(step, offers) !== transaction.nonce) return changed
  const writes: Writes = new Map()
  const trial = { ...step, rows: layerDraft(step.rows, writes) }
  const carrier = transaction && { nonce: transaction.nonce, hash: transaction.hash }
  const decisions = acceptAll(trial, offers, carrier)
  if (transaction !== undefined) {
    const { nonce, accepted } = transaction
    // The transaction is signed already, so it must carry exactly the payments that may begin.
    if (`${listAccepted(decisions)}` !== `${accepted}`) return changed
    const sessions = accepted.flatMap((index) => offers[index]?.session ?? [])
    recordTransaction(trial, nonce, sessions, transaction)
  }
  for (const { table, key, after } of writes.values()) {
    if (after === undefined) step.rows.drop(table, ...key)
    else step.rows.put(table, after as never)
  }
  return { kind: 'recorded', decisions }
}

const pickNonce = (step: StepContext, offers: readonly PaymentOffer[]): number | undefined =>
  findFreeNonce(step, {
    chainNonce: Math.max(...offers.map(({ chainNonce }) => chainNonce)),
    poolNonce: Math.max(...offers.map(({ poolNonce }) => poolNonce)),
  })

const listAccepted = (decisions: readonly OfferDecision[]): number[] =>
  decisions.flatMap(({ kind }, index) => (kind === 'accepted' ? [index] : []))

/** Names the transaction in which payments begin; undefined if they are queued. */
type Carrier = { nonce: number; hash: Hex } | undefined

/** Judges each payment after those before it, and begins it if it may. */
function acceptAll(
  step: StepContext,
  offers: readonly PaymentOffer[],
  carrier: Carrier,
): OfferDecision[] {
  const begun: PaymentOffer[] = []
  return offers.map((offer) => {
    const refusal = judge(step, offer, carrier, begun)
    if (refusal !== undefined) return refusal
    begun.push(offer)
    return beginOffer(step, offer, carrier)
  })
}

/** Tells why a payment may not begin after those that began in the same step. */
function judge(
  step: StepContext,
  offer: PaymentOffer,
  carrier: Carrier,
  begun: readonly PaymentOffer[],
): OfferDecision | undefined {
  const { rows } = step
  const { version, order, unlessEqual, question, day, capacity, lendable } = offer
  const decided = findDecision(rows, offer)
  if (decided !== undefined) return decided
  if (isOfOtherDeployment(step, offer.identity)) return { kind: 'paused' }
  const intakeRefusal = findIntakeRefusal(rows, offer.account)
  if (intakeRefusal !== undefined) return intakeRefusal
  const account = readAccountTotals(rows, offer.account)
  if (version !== undefined && version !== account.seen) return { kind: 'changed' }
  // These checks list the account's payments, and a step cannot list rows that it has written:
  // the account's second payment is judged in a later step.
  const mustList = unlessEqual === true || day !== undefined
  if (mustList && begun.some((other) => other.account === offer.account)) return { kind: 'changed' }
  const minutes = unlessEqual === true ? recordEqualAge(rows, offer, order.request) : undefined
  if (minutes !== undefined) return { kind: 'equal', minutes }
  if (question !== undefined && isLateAnswer(rows, offer, question)) return { kind: 'late' }
  const dayRefusal = day && findDayLimit(rows, offer.account, day, order)
  if (dayRefusal !== undefined) return dayRefusal
  if (order.reserves !== undefined && exceedsLendable(step, order.reserves, lendable)) {
    return { kind: 'none_left' }
  }
  const usageBefore = countUsage(step, account)
  // The nonce's row, which counts these payments, is written only after all of them have begun.
  const carried = usageBefore.carried + (carrier ? begun.length : 0)
  const usage = { ...usageBefore, carried }
  return capacity && isFull(usage, capacity, carrier === undefined)
    ? { kind: 'full', usage }
    : undefined
}

/** Tells whether an operator has stopped all payments, or those of the account. */
export function findIntakeRefusal(
  rows: Draft,
  account: string,
): RefusalOf<'paused' | 'held'> | undefined {
  if (readIntake(rows).kind !== 'open' || listMissing(rows).length > 0) return { kind: 'paused' }
  return isHeld(rows, account) ? { kind: 'held' } : undefined
}

function beginOffer(step: StepContext, offer: PaymentOffer, carrier: Carrier): OfferDecision {
  const { rows, relayer } = step
  const { session, order, screens, pace } = offer
  const isCarried = carrier !== undefined
  if (isCarried) beginPayment(step, 'accepted', session, order, { relayer, ...carrier })
  else beginPayment(step, 'enqueued', session, order)
  const writeMinutes = () => `${estimateMinutes(pace, countOpenPayments(step))}`
  const screen = isCarried
    ? insertHash(screens.carried, carrier.hash)
    : replaceText(screens.queued, minutesPlaceholder, writeMinutes())
  endObstacle(rows)
  saveSession(rows, offer, 'accepted', screen)
  return { kind: 'accepted', screen, isCarried }
}

/** Counts the payments that blocks must take to reach the end of the queue. */
const countOpenPayments = ({ rows, relayer }: StepContext): number =>
  countCarried(readRelayerTotals(rows, relayer)) + readQueueTotals(rows).waitingCount

/** Replaces a screen's placeholder by the start of a transaction's hash. */
export const insertHash = (screen: Screen, hash: string): Screen =>
  replaceText(screen, hashPlaceholder, hash.slice(0, hashPlaceholder.length))

const replaceText = ({ kind, lines }: Screen, placeholder: string, text: string): Screen => ({
  kind,
  lines: lines.map((line) => line.replace(placeholder, text)),
})

/** Returns in about how many minutes blocks have this many payments; rounded up. */
export const estimateMinutes = ({ paymentsInBlock, blockMs }: Pace, payments: number): number =>
  Math.ceil((Math.ceil(payments / paymentsInBlock) * blockMs) / 60_000)
