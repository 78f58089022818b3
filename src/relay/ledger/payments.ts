import type { Hex } from 'viem'
import type { Draft } from './draft.ts'
import type { Execution, LedgerRules, Order, Payment, Transition } from './port.ts'
import type { Row } from './rows.ts'
import { accountOf, joined, left, queueOf, saveAccount, saveQueue } from './sums.ts'
import {
  isUnsettled,
  nextState,
  type PaymentEvent,
  type PaymentState,
  phases,
} from './transitions.ts'

type PaymentRow = Row<'payments'>

/** What a payment's row has of what the chain did. */
export type ExecutionColumns = Pick<
  PaymentRow,
  'outcome' | 'reason' | 'hash' | 'block_number' | 'block_hash'
>

export const noExecution: ExecutionColumns = {
  outcome: null,
  reason: null,
  hash: null,
  block_number: null,
  block_hash: null,
}

export const executionColumns = ({
  outcome,
  reason,
  hash,
  block,
}: Execution): ExecutionColumns => ({
  outcome,
  reason,
  hash,
  block_number: block.number,
  block_hash: block.hash,
})

/**
 * Begins a payment by the event, with whatever carries it.
 *
 * @throws {Error} the ledger has a payment of this session or of this intent
 */
export function begin(
  rows: Draft,
  rules: LedgerRules,
  event: PaymentEvent,
  session: string,
  order: Order,
  columns: Partial<PaymentRow> = {},
): void {
  const { intentId, from: account } = order.request
  const known = rows.row('intents', intentId)
  const isKnown = [session, known?.session].some(
    (other) => other !== undefined && rows.row('payments', other) !== undefined,
  )
  if (isKnown) throw new Error('the payment or its intent is recorded already')
  const state = nextState('none', event)
  if (state === undefined) throw new Error(`no payment begins with ${event}`)
  rows.put('intents', { intent_id: intentId, session })
  save(rows, undefined, {
    session,
    state,
    intent_id: intentId,
    account,
    counterparty: null,
    label: order.label,
    spends: `${order.spendsWei}`,
    reserves_pool: null,
    reserves_cap: null,
    reserves_gas: null,
    request: order.request,
    relayer: null,
    nonce: null,
    attempts: 0,
    ...noExecution,
    accepted_at: rows.now,
    history: [[state, rows.now]],
    ...placeIn(rules, state, 0, rows.now, rows.now),
    ...columns,
  })
}

/** What an event does to a payment; nothing where its state does not know the event. */
export function move(
  rows: Draft,
  rules: LedgerRules,
  payment: PaymentRow | undefined,
  event: PaymentEvent,
  columns: Partial<PaymentRow> = {},
): Transition[] {
  const to = payment && nextState(payment.state, event)
  if (payment === undefined || to === undefined) return []
  const after = { ...payment, ...columns, state: to }
  save(rows, payment, {
    ...after,
    ...placeIn(rules, to, after.attempts, after.accepted_at, rows.now),
    history: [...payment.history, [to, rows.now]],
  })
  return [
    {
      intentId: payment.intent_id,
      label: payment.label,
      from: payment.state,
      to,
      hash: after.hash ?? payment.hash ?? undefined,
      reason: after.reason ?? payment.reason ?? '',
    },
  ]
}

/** Its transaction did nothing for it: it waits for another nonce. */
export function drop(
  rows: Draft,
  rules: LedgerRules,
  payment: PaymentRow | undefined,
): Transition[] {
  const attempts = (payment?.attempts ?? 0) + 1
  return move(rows, rules, payment, 'dropped', { ...noExecution, ...noNonce, attempts })
}

export const noNonce = { relayer: null, nonce: null } as const

/** Forgets payments of one account, and keeps what became of them. */
export function archive(rows: Draft, name: string, payments: readonly PaymentRow[]): void {
  // Asked before anything goes: where the sum is lost, it is counted from what is there.
  const account = accountOf(rows, name)
  for (const payment of payments) {
    const { request: _, phase: __, since, relayer: ___, nonce: ____, ...kept } = payment
    rows.put('history', { ...kept, settled_at: since })
    rows.drop('payments', payment.session)
    if (rows.row('intents', payment.intent_id)?.session === payment.session) {
      rows.drop('intents', payment.intent_id)
    }
  }
  // Also those that are there without a payment: nothing else would take them away.
  const open = account.open.filter(([session]) => rows.row('payments', session) !== undefined)
  saveAccount(rows, { ...account, open, seen: Math.max(0, account.seen - payments.length) })
}

/** Where a payment of this state is listed that came to it at `now` (Unix time in ms). */
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

/** Writes a payment and whatever counts it. */
function save(rows: Draft, before: PaymentRow | undefined, after: PaymentRow): void {
  const account = accountOf(rows, after.account)
  const wasWaiting = before?.phase === 'waiting'
  const isWaiting = after.phase === 'waiting'
  if (wasWaiting !== isWaiting) {
    const queue = queueOf(rows)
    saveQueue(rows, isWaiting ? joined(queue, after) : left(rows, queue, after))
  }
  const others = account.open.filter(([session]) => session !== after.session)
  const open: typeof account.open = isUnsettled(after.state)
    ? [...others, [after.session, after.nonce, after.accepted_at]]
    : others
  const isCounted =
    before !== undefined &&
    isUnsettled(before.state) === isUnsettled(after.state) &&
    before.nonce === after.nonce
  if (!isCounted) {
    saveAccount(rows, {
      ...account,
      open: open.sort((a, b) => a[2] - b[2] || (a[0] < b[0] ? -1 : 1)),
      seen: account.seen + (before === undefined ? 1 : 0),
    })
  }
  noteBlock(rows, before, after)
  rows.put('payments', after)
}

function noteBlock(rows: Draft, before: PaymentRow | undefined, after: PaymentRow): void {
  const was = before?.block_hash ?? null
  const is = after.block_hash
  if (was === is) return
  const old = was === null ? undefined : rows.row('blocks', was)
  if (old !== undefined) {
    const sessions = old.sessions.filter((session) => session !== after.session)
    saveBlock(rows, { ...old, sessions })
  }
  if (is === null || after.block_number === null) return
  const block = blockOf(rows, is, after.block_number)
  saveBlock(rows, { ...block, sessions: [...block.sessions, after.session] })
}

export function blockOf(rows: Draft, hash: Hex, number: number): Row<'blocks'> {
  const known = rows.row('blocks', hash)
  return known ?? { hash, number, nonces: [], sessions: [], changed_at: rows.now }
}

/** A block that holds nothing of ours has no row. */
export function saveBlock(rows: Draft, block: Row<'blocks'>): void {
  const isEmpty = block.nonces.length + block.sessions.length === 0
  if (isEmpty) rows.drop('blocks', block.hash)
  else rows.put('blocks', { ...block, changed_at: rows.now })
}

/** A payment as the port tells of it. */
export function paymentOf(row: PaymentRow): Payment {
  const { outcome, reason, hash, block_number: number, block_hash: blockHash } = row
  const isSettled = outcome !== null && hash !== null && number !== null && blockHash !== null
  return {
    session: row.session,
    state: row.state,
    order: { request: row.request, label: row.label, spendsWei: BigInt(row.spends) },
    nonce: row.nonce ?? undefined,
    attempts: row.attempts,
    execution: isSettled
      ? { outcome, reason: reason ?? '', hash, block: { number, hash: blockHash } }
      : undefined,
    acceptedAt: row.accepted_at,
  }
}
