import { type Hex, zeroAddress } from 'viem'
import type { Draft, LedgerRules, StepContext } from '../draft.ts'
import { readMeta, saveMeta } from '../meta.ts'
import type { Row } from '../rows.ts'
import { getNextState, isOutcomeUnknown, type PaymentEvent, phases } from '../transitions.ts'
import type { Execution, IntentExecution, Order } from '../values.ts'
import {
  addReceipt,
  addRecipientClue,
  dropReceipt,
  dropRecipientClue,
  findByIntent,
} from './clues.ts'
import { countEvent } from './counts.ts'
import { getAgreed, getRequest, readExecutedOrder } from './executed.ts'
import { saveReminder } from './reminders.ts'
import { updateReserves } from './reserves.ts'
import { holdSms, updateSmsState } from './sms.ts'
import {
  countWaiting,
  listOpenPayments,
  readAccountTotals,
  saveOrDropTotals,
  updateAccountTotals,
  updateBlockContents,
} from './totals.ts'

export type Transition = ReturnType<typeof applyEvent>[number]

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

/** Returns the columns of a payment that was executed, perhaps by another request than its own. */
export function toOutcomeColumns(
  payment: PaymentRow,
  execution: IntentExecution,
): Partial<PaymentRow> {
  const { executed } = execution
  const columns = toExecutionColumns(execution)
  if (executed.data === payment.request.data) return columns
  return {
    ...columns,
    executed,
    ...toOrderColumns(readExecutedOrder(readOrder(payment), executed)),
  }
}

/** Returns the columns of a payment whose execution left the chain: its own request counts. */
export function toOpenColumns(payment: PaymentRow): Partial<PaymentRow> {
  const { request, executed } = payment
  if (!executed) return noExecution
  const order = readExecutedOrder({ ...readOrder(payment), request: executed }, request)
  return { ...toOrderColumns(order), ...noExecution, executed: null }
}

const readOrder = ({ request, kind, spends }: PaymentRow): Order => ({
  request,
  kind,
  spendsWei: BigInt(spends),
})

const toOrderColumns = ({ kind, spendsWei, reserves }: Order) => ({
  kind,
  spends: `${spendsWei}`,
  reserves_pool: reserves === undefined ? null : `${reserves.poolWei}`,
  reserves_cap: reserves === undefined ? null : `${reserves.capWei}`,
  reserves_out: reserves?.outWei === undefined ? null : `${reserves.outWei}`,
})

export const getPaymentRow = (rows: Draft, session: string | null | undefined) =>
  session === null || session === undefined ? undefined : rows.row('payments', session)

export const listPhasePayments = (rows: Draft, phase: PaymentRow['phase'], limit: number) =>
  rows.list({ table: 'payments', list: 'phase', group: phase, limit })

/**
 * Begins a payment by an event, with the columns of what carries it.
 * @throws {Error} a payment of this session or intent exists
 */
export function beginPayment(
  { rows, rules }: StepContext,
  event: PaymentEvent,
  session: string,
  order: Order,
  columns: Partial<PaymentRow> = {},
): void {
  const { request, lasting, kind, sms = [], reminder, agreed } = order
  const { intentId, from: account } = request
  if (getPaymentRow(rows, session) ?? findByIntent(rows, intentId)) {
    throw new Error('the payment or its intent is recorded already')
  }
  const state = getNextState('none', event)
  if (state === undefined) throw new Error(`no payment begins with ${event}`)
  addReceipt(rows, intentId, session)
  countEvent(rows, kind, event)
  // The rows of an adopted payment were lost, so its messages may have been sent already.
  if (event !== 'adopted') holdSms(rows, session, sms)
  if (reminder !== undefined || (kind === 'loan' && rules.tellsEvents))
    saveReminder(rows, account, reminder)
  savePayment(rows, undefined, {
    session,
    state,
    intent_id: intentId,
    account,
    request,
    ...toOrderColumns(order),
    // The rate of an adopted payment was lost too, and today's is another.
    ...(agreed !== undefined && event !== 'adopted' && { agreed }),
    ...(lasting !== undefined && event !== 'adopted' && { lasting }),
    ...noNonce,
    attempts: 0,
    ...noExecution,
    accepted_at: rows.now,
    history: [[state, rows.now]],
    ...getPhaseColumns(rules, { state, attempts: 0, accepted_at: rows.now }, rows.now),
    ...columns,
  })
}

