import type { PoolRules } from '../../chain/chains.ts'
import type { Head } from '../../chain/node.ts'
import { describeLoanRefusal } from '../../loan/calls.ts'
import type { Payment } from '../ledger/payments/payment-states.ts'
import type { Work } from '../ledger/work.ts'
import { findWallet } from '../outcome/payees.ts'
import { type Action, record } from './execute.ts'
import {
  isPoolNonceWrong,
  type Plan,
  type RoundFacts,
  type StageTerms,
  settleElsewhere,
} from './facts.ts'
import { type Asking, askAll, askOrLog } from './questions.ts'

/** Settles waiting payments that are spent, gives the others free nonces, and fills gaps. */
export function* carryPayments(
  work: Work,
  before: RoundFacts,
  { rules }: StageTerms,
): Asking<Plan> {
  const isAnyFree = assignNonces(work, before, rules, 0, () => 'yes').length > 0
  const facts = isAnyFree ? yield* askForNonces(work, before, rules) : before
  const { chainNonce, poolNonce } = facts
  const gasPriceWei = choosePrice(work, facts)
  const actions = planEnds(work, facts)
  if (poolNonce === undefined || gasPriceWei === undefined) return { actions, facts }
  const assigned = assignNonces(work, facts, rules, poolNonce, (one) => mayCarry(one, facts))
  const carried = assigned.map(({ nonce, payments }): Action => {
    const sessions = payments.map(({ session }) => session)
    const requests = payments.map(({ order }) => order.request)
    return { kind: 'carry', nonce, chainNonce, sessions, requests, gasPriceWei }
  })
  return { actions: [...actions, ...carried], facts }
}

const choosePrice = ({ accountState }: Work, { gasPriceWei }: RoundFacts): bigint | undefined =>
  gasPriceWei ?? accountState.gasPriceWei

/** Asks what the pool holds, and about the payments that would get a nonce. */
function* askForNonces(work: Work, before: RoundFacts, rules: PoolRules): Asking<RoundFacts> {
  // A payment waits too long for the pool's next nonce, so that is wrong.
  const wrongNonce = isPoolNonceWrong(work) ? 0 : undefined
  const poolNonce =
    before.poolNonce ?? wrongNonce ?? (yield* askOrLog('fill.failed', 'getNextNonce', 'pending'))
  if (poolNonce === undefined) return before
  const spendings = new Map(before.spendings)
  const payees = new Map(before.payees)
  const facts = { ...before, poolNonce, spendings, payees }
  const mustAsk = (payment: Payment) => mayBeExecuted(payment) && !spendings.has(payment.session)
  const mustAskPayee = ({ session, order }: Payment) =>
    findWallet(order.request) !== undefined && !payees.has(session)
  // Takes what was not asked as unspent and as a wallet, to see which payments would get a nonce.
  const assign = () =>
    assignNonces(work, facts, rules, poolNonce, (payment) =>
      mustAsk(payment) || mustAskPayee(payment) ? 'yes' : mayCarry(payment, facts),
    )
  const list = (isAsked: (payment: Payment) => boolean) =>
    assign().flatMap(({ payments }) => payments.filter(isAsked))
  function* askSpendings(event: string, payments: readonly Payment[]): Asking<void> {
    const asked = payments.map((payment): [Payment] => [payment])
    const answers = yield* askAll(event, 'readSpending', asked)
    for (const [index, { session }] of payments.entries()) spendings.set(session, answers[index])
  }
  for (let unasked = list(mustAskPayee); unasked.length > 0; unasked = list(mustAskPayee)) {
    const requests = unasked.map(({ order }): [Payment['order']['request']] => [order.request])
    const answers = yield* askAll(undefined, 'readPayee', requests)
    for (const [index, { session }] of unasked.entries())
      payees.set(session, answers[index] ?? 'unknown')
    // An older copy of the ledger may have come back, which does not know that one was sent.
    const unpaid = unasked.filter((payment) => isPaidToNoWallet(payment, facts))
    yield* askSpendings(
      'expire.failed',
      unpaid.filter(({ session }) => !spendings.has(session)),
    )
  }
  for (let [doubtful] = list(mustAsk); doubtful !== undefined; [doubtful] = list(mustAsk)) {
    yield* askSpendings('fill.failed', [doubtful])
  }
  const isPriced = assign().length === 0 || choosePrice(work, facts) !== undefined
  if (isPriced) return facts
  return { ...facts, gasPriceWei: yield* askOrLog('fill.failed', 'getGasPrice') }
}

const noWalletReason = describeLoanRefusal({ reason: 'invalid_recipient' })

