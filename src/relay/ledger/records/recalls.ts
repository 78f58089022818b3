import { type Address, getAddress, type Hex, isAddressEqual } from 'viem'
import { decodeCall } from '../../../loan/calls.ts'
import type { Draft, StepContext } from '../draft.ts'
import { findByIntent, findRecipient } from '../payments/clues.ts'
import { getAgreed } from '../payments/executed.ts'
import { listOpenPayments, readAccountTotals } from '../payments/totals.ts'
import { reads } from '../port.ts'
import type { Row } from '../rows.ts'
import { isOutcomeUnknown } from '../transitions.ts'
import { nameRecall, type Order, type RecallTimes, recallMs } from '../values.ts'
import { hasSentNothing, listPaymentsSince } from './earlier.ts'
import { mayMissSigned } from './possible-loss.ts'
import { getDebit } from './settled.ts'
import { isHeld } from './standing.ts'

export type RecallLimits = RecallTimes & { sender: Address }

/** Tells of an account with a till: it takes part in no hold. */
type HasTill = (account: string) => boolean

/**
 * Says what an account has and owes at a block, and which intents of its open payments that block
 * has spent: they have left it already.
 */
export type Holdings = { block: number; wei: bigint; owedWei: bigint; spent: readonly Hex[] }

/** Asks to hold back what is unspent of a payment that its sender calls a mistake. */
export type RecallRequest = RecallLimits & {
  intentId: Hex
  /** Is what the receiver has; undefined if no node tells. */
  holdings: Holdings | undefined
  /** Hold the messages to its receiver, and to its sender if it is kept; undefined for none. */
  sealed?: string | undefined
  sealedForSender?: string | undefined
  /** Holds the sender's number, sealed, for the message that the money is back. */
  number?: string | undefined
}

/** Tells what is held back until when (Unix time in ms), or why nothing is. */
export type RecallAnswer =
  | { kind: 'held'; wei: bigint; until: number }
  | { kind: 'arriving' | 'unknown' | 'spent' }
  | { kind: Objection | 'too_many' }

/** Tells until when what is held of a payment, or its sender may ask for that, or why not. */
export type RecallStanding =
  | { kind: 'held'; wei: bigint; until: number }
  | { kind: Objection | 'open' | 'off'; until: number }

type Objection = 'not_yours' | 'till' | 'final' | 'too_late' | 'too_often' | 'known'

/** Describes what a receiver cannot spend for now, but may send back to the sender. */
export type Recalled = { intentId: Hex; wei: bigint } & Pick<Held, 'sender' | 'until' | 'number'>

type PaymentRow = Row<'payments'>
type Held = Row<'recalls'>['held'][number]

/** Limits the payments that are held back in an account at a time: the smallest gives way. */
const maxHeld = 8

/** Limits the payments among which an earlier one to the same recipient is looked for. */
const maxCompared = 200

/** Reaches back to each payment that a new block may hold: a request waits for a day at most. */
const maxWaitMs = 26 * 60 * 60 * 1000

const readRow = (rows: Draft, account: string): Row<'recalls'> =>
  rows.row('recalls', account) ?? { account, held: [], asked_at: null, at: rows.now }

const listKept = (rows: Draft, account: string): Held[] =>
  readRow(rows, account).held.filter(({ until }) => until > rows.now)

/** Tells whether anything is held back in an account, also while its block is lost. */
export const isRecalled = (rows: Draft, account: string): boolean =>
  listKept(rows, account).length > 0

/** Lists what is held back now: nothing of a payment that no block holds, or no more. */
function listHeld(rows: Draft, account: string): { held: Held; payment: PaymentRow }[] {
  return listKept(rows, account).flatMap((held) => {
    const payment = findByIntent(rows, held.intent_id)
    return payment?.outcome === 'executed' && !payment.executed ? [{ held, payment }] : []
  })
}

const sumWei = (all: readonly bigint[]): bigint => all.reduce((sum, wei) => sum + wei, 0n)

const sumHeld = (all: ReturnType<typeof listHeld>): bigint =>
  sumWei(all.map(({ held }) => BigInt(held.wei)))

/**
 * Returns the least that an account has once all that it pays has left it, and what is to begin:
 * what it had at a block, with these payments that came above that block.
 */
