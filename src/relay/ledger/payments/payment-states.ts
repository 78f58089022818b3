import { type Hex, zeroAddress } from 'viem'
import type { Draft, StepContext } from '../draft.ts'
import type { Execution, LedgerRules, Order, Payment, Transition } from '../port.ts'
import type { Row } from '../rows.ts'
import {
  getNextState,
  isUnsettled,
  type PaymentEvent,
  type PaymentState,
  phases,
} from '../transitions.ts'
import {
  addToQueue,
  listOpen,
  noteBlock,
  noteOpen,
  readAccount,
  readQueue,
  removeFromQueue,
  saveAccount,
  saveQueue,
} from './account-totals.ts'
import { count } from './counts.ts'
import { holdReminder } from './reminders.ts'
import { noteReserved } from './reserves.ts'
import { followPayment, holdSms } from './sms.ts'

type PaymentRow = Row<'payments'>

type ExecutionColumns = Pick<
  PaymentRow,
  'outcome' | 'reason' | 'hash' | 'block_number' | 'block_hash'
>

export const noNonce = { relayer: null, nonce: null }
export const noBlock = { hash: null, block_number: null, block_hash: null }
export const noExecution: ExecutionColumns = { outcome: null, reason: null, ...noBlock }

export function toExecutionColumns({ outcome, reason, hash, block }: Execution): ExecutionColumns {
  return { outcome, reason, hash, block_number: block.number, block_hash: block.hash }
}

export const getPaymentRow = (rows: Draft, session: string | null | undefined) =>
  session === null || session === undefined ? undefined : rows.row('payments', session)

export const listPaymentsIn = (rows: Draft, phase: PaymentRow['phase'], limit: number) =>
  rows.list({ table: 'payments', list: 'phase', group: phase, limit })

/**
 * Begins a payment by an event, with the columns of what carries it.
 * @throws {Error} a payment of this session or intent exists
 */
export function beginPayment(
  { rows, rules }: StepContext,
  event: PaymentEvent,
  session: string,
  { request, kind, spendsWei, reserves, till, sms = [], reminder }: Order,
  columns: Partial<PaymentRow> = {},
): void {
  const { intentId, from: account } = request
  const known = [session, rows.row('intents', intentId)?.session]
  if (known.some((other) => getPaymentRow(rows, other) !== undefined)) {
    throw new Error('the payment or its intent is recorded already')
  }
  const state = getNextState('none', event)
  if (state === undefined) throw new Error(`no payment begins with ${event}`)
  rows.put('intents', { intent_id: intentId, session })
  if (till !== undefined) {
    const { account: to, reference = null } = till
    rows.put('takings', { session, account: to, reference, accepted_at: rows.now })
  }
  count(rows, kind, event)
  // An adopted payment lost its rows: its messages may have been sent.
  if (event !== 'adopted') holdSms(rows, session, sms)
  if (reminder !== undefined) holdReminder(rows, account, reminder)
  savePayment(rows, undefined, {
    ...{ session, state, intent_id: intentId, account, kind, request },
    spends: `${spendsWei}`,
    reserves_pool: reserves === undefined ? null : `${reserves.poolWei}`,
    reserves_cap: reserves === undefined ? null : `${reserves.capWei}`,
    reserves_out: reserves?.outWei === undefined ? null : `${reserves.outWei}`,
    ...{ ...noNonce, attempts: 0, ...noExecution },
    ...{ accepted_at: rows.now, history: [[state, rows.now]] },
    ...placeIn(rules, state, 0, rows.now, rows.now),
    ...columns,
  })
}

/** Lists the counted events: rare ones, since counting the usual ones would cost a write each. */
const countedEvents: readonly PaymentEvent[] = [
  ...['executed', 'failed', 'overdue', 'dropped', 'reorganized', 'orphaned'],
] as const

/** Applies an event to a payment; does nothing if its state does not list the event. */
export function move(
  { rows, rules }: StepContext,
  payment: PaymentRow | undefined,
  event: PaymentEvent,
  columns: Partial<PaymentRow> = {},
): Transition[] {
  const to = payment && getNextState(payment.state, event)
  if (payment === undefined || to === undefined) return []
  const after = { ...payment, ...columns, state: to }
  savePayment(rows, payment, {
    ...after,
    ...placeIn(rules, to, after.attempts, after.accepted_at, rows.now),
    history: [...payment.history, [to, rows.now]],
  })
  const { intent_id: intentId, kind, state: from } = payment
  followPayment(rows, payment, to)
  if (countedEvents.includes(event)) count(rows, kind, event)
  const hash = after.hash ?? payment.hash ?? undefined
  return [{ intentId, kind, from, to, hash, reason: after.reason ?? payment.reason ?? '' }]
}