/** Adds to a payment that began in the same step what carries it, and what its session shows. */
export function saveCarried(
  rows: Draft,
  session: string,
  columns: Pick<PaymentRow, 'hash' | 'decided'>,
): void {
  const payment = getPaymentRow(rows, session)
  if (payment !== undefined) rows.put('payments', { ...payment, ...columns })
}

/** Lists the events that are counted: only rare ones, because each count costs a write. */
const countedEvents: readonly PaymentEvent[] = [
  ...(['executed', 'failed', 'overdue', 'withheld', 'dropped', 'reorganized', 'orphaned'] as const),
]

/** Applies an event to a payment; does nothing if its state does not list the event. */
export function applyEvent(
  { rows, rules }: StepContext,
  payment: PaymentRow | undefined,
  event: PaymentEvent,
  columns: Partial<PaymentRow> = {},
) {
  const to = payment && getNextState(payment.state, event)
  if (payment === undefined || to === undefined) return []
  const after = { ...payment, ...columns, state: to }
  savePayment(rows, payment, {
    ...after,
    ...getPhaseColumns(rules, after, rows.now),
    history: [...payment.history, [to, rows.now]],
  })
  const { intent_id: intentId, kind, state: from } = payment
  updateSmsState(rows, payment, after)
  const hasFailed = to === 'reverted' || to === 'expired'
  // A reorganization may take a failure back that was counted, since it was assured.
  const { assured_at: assuredAt } = after
  const isCounted = (since: number) =>
    payment.history.some(([state, at]) => state === 'reverted' && at >= since)
  if (hasFailed && assuredAt !== undefined && !isCounted(assuredAt)) recordUnkept(rows, after)
  if (to === 'confirmed') endBacking(rows, getPaymentRow(rows, payment.session))
  if (countedEvents.includes(event)) countEvent(rows, kind, event)
  const hash = after.hash ?? payment.hash ?? undefined
  return [{ intentId, kind, from, to, hash, reason: after.reason ?? payment.reason ?? '' }]
}

/** Records that an assured payment did not happen: the operator stands for its amount. */
function recordUnkept(rows: Draft, { intent_id: intentId, spends }: PaymentRow): void {
  const { count = 0, sumWei = 0n } = readMeta(rows, 'unkept') ?? {}
  const sum = { count: count + 1, sumWei: sumWei + BigInt(spends) }
  saveMeta(rows, 'unkept', { ...sum, intentId, at: rows.now })
}

/** Tells whether an execution was read for the payment, by the signature that was asked for. */
export const isSignedFor = (
  { request, lasting }: Pick<PaymentRow, 'request' | 'lasting'>,
  signature: Hex,
): boolean => request.signature === signature || lasting?.signature === signature

/** Makes a payment assured: its messages are due, and no loss of its block takes that back. */
export function assurePayment(rows: Draft, payment: PaymentRow): void {
  const { request, lasting = request, backed } = payment
  if (backed !== undefined) {
    endBacking(rows, payment)
    return
  }
  const after = { ...payment, request: lasting, lasting: request, assured_at: rows.now }
  rows.put('payments', after)
  updateSmsState(rows, payment, after)
}

/** Makes a payment assured before any block has it: the operator backs its amount until then. */
export function backPayment(rows: Draft, payment: PaymentRow): void {
  assurePayment(rows, payment)
  const assured = rows.row('payments', payment.session)
  if (assured !== undefined) rows.put('payments', { ...assured, backed: payment.spends })
  saveMeta(rows, 'backed', readBackedWei(rows) + BigInt(payment.spends))
}

export const readBackedWei = (rows: Draft): bigint => readMeta(rows, 'backed') ?? 0n

/** Frees what the operator backs of a payment. Of one that fails it stays: that is lost. */
function endBacking(rows: Draft, row: PaymentRow | undefined): void {
  if (row?.backed === undefined) return
  const { backed, ...payment } = row
  rows.put('payments', payment)
  saveMeta(rows, 'backed', readBackedWei(rows) - BigInt(backed))
}

/** Queues a payment for another nonce: its transaction did nothing for it. */
export function requeuePayment(step: StepContext, payment: PaymentRow | undefined): Transition[] {
  const attempts = (payment?.attempts ?? 0) + 1
  return applyEvent(step, payment, 'dropped', { ...noExecution, ...noNonce, attempts })
}

/** Ends a queued payment that no bytes have carried out of the relay. */
export function endUnsentPayment(
  step: StepContext,
  payment: PaymentRow | undefined,
  reason: string,
): Transition[] {
  const wasMined = payment?.history.some(([state]) => state === 'mined')
  if (payment?.attempts !== 0 || wasMined) return []
  return applyEvent(step, payment, 'withheld', { reason })
}