function findLeast(
  rows: Draft,
  account: string,
  { block, wei, owedWei, spent }: Holdings,
  received: readonly PaymentRow[],
  begins: Pick<Order, 'kind' | 'spendsWei'>[] = [],
): bigint {
  const isAbove = ({ block_number: number }: PaymentRow) => (number ?? -1) > block
  const recent = listPaymentsSince(rows, account, rows.now - maxWaitMs, maxCompared)
  const sent = recent.filter(
    (each) => each.outcome === 'executed' && !isOutcomeUnknown(each.state) && isAbove(each),
  )
  const open = listOpenPayments(rows, readAccountTotals(rows, account)).filter(
    ({ intent_id: id }) => !spent.includes(id),
  )
  const paid = [...open, ...sent].map(({ kind, spends }) => ({ kind, spendsWei: BigInt(spends) }))
  const all = [...paid, ...begins]
  // The whole debt can be repaid once.
  const repaysWei = all.some((each) => getDebit(each) === undefined) ? owedWei : 0n
  const cameWei = sumWei(received.filter(isAbove).map(({ spends }) => BigInt(spends)))
  return wei + cameWei - repaysWei - sumWei(all.map(({ spendsWei }) => spendsWei))
}

/** Tells whether an account has paid another one before a payment, as far as rows show. */
function hasPaidBefore(rows: Draft, payment: PaymentRow, from: string, to: string): boolean {
  const others = listPaymentsSince(rows, from, 0, maxCompared)
  return others.some((other) => {
    const recipient = other.session === payment.session ? undefined : findRecipient(other)
    const isSame = recipient !== undefined && isAddressEqual(recipient as Address, to as Address)
    return isSame && other.accepted_at <= payment.accepted_at && !hasSentNothing(other)
  })
}

/** Tells why a sender may not recall a payment, as far as rows show it. */
function findObjection(
  rows: Draft,
  payment: PaymentRow,
  { sender, withinMs, everyMs }: RecallLimits,
  hasTill: HasTill,
): Objection | undefined {
  const askedAt = rows.row('recalls', sender)?.asked_at ?? null
  const to = findRecipient(payment)
  if (payment.kind !== 'transfer' || to === undefined) return 'not_yours'
  if (hasSentNothing(payment) || payment.outcome === 'failed' || isHeld(rows, sender))
    return 'not_yours'
  if (hasTill(sender) || hasTill(to)) return 'till'
  if (payment.executed || payment.assured_at !== undefined) return 'final'
  if (rows.now - payment.accepted_at > withinMs) return 'too_late'
  // Who gives back what was paid by mistake pays no stranger either.
  const isKnown =
    hasPaidBefore(rows, payment, sender, to) || hasPaidBefore(rows, payment, getAddress(to), sender)
  if (isKnown) return 'known'
  return askedAt !== null && rows.now - askedAt < everyMs ? 'too_often' : undefined
}

const selectSmaller = (one: Held, other: Held): Held =>
  BigInt(other.wei) < BigInt(one.wei) ? other : one

/** Limits the payments that a sender may choose from: a screen lists no more. */
const maxRecallable = 3

/** Lists the last payments that a sender may recall, the newest first, or may only from a time. */
export const listRecallable = (rows: Draft, limits: RecallLimits, hasTill: HasTill) =>
  listPaymentsSince(rows, limits.sender, rows.now - limits.withinMs, maxCompared)
    .flatMap((each) => {
      const account = findRecipient(each) as Address | undefined
      const objection = findObjection(rows, each, limits, hasTill)
      if (account === undefined || (objection ?? 'too_often') !== 'too_often') return []
      const from = objection && (readRow(rows, limits.sender).asked_at ?? 0) + limits.everyMs
      const { intent_id: intentId, spends } = each
      return [{ intentId, account, amountWei: BigInt(spends), agreed: getAgreed(each), from }]
    })
    .slice(0, maxRecallable)

/** Tells how a transfer stands that may be a mistake, as rows show it; undefined of others. */
export function findStanding(
  rows: Draft,
  intentId: Hex,
  times: RecallTimes,
  hasTill: HasTill,
): RecallStanding | undefined {
  const payment = findByIntent(rows, intentId)
  const to = payment && findRecipient(payment)
  if (payment?.kind !== 'transfer' || to === undefined) return undefined
  if (hasSentNothing(payment) || payment.outcome === 'failed') return undefined
  const all = listHeld(rows, getAddress(to))
  const held = all.find(({ held: { intent_id: id } }) => id === intentId)?.held
  if (held !== undefined) return { kind: 'held', wei: BigInt(held.wei), until: held.until }
  const until = payment.accepted_at + times.withinMs
  if (times.withinMs === 0) return { kind: 'off', until }
  const limits = { sender: payment.account as Address, ...times }
  return { kind: findObjection(rows, payment, limits, hasTill) ?? 'open', until }
}