/** Queues a payment for another nonce: its transaction did nothing for it. */
export function requeuePayment(step: StepContext, payment: PaymentRow | undefined): Transition[] {
  const attempts = (payment?.attempts ?? 0) + 1
  return move(step, payment, 'dropped', { ...noExecution, ...noNonce, attempts })
}

/** Removes names and amounts from a past payment; what stays shows that its intent was known. */
export const eraseNames = ({ reference: _, ...row }: Row<'history'>): Row<'history'> => ({
  ...{ ...row, session: '', account: zeroAddress, spends: '0' },
  ...{ reserves_pool: null, reserves_cap: null, reserves_out: null },
})

/** Moves payments of one account to the history. */
export function archive(rows: Draft, name: string, payments: readonly PaymentRow[]): void {
  // Read before anything is deleted: a lost total is counted from the rows.
  const account = readAccount(rows, name)
  for (const payment of payments) {
    const { request: _, phase: __, since, relayer: ___, nonce: ____, ...kept } = payment
    const isErased = payment.accepted_at <= (account.erased_at ?? -1)
    const { reference } = rows.row('takings', payment.session) ?? {}
    const row = { ...kept, settled_at: since, ...(reference && { reference }) }
    rows.put('history', isErased ? eraseNames(row) : row)
    rows.drop('takings', payment.session)
    noteReserved(rows, payment, undefined)
    rows.drop('payments', payment.session)
    noteBlock(rows, payment, undefined, { nonces: [], sessions: [payment.session] })
    if (rows.row('intents', payment.intent_id)?.session === payment.session) {
      rows.drop('intents', payment.intent_id)
    }
  }
  const open = listOpen(rows, account).map(({ session }) => session)
  saveAccount(rows, { ...account, open, seen: Math.max(0, account.seen - payments.length) })
}

/** Returns the listing of a payment that came to this state at `now` (Unix time in ms). */
export function placeIn(
  { maxAttempts }: LedgerRules,
  state: PaymentState,
  attempts: number,
  acceptedAt: number,
  now: number,
): Pick<PaymentRow, 'phase' | 'since'> {
  const phase = phases[state]
  if (phase === 'waiting' && attempts >= maxAttempts) return { phase: 'stuck', since: acceptedAt }
  return { phase, since: phase === 'settled' ? now : acceptedAt }
}

/** Saves a payment and the totals that count it. */
export function savePayment(rows: Draft, before: PaymentRow | undefined, after: PaymentRow): void {
  const { session, nonce } = after
  const [wasWaiting, isWaiting] = [before?.phase === 'waiting', after.phase === 'waiting']
  if (wasWaiting !== isWaiting) {
    const queue = readQueue(rows)
    saveQueue(rows, isWaiting ? addToQueue(queue, after) : removeFromQueue(queue))
  } else if (nonce === null && (before === undefined || before.phase === 'settled')) {
    // No total changes, but a concurrent check for open work must conflict with this write.
    saveQueue(rows, readQueue(rows))
  }
  if (before === undefined || isUnsettled(after.state)) noteOpen(rows, after, before === undefined)
  noteBlock(rows, before, after, { nonces: [], sessions: [session] })
  noteReserved(rows, before, after)
  rows.put('payments', after)
}

export function toPayment(row: PaymentRow): Payment {
  const { outcome, reason, hash, block_number: number, block_hash: blockHash } = row
  const isSettled = outcome !== null && hash !== null && number !== null && blockHash !== null
  return {
    session: row.session,
    state: row.state,
    order: { request: row.request, kind: row.kind, spendsWei: BigInt(row.spends) },
    nonce: row.nonce ?? undefined,
    attempts: row.attempts,
    execution: isSettled
      ? { outcome, reason: reason ?? '', hash, block: { number, hash: blockHash as Hex } }
      : undefined,
    acceptedAt: row.accepted_at,
  }
}
