import type { Hex } from 'viem'
import * as z from 'zod/mini'
import { dropOld } from '../../relay/ledger/draft.ts'
import { opens, reads, writes } from '../../relay/ledger/port.ts'
import { columnTypes, type Row } from '../../relay/ledger/rows.ts'
import { parts, steps } from '../../relay/ledger/steps.ts'
import type { Order, RecallTimes, StepKey } from '../../relay/ledger/values.ts'
import { pruneEvents } from './events.ts'
import { findRecallStanding, listHoldSteps } from './recalls.ts'
import type { Kept, KeptDraft } from './tables.ts'
import { listAccountTills } from './tills.ts'

/** Parses what is attached to an order: the account with a till that it pays. */
const attachments = z.object({
  till: z.optional(
    z.object({
      account: columnTypes.address,
      reference: z.optional(z.string()),
      /** Holds the digits that caller and agent compare. */
      code: z.optional(z.string()),
    }),
  ),
})

export type Attachments = z.input<typeof attachments>

type Arguments<Method extends keyof typeof steps> = (typeof steps)[Method] extends (
  step: never,
  ...args: infer Args
) => unknown
  ? Args
  : never

/** Writes what is attached to an order. @throws {z.core.$ZodError} it is not of this form */
function saveAttached(rows: KeptDraft, session: string, { attached }: Order): void {
  const { till } = attachments.parse(attached ?? {})
  if (till === undefined) return
  const { account, reference = null, code } = till
  const taking = { session, account, reference, accepted_at: rows.now }
  rows.put('takings', { ...taking, ...(code !== undefined && { code }) })
  if (code !== undefined) rows.add('clues', { clue: code, at: rows.now, name: session })
}

/** Drops it with its payment; the history keeps the reference. */
function archiveTaking(rows: KeptDraft, payment: Row<'payments'>): void {
  const { session, intent_id, accepted_at } = payment
  const taking = rows.row('takings', session)
  if (taking === undefined) return
  const { code, reference } = taking
  rows.drop('takings', session)
  if (code !== undefined) rows.drop('clues', code, accepted_at, session)
  const past = rows.row('history', intent_id, accepted_at)
  // One that is erased has no name any more, and one that paid another account no reference.
  if (!reference || past?.session !== session || parts.isToOther(payment)) return
  rows.put('history', { ...past, reference })
}

/** Sets how long audit entries are stored: longer than all that they are about. */
const auditMs = 400 * 24 * 60 * 60 * 1000
const pruneLimit = 200

/** Adds to an operator's view of a payment its code, and when its cash was paid out. */
export function addTaking<Shown extends { intentId: string }>(rows: KeptDraft, shown: Shown) {
  const session = parts.findByIntent(rows, shown.intentId)?.session
  const taking = session === undefined ? undefined : rows.row('takings', session)
  return { ...shown, code: taking?.code ?? null, paidOutAt: taking?.paid_out?.at ?? null }
}

/** Adds to the relay's steps what is attached to orders: each writes both in one commit. */
export const takingSteps = {
  /** Tells of an account with a till that other limits may apply. */
  lookup: reads((step: Kept, question: StepKey) => {
    const known = steps.lookup(step, question)
    const isAgent = listAccountTills(step.rows, question.account).length > 0
    return known.kind === 'undecided' && isAgent ? { ...known, isAgent: true as const } : known
  }),
  acceptOffers: opens((step: Kept, ...[offers, openSlot]: Arguments<'acceptOffers'>) => {
    const answers = steps.acceptOffers(step, offers, openSlot)
    for (const [index, { session, order }] of offers.entries()) {
      if (answers[index]?.kind === 'accepted') saveAttached(step.rows, session, order)
    }
    return answers
  }, steps.acceptOffers.isUrgent),
  adopt: opens((step: Kept, ...[adoption]: Arguments<'adopt'>) => {
    const { session, order, execution } = adoption
    const answer = steps.adopt(step, adoption)
    const isSame = parts.paysSame(order.request, execution.executed)
    if (answer.kind === 'adopted' && isSame) saveAttached(step.rows, session, order)
    return answer
  }),
  prune: writes((step: Kept): void => {
    for (const payment of parts.prunePayments(step)) archiveTaking(step.rows, payment)
    dropOld(step.rows, 'audit', auditMs, pruneLimit)
    pruneEvents(step)
  }),
  listPayments: reads((step: Kept, ...query: Arguments<'listPayments'>) =>
    steps.listPayments(step, ...query).map((payment) => {
      const { kind, request } = payment.order
      if (kind !== 'withdrawal') return payment
      const { code, paidOutAt } = addTaking(step.rows, request)
      return { ...payment, ...(code !== null && { isCashGiven: paidOutAt !== null }) }
    }),
  ),
  findPayments: reads((step: Kept, ...query: Arguments<'findPayments'>) =>
    steps.findPayments(step, ...query).map((record) => addTaking(step.rows, record)),
  ),
  readPage: reads((step: Kept, ...query: Arguments<'readPage'>) => {
    const { payments, next } = steps.readPage(step, ...query)
    return { payments: payments.map((record) => addTaking(step.rows, record)), next }
  }),
  /** Returns all that is known of a payment, also how it stands if it may be a mistake. */
  tracePayment: reads((step: Kept, intentId: Hex, times?: RecallTimes) => {
    const trace = steps.tracePayment(step, intentId)
    const recall = times && findRecallStanding(step.rows, intentId, times)
    const holdSteps = times ? listHoldSteps(step.rows, intentId) : []
    return trace && { ...addTaking(step.rows, trace), holdSteps, ...(times && { recall }) }
  }),
}

type Answer<Method extends keyof typeof takingSteps> = ReturnType<(typeof takingSteps)[Method]>

export type PaymentRecord = Answer<'findPayments'>[number]
export type PaymentTrace = NonNullable<Answer<'tracePayment'>>