/** Holds back what is unspent of one payment, once; asked again, it answers the same. */
export function recall(
  { rows }: StepContext,
  request: RecallRequest,
  hasTill: HasTill,
): RecallAnswer {
  const { intentId, sender, holdings, sealed, sealedForSender, number } = request
  const payment = findByIntent(rows, intentId)
  const to = payment && findRecipient(payment)
  if (payment?.account !== sender || to === undefined) return { kind: 'not_yours' }
  const receiver = getAddress(to)
  const kept = listKept(rows, receiver)
  const all = listHeld(rows, receiver)
  if (kept.some((held) => held.intent_id === intentId)) {
    const before = all.find(({ held }) => held.intent_id === intentId)?.held
    return before === undefined
      ? { kind: 'arriving' }
      : { kind: 'held', wei: BigInt(before.wei), until: before.until }
  }
  const objection = findObjection(rows, payment, request, hasTill)
  if (objection !== undefined) return { kind: objection }
  if (payment.outcome !== 'executed') return { kind: 'arriving' }
  // Lost rows may hold what the receiver has spent.
  if (holdings === undefined || mayMissSigned(rows)) return { kind: 'unknown' }
  const smallest = kept.length < maxHeld ? undefined : kept.reduce(selectSmaller)
  const others = all.filter(({ held }) => held.intent_id !== smallest?.intent_id)
  const received = [...all.map((each) => each.payment), payment]
  const left = findLeast(rows, receiver, holdings, received) - sumHeld(others)
  const wei = left < BigInt(payment.spends) ? left : BigInt(payment.spends)
  if (smallest !== undefined && 0n < wei && wei <= BigInt(smallest.wei)) return { kind: 'too_many' }
  // Also an answer without a hold tells something of the receiver.
  rows.put('recalls', { ...readRow(rows, sender), asked_at: rows.now, at: rows.now })
  if (wei <= 0n) return { kind: 'spent' }
  if (smallest !== undefined) replaceHeld(rows, receiver, smallest, 'kept')
  const until = rows.now + recallMs
  const held = { intent_id: intentId, sender, wei: `${wei}`, until, number }
  replaceHeld(rows, receiver, held, held)
  const messages = [
    { party: 'receiver', sealed, at: rows.now },
    // It tells that nothing came back, unless all does before.
    { party: 'sender', sealed: sealedForSender, at: until },
  ] as const
  for (const { sealed: text, ...message } of messages) {
    if (text === undefined) continue
    const told = { session: nameRecall(intentId), recalled: { wei: `${wei}`, until }, sealed: text }
    rows.put('sms', { ...message, ...told, state: 'due', attempts: 0 })
  }
  return { kind: 'held', wei, until }
}

/** Is what is judged of an order, and which payment it gives back, if it does. */
type Judged = {
  order: Pick<Order, 'kind' | 'spendsWei'> & Partial<Pick<Order, 'request'>>
  holdings?: Holdings | undefined
  returns?: Hex | undefined
}

/** Finds what an order gives back: it pays no more to the sender than is held back for that. */
function findReturned(rows: Draft, account: string, { order, returns }: Judged): Held | undefined {
  if (!isRecalled(rows, account)) return undefined
  const call = order.request && decodeCall(order.request.data)
  if (order.kind !== 'transfer' || call?.kind !== 'transfer') return undefined
  return listHeld(rows, account).find(({ held: { intent_id: id, sender, wei } }) => {
    const isDue = (returns ?? id) === id && isAddressEqual(sender, call.to)
    return isDue && order.spendsWei <= BigInt(wei)
  })?.held
}

/** Tells whether an order gives back what is held, or may, where nobody knows yet whom it pays. */
export const mayGiveBack = (rows: Draft, account: string, judged: Judged): boolean =>
  judged.order.request === undefined
    ? isRecalled(rows, account)
    : findReturned(rows, account, judged) !== undefined

