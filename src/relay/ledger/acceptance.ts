import type { Hex } from 'viem'
import type { RefusalOf } from '../refusal.ts'
import { findDecision, saveSession } from './decisions.ts'
import { type Draft, layerDraft, type StepContext, type Writes } from './draft.ts'
import { loadOrRebuildQueue, readAccount, readQueue } from './payments/account-totals.ts'
import {
  countCarried,
  countUsage,
  findFreeNonce,
  isFull,
  readRelayer,
  readSlot,
  recordTransaction,
} from './payments/nonces.ts'
import { beginPayment } from './payments/payment-states.ts'
import { exceedsLendable, restoreLostReserves } from './payments/reserves.ts'
import {
  type Carrying,
  hashPlace,
  minutesPlace,
  type Pace,
  type PaymentOffer,
  type Proposal,
  type Screen,
  type Verdict,
} from './port.ts'
import { recordObservations } from './records/chain.ts'
import { findDayLimit, findMinutesSinceEqual } from './records/earlier.ts'
import { isByOthers } from './records/identity.ts'
import { endObstacle } from './records/obstacles.ts'
import { readIntake } from './records/operations.ts'
import { isHeld } from './records/standing.ts'

/** Judges offers and finds the nonce for the payments that may begin. */
export function propose(step: StepContext, offers: readonly PaymentOffer[]): Proposal {
  const nonce = pickNonce(step, offers)
  const trial = { ...step, rows: layerDraft(step.rows, new Map()) }
  const verdicts = accept(trial, offers, nonce === undefined ? undefined : { nonce, hash: '0x' })
  const accepted = listAccepted(verdicts)
  return { slot: nonce === undefined ? undefined : readSlot(step, nonce), accepted }
}

/** Records the payments that may begin, with the transaction that carries all of them. */
export function record(
  step: StepContext,
  offers: readonly PaymentOffer[],
  transaction?: Carrying,
): { kind: 'recorded'; verdicts: Verdict[] } | { kind: 'changed' } {
  const changed = { kind: 'changed' } as const
  for (const { observations } of offers) recordObservations(step, observations)
  if (transaction !== undefined && pickNonce(step, offers) !== transaction.nonce) return changed
  const writes: Writes = new Map()
  const trial = { ...step, rows: layerDraft(step.rows, writes) }
  const carrier = transaction && { nonce: transaction.nonce, hash: transaction.hash }
  const verdicts = accept(trial, offers, carrier)
  if (transaction !== undefined) {
    const { nonce, accepted } = transaction
    // The signed transaction carries exactly these payments.
    if (`${listAccepted(verdicts)}` !== `${accepted}`) return changed
    const sessions = accepted.flatMap((place) => offers[place]?.session ?? [])
    recordTransaction(trial, nonce, sessions, transaction)
  }
  for (const { table, key, after } of writes.values()) {
    if (after === undefined) step.rows.drop(table, ...key)
    else step.rows.put(table, after as never)
  }
  return { kind: 'recorded', verdicts }
}

const pickNonce = (step: StepContext, offers: readonly PaymentOffer[]): number | undefined =>
  findFreeNonce(step, {
    chainNonce: Math.max(...offers.map(({ chainNonce }) => chainNonce)),
    poolNonce: Math.max(...offers.map(({ poolNonce }) => poolNonce)),
  })

const listAccepted = (verdicts: readonly Verdict[]): number[] =>
  verdicts.flatMap(({ kind }, place) => (kind === 'accepted' ? [place] : []))

/** Names the transaction in which payments begin; undefined if they are queued. */
type Carrier = { nonce: number; hash: Hex } | undefined