/** Settles waiting payments that are spent, and ends those that never left and pay no wallet. */
function planEnds(work: Work, facts: RoundFacts): Action[] {
  return listWaitingPayments(work, facts.head).flatMap((payment): Action[] => {
    const spending = facts.spendings.get(payment.session)
    if (spending?.kind === 'spent')
      return spending.by ? [settleElsewhere(payment, spending.by)] : []
    if (spending === undefined || !isPaidToNoWallet(payment, facts)) return []
    return [record('endUnsent', payment.session, noWalletReason)]
  })
}

/** Returns queued payments, accounts taking turns, the oldest first; without overdue ones. */
function listWaitingPayments(work: Work, { timestampSeconds }: Head): Payment[] {
  const turns = new Map<string, number>()
  const toTurn = ({ order: { request } }: Payment) => {
    const turn = turns.get(request.from) ?? 0
    turns.set(request.from, turn + 1)
    return turn
  }
  // A carried payment has used a turn.
  for (const payment of work.carried) toTurn(payment)
  return work.waiting
    .filter(({ order }) => order.request.deadline > timestampSeconds)
    .map((payment) => ({ payment, turn: toTurn(payment) }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ payment }) => payment)
}

/** Assigns payments to a free nonce; without any, its transaction only closes a gap. */
type Assignment = { nonce: number; payments: readonly Payment[] }

/** Assigns free nonces to waiting payments, in batches, and to gaps; replaces nothing. */
function assignNonces(
  work: Work,
  { head, chainNonce, refused }: RoundFacts,
  rules: PoolRules,
  poolNonce: number,
  mayBeCarried: (payment: Payment) => Carriable,
): Assignment[] {
  const taken = new Set([...refused, ...work.nonces.map(({ nonce }) => nonce)])
  const top = Math.max(-1, ...work.nonces.map(({ nonce }) => nonce))
  let waiting = selectInOrder(listWaitingPayments(work, head), mayBeCarried)
  const filled: Assignment[] = []
  for (let nonce = chainNonce; nonce < chainNonce + rules.maxInFlight; nonce++) {
    if (taken.has(nonce) || nonce < poolNonce) continue
    const payments = waiting
      .filter((payment) => keepsOrder(work, payment, nonce))
      .slice(0, rules.maxInBatch)
    if (payments.length === 0 && nonce >= top) break
    filled.push({ nonce, payments })
    waiting = waiting.filter((payment) => !payments.includes(payment))
  }
  return filled
}

/** Selects what may be carried, none of it before an earlier payment of its account may be. */
function selectInOrder(
  payments: readonly Payment[],
  mayBeCarried: (payment: Payment) => Carriable,
): Payment[] {
  const delayed = new Set<string>()
  return payments.filter((payment) => {
    const { from } = payment.order.request
    const answer = delayed.has(from) ? 'unknown' : mayBeCarried(payment)
    if (answer === 'unknown') delayed.add(from)
    return answer === 'yes'
  })
}

/** Tells whether the account's earlier payments, judged before it, have lower nonces. */
function keepsOrder(work: Work, payment: Payment, nonce: number): boolean {
  return !work.carried.some(
    (other) =>
      (other.nonce ?? -1) > nonce &&
      other.order.request.from === payment.order.request.from &&
      other.acceptedAt <= payment.acceptedAt,
  )
}

/** Tells whether a payment may have been executed: a transaction carried it without effect. */
const mayBeExecuted = ({ attempts }: Payment): boolean => attempts > 0

/** Tells whether a payment is a cash-out to what was found to be no wallet, and never left. */
function isPaidToNoWallet(payment: Payment, { payees }: RoundFacts): boolean {
  const payee = payees.get(payment.session) ?? 'unknown'
  return payee !== 'wallet' && payee !== 'unknown' && !mayBeExecuted(payment)
}

/** Is `unknown` while no node tells: then the account's later payments, judged after it, wait. */
type Carriable = 'yes' | 'no' | 'unknown'

/** Tells whether a payment may be sent: not if it is spent, nor outside to what is no wallet. */
function mayCarry(payment: Payment, { spendings, payees }: RoundFacts): Carriable {
  const { session, order } = payment
  const kind = spendings.get(session)?.kind
  if (kind === 'spent') return 'no'
  const payee = findWallet(order.request) === undefined ? 'wallet' : payees.get(session)
  if (payee !== 'wallet') return payee === undefined || payee === 'unknown' ? 'unknown' : 'no'
  return kind === 'unspent' || !mayBeExecuted(payment) ? 'yes' : 'unknown'
}