/** Tells why an order may not begin: it takes of what is held back, or gives back more. */
export function findRecalled(
  rows: Draft,
  account: string,
  judged: Judged,
): { kind: 'recalled'; wei: bigint; until: number } | { kind: 'not_held' } | undefined {
  const { order, holdings, returns } = judged
  if (mayGiveBack(rows, account, judged)) return undefined
  if (returns !== undefined) return { kind: 'not_held' }
  const all = listHeld(rows, account)
  if (all.length === 0 || holdings === undefined || getDebit(order) === 0n) return undefined
  const received = all.map(({ payment }) => payment)
  const wei = sumHeld(all)
  if (findLeast(rows, account, holdings, received, [order]) >= wei) return undefined
  return { kind: 'recalled', wei, until: Math.max(...all.map(({ held }) => held.until)) }
}

/** Ends what an order that begins gives back, also out of other money: that may be more. */
export function returnRecalled(rows: Draft, account: string, judged: Judged): void {
  if (!isRecalled(rows, account)) return
  const { request, kind } = judged.order
  const call = request && decodeCall(request.data)
  const isTo = (sender: Address) => call?.kind === 'transfer' && isAddressEqual(sender, call.to)
  const returned =
    findReturned(rows, account, judged) ??
    (kind === 'transfer'
      ? listHeld(rows, account).find(({ held }) => isTo(held.sender))?.held
      : undefined)
  if (returned === undefined) return
  const wei = BigInt(returned.wei) - judged.order.spendsWei
  replaceHeld(rows, account, returned, wei > 0n ? { ...returned, wei: `${wei}` } : 'returned')
}

/** Replaces what is held back of a payment, also in its messages, or ends it. */
function replaceHeld(
  rows: Draft,
  account: string,
  { intent_id: id }: Held,
  by: Held | 'returned' | 'kept',
): void {
  const others = listKept(rows, account).filter((held) => held.intent_id !== id)
  const held = typeof by === 'string' ? others : [...others, by]
  rows.put('recalls', { ...readRow(rows, account), held, at: rows.now })
  const toReceiver = rows.row('sms', nameRecall(id), 'receiver')
  if (typeof by === 'string') rows.drop('sms', nameRecall(id), 'receiver')
  else if (toReceiver !== undefined)
    rows.put('sms', { ...toReceiver, recalled: { wei: by.wei, until: by.until } })
  // What has come back of it is found when it is told: what is given back may fail yet.
  const toSender = rows.row('sms', nameRecall(id), 'sender')
  if (by === 'kept' && toSender !== undefined) rows.put('sms', { ...toSender, at: rows.now })
}

/**
 * Returns what a receiver has kept of what was held of a payment: nothing if the payment failed;
 * `open` while that, or a transfer to its sender since, may change.
 */
export function findKeptWei(
  rows: Draft,
  intentId: Hex,
  { wei, until }: { wei: string; until: number },
): bigint | 'open' {
  const payment = findByIntent(rows, intentId)
  const to = payment && findRecipient(payment)
  const hasCome = payment?.outcome !== 'failed' && !payment?.executed
  if (payment === undefined || to === undefined || hasSentNothing(payment) || !hasCome) return 0n
  const back = listPaymentsSince(rows, getAddress(to), until - recallMs, maxCompared).filter(
    (each) =>
      each.kind === 'transfer' &&
      findRecipient(each)?.toLowerCase() === payment.account.toLowerCase() &&
      !hasSentNothing(each) &&
      !each.executed,
  )
  if ([payment, ...back].some(({ outcome }) => outcome === null)) return 'open'
  const executed = back.filter(({ outcome }) => outcome === 'executed')
  return BigInt(wei) - sumWei(executed.map(({ spends }) => BigInt(spends)))
}

/** Ends what is held back of a payment, or of all: its receiver keeps that. Returns if any was. */
export function endRecall({ rows }: StepContext, account: Address, intentId?: Hex): boolean {
  const found = listKept(rows, account).filter(
    (held) => (intentId ?? held.intent_id) === held.intent_id,
  )
  for (const held of found) replaceHeld(rows, account, held, 'kept')
  return found.length > 0
}

export const recallSteps = {
  /** Lists what is held back in an account, the oldest first. */
  listRecalled: reads(({ rows }, account: Address): Recalled[] =>
    listHeld(rows, account).map(({ held: { intent_id: intentId, wei, ...held } }) => {
      return { ...held, intentId, wei: BigInt(wei) }
    }),
  ),
}