/** Begins each payment that may begin, judging each as if those before it had begun. */
function accept(step: StepContext, offers: readonly PaymentOffer[], carrier: Carrier): Verdict[] {
  // Count lost totals again before anything is added to them.
  loadOrRebuildQueue(step.rows)
  if (offers.some(({ order }) => order.reserves !== undefined)) restoreLostReserves(step.rows)
  const begun: PaymentOffer[] = []
  return offers.map((offer) => {
    const refusal = judge(step, offer, carrier, begun)
    if (refusal !== undefined) return refusal
    begun.push(offer)
    return begin(step, offer, carrier)
  })
}

/** Tells why a payment may not begin after those that began in the same step. */
function judge(
  step: StepContext,
  offer: PaymentOffer,
  carrier: Carrier,
  begun: readonly PaymentOffer[],
): Verdict | undefined {
  const { rows } = step
  const { version, order, unlessEqual, day, capacity, lendable } = offer
  const decided = findDecision(rows, offer)
  if (decided !== undefined) return decided
  if (isByOthers(step, offer.identity)) return { kind: 'paused' }
  const closed = findIntakeRefusal(rows, offer.account)
  if (closed !== undefined) return closed
  const account = readAccount(rows, offer.account)
  if (version !== undefined && version !== account.seen) return { kind: 'changed' }
  // A step cannot list rows after it wrote them, so this is judged in a later one.
  const isListed = unlessEqual === true || day !== undefined
  if (isListed && begun.some((other) => other.account === offer.account)) return { kind: 'changed' }
  const minutes =
    unlessEqual === true ? findMinutesSinceEqual(rows, offer, order.request) : undefined
  if (minutes !== undefined) return { kind: 'equal', minutes }
  const over = day && findDayLimit(rows, offer.account, day, order)
  if (over !== undefined) return over
  if (order.reserves !== undefined && exceedsLendable(step, order.reserves, lendable)) {
    return { kind: 'none_left' }
  }
  const others = countUsage(step, account)
  // The nonce's row, which counts these payments, is written after all of them.
  const usage = carrier ? { ...others, carried: others.carried + begun.length } : others
  return capacity && isFull(usage, capacity, carrier === undefined)
    ? { kind: 'full', usage }
    : undefined
}

/** Tells whether an operator has stopped all payments, or those of the account. */
export function findIntakeRefusal(
  rows: Draft,
  account: string,
): RefusalOf<'paused' | 'held'> | undefined {
  if (readIntake(rows).kind !== 'open') return { kind: 'paused' }
  return isHeld(rows, account) ? { kind: 'held' } : undefined
}

function begin(step: StepContext, offer: PaymentOffer, carrier: Carrier): Verdict {
  const { rows, relayer } = step
  const { session, order, screens, pace } = offer
  const isCarried = carrier !== undefined
  if (isCarried) beginPayment(step, 'accepted', session, order, { relayer, ...carrier })
  else beginPayment(step, 'enqueued', session, order)
  const screen = isCarried
    ? fillInHash(screens.carried, carrier.hash)
    : fillIn(screens.queued, minutesPlace, `${estimateMinutes(pace, openPayments(step))}`)
  endObstacle(rows)
  saveSession(rows, offer, 'accepted', screen)
  return { kind: 'accepted', screen, isCarried }
}

/** Counts the payments that blocks must take to reach the end of the queue. */
const openPayments = ({ rows, relayer }: StepContext): number =>
  countCarried(readRelayer(rows, relayer)) + readQueue(rows).waiting

/** Puts the start of a transaction's hash in the place that a screen keeps for it. */
export const fillInHash = (screen: Screen, hash: string): Screen =>
  fillIn(screen, hashPlace, hash.slice(0, hashPlace.length))

const fillIn = ({ kind, lines }: Screen, place: string, text: string): Screen => ({
  kind,
  lines: lines.map((line) => line.replace(place, text)),
})

/** Returns in about how many minutes this many payments are in blocks; at least one for any. */
export const estimateMinutes = ({ paymentsInBlock, blockMs }: Pace, payments: number): number =>
  Math.ceil((Math.ceil(payments / paymentsInBlock) * blockMs) / 60_000)