/** Removes names and amounts from a past payment. Its intent stays: it is still known as paid. */
export const eraseNames = ({
  reference: _,
  agreed: __,
  ...row
}: Row<'history'>): Row<'history'> => ({
  ...row,
  session: '',
  account: zeroAddress,
  spends: '0',
  reserves_pool: null,
  reserves_cap: null,
  reserves_out: null,
})

export function archivePayments(rows: Draft, account: string, payments: readonly PaymentRow[]) {
  const totals = readAccountTotals(rows, account)
  // Read before the settled ones go, which it may still name.
  const open = listOpenPayments(rows, totals).map(({ session }) => session)
  for (const payment of payments) {
    const { request, executed, phase, since, relayer, nonce, ...rest } = payment
    const { agreed: _, lasting: __, backed: ___, decided: ____, ...columns } = rest
    const isErased = payment.accepted_at <= (totals.erased_at ?? -1)
    const agreed = getAgreed(payment)
    const row = { ...columns, ...(agreed !== undefined && { agreed }), settled_at: since }
    rows.put('history', isErased ? eraseNames(row) : row)
    dropRecipientClue(rows, payment)
    dropReceipt(rows, payment)
    updateReserves(rows, payment, undefined)
    rows.drop('payments', payment.session)
    updateBlockContents(rows, payment, undefined, { nonces: [], sessions: [payment.session] })
  }
  saveOrDropTotals(rows, { ...totals, open, seen: Math.max(0, totals.seen - payments.length) })
}

/** Returns the phase of a payment in this state since `now`, and the time that sorts the phase. */
function getPhaseColumns(
  { maxAttempts }: LedgerRules,
  {
    state,
    attempts,
    accepted_at: acceptedAt,
    assured_at: assuredAt,
  }: Pick<PaymentRow, 'state' | 'attempts' | 'accepted_at' | 'assured_at'>,
  now: number,
): Pick<PaymentRow, 'phase' | 'since'> {
  const phase = phases[state]
  // What is assured is carried until its deadline, however often in vain.
  const isStuck = phase === 'waiting' && attempts >= maxAttempts && assuredAt === undefined
  if (isStuck) return { phase: 'stuck', since: acceptedAt }
  return { phase, since: phase === 'settled' ? now : acceptedAt }
}

function savePayment(rows: Draft, before: PaymentRow | undefined, after: PaymentRow): void {
  const { session, nonce } = after
  const [wasWaiting, isWaiting] = [before?.phase === 'waiting', after.phase === 'waiting']
  if (wasWaiting !== isWaiting) {
    countWaiting(rows, isWaiting ? 1 : -1, after.request.deadline)
  } else if (nonce === null && (before === undefined || before.phase === 'settled')) {
    // The queue is the same, but this write makes a concurrent check for open work run again.
    countWaiting(rows, 0, 0)
  }
  if (before === undefined || getRequest(before).data !== getRequest(after).data) {
    if (before !== undefined) dropRecipientClue(rows, before)
    addRecipientClue(rows, after)
  }
  if (before === undefined || isOutcomeUnknown(after.state))
    updateAccountTotals(rows, after, before === undefined)
  updateBlockContents(rows, before, after, { nonces: [], sessions: [session] })
  updateReserves(rows, before, after)
  rows.put('payments', after)
}

export type Payment = ReturnType<typeof toPayment>

export function toPayment(row: PaymentRow) {
  const { outcome, reason, hash, block_number: number, block_hash: blockHash } = row
  const isSettled = outcome !== null && hash !== null && number !== null && blockHash !== null
  const execution: Execution | undefined = isSettled
    ? { outcome, reason: reason ?? '', hash, block: { number, hash: blockHash } }
    : undefined
  const order: Order = {
    ...readOrder(row),
    request: getRequest(row),
    lasting: row.lasting,
    agreed: getAgreed(row),
  }
  return {
    session: row.session,
    state: row.state,
    order,
    nonce: row.nonce ?? undefined,
    /** Counts the transactions that carried it without effect. */
    attempts: row.attempts,
    execution,
    reason: reason ?? '',
    acceptedAt: row.accepted_at,
    assuredAt: row.assured_at,
    /** Tells whether it was final at once, and no proved block has assured it since. */
    isBacked: row.backed !== undefined,
  }
}
