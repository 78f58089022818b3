import * as z from 'zod/mini'
import { readMetaAs, saveMetaAs } from '../../relay/ledger/meta.ts'
import { reads, writes } from '../../relay/ledger/port.ts'
import type { Row } from '../../relay/ledger/rows.ts'
import { getRetryDelayMs } from '../../relay/ledger/values.ts'
import type { Kept, KeptDraft, KeptRow } from './tables.ts'

/** Tells the lender's own system what happened to an account; an `id` is told again if need be. */
export type AccountEvent = Pick<
  KeptRow<'events'>,
  'id' | 'seq' | 'at' | 'account' | 'name' | 'detail'
>

type NewEvent = Omit<AccountEvent, 'seq'>

/** Holds the events of one account that its next request tells, in their order. */
export type EventBatch = { account: string; events: AccountEvent[] }

const maxBatch = 50
/** Limits for how long, and how many, events are stored, whether or not they were told. */
const retentionMs = 30 * 24 * 60 * 60 * 1000
const maxStored = 200_000
const pruneLimit = 200

type PaymentState = Row<'payments'>['state']

/** Names what a change of a payment's state means to its account; undefined: nothing new. */
function nameChange(from: PaymentState | undefined, to: PaymentState) {
  if (from === undefined) return 'payment.accepted'
  if (from === 'confirmed' || from === 'reverted') return 'payment.undone'
  if (to === 'confirmed') return 'payment.done'
  return to === 'reverted' || to === 'expired' ? 'payment.failed' : undefined
}

/** Holds a row as a step found it, and as it is. */
type Change<Name extends 'payments' | 'holds' | 'recalls' | 'reminders'> = {
  before: Row<Name> | undefined
  after: Row<Name> | undefined
}

function listPaymentEvents({ before, after }: Change<'payments'>): NewEvent[] {
  if (after === undefined) return []
  const { intent_id: intent, account, kind, spends, hash, reason, history, accepted_at } = after
  const detail = {
    intent,
    kind,
    amountWei: spends,
    ...(hash && { hash }),
    ...(reason && { reason }),
  }
  const create = (name: string, at: number, key: number | string): NewEvent => {
    return { id: `${intent}:${accepted_at}:${key}`, account, name, at, detail }
  }
  const known = before?.history.length ?? 0
  const changes = history.slice(known).flatMap(([state, at], index) => {
    const name = nameChange(history[known + index - 1]?.[0], state)
    return name === undefined ? [] : [create(name, at, known + index)]
  })
  const { assured_at: at } = after
  const isNew = at !== undefined && at !== before?.assured_at
  return isNew ? [...changes, create('payment.assured', at, 'assured')] : changes
}

function listHoldEvents({ before, after }: Change<'holds'>, at: number): NewEvent[] {
  const hold = after ?? before
  if (hold === undefined || (before && after)) return []
  const name = after ? 'account.held' : 'account.released'
  return [
    { id: `${hold.account}:${hold.held_at}:${name}`, account: hold.account, name, at, detail: {} },
  ]
}

/** Tells the receiver's account what is held back of payments, and what ends before its time. */
function listRecallEvents({ before, after }: Change<'recalls'>, at: number): NewEvent[] {
  const [old, now] = [before?.held ?? [], after?.held ?? []]
  const without = (held: typeof now, others: typeof now) =>
    held.filter((each) => others.every(({ intent_id: id }) => id !== each.intent_id))
  const create = (name: string, { intent_id: intent, wei, until }: (typeof now)[number]) => {
    const detail = { intent, amountWei: wei, until: new Date(until).toISOString() }
    return { id: `${intent}:${name}`, account: (after ?? before)?.account ?? '', name, at, detail }
  }
  const ended = without(old, now).filter(({ until }) => until > at)
  const isLess = (held: (typeof now)[number]) =>
    old.some(({ intent_id: id, wei }) => id === held.intent_id && wei !== held.wei)
  return [
    ...without(now, old).map((held) => create('payment.recalled', held)),
    ...now.filter(isLess).map((held) => {
      const event = create('payment.recall_lowered', held)
      return { ...event, id: `${event.id}:${held.wei}` }
    }),
    ...ended.map((held) => create('payment.recall_ended', held)),
  ]
}

const reminderNames = { soon: 'loan.due_soon', today: 'loan.due' } as const

/** Tells of a due date when its reminder is taken, and not when one that failed is due again. */
function listDueDates({ before, after }: Change<'reminders'>, at: number): NewEvent[] {
  if (after === undefined) return []
  const { account, told, due_at: dueAt } = after
  const isTold = before?.due_at === dueAt && (before.told === told || before.told === 'today')
  if (told === 'none' || isTold) return []
  const detail = { dueAt: new Date(dueAt * 1_000).toISOString() }
  return [{ id: `${account}:${dueAt}:${told}`, account, name: reminderNames[told], at, detail }]
}

/** Records what a step has changed of payments, holds and loans, in the step's own commit. */
export function recordEvents({ rows, rules }: Kept): void {
  if (!rules.tellsEvents) return
  const events = [
    ...rows.changes('payments').flatMap(listPaymentEvents),
    ...rows.changes('holds').flatMap((change) => listHoldEvents(change, rows.now)),
    ...rows.changes('recalls').flatMap((change) => listRecallEvents(change, rows.now)),
    ...rows
      .changes('reminders')
      .flatMap((change) => listDueDates(change, rows.now))
      .filter(({ id }) => rows.row('events', id) === undefined),
  ]
  for (const event of events) saveEvent(rows, event)
}

function saveEvent(rows: KeptDraft, event: NewEvent): void {
  const seq = readLastSeq(rows) + 1
  saveMetaAs(rows, 'event_seq', seq)
  const account = event.account.toLowerCase()
  rows.put('events', { ...event, account, seq, waits: account })
  if (rows.row('event_queues', account) === undefined)
    rows.put('event_queues', { account, due_at: rows.now, attempts: 0, since: rows.now })
}

const readLastSeq = (rows: KeptDraft): number => readMetaAs(rows, 'event_seq', z.int()) ?? 0

/** Sums up events that were deleted untold, and when the last of them was. */
const lostEvents = z.object({ count: z.int(), at: z.int() })

const toEvent = ({ waits: _, ...event }: KeptRow<'events'>): AccountEvent => event

const listWaiting = (rows: KeptDraft, account: string, limit: number) =>
  rows.list({ table: 'events', list: 'waiting', group: account, limit })

function takeEvents({ rows }: Kept, limit: number): EventBatch[] {
  const due = rows
    .list({ table: 'event_queues', list: 'due', limit })
    .filter(({ due_at }) => due_at <= rows.now)
  const batches = due.map(({ account }) => ({
    account,
    events: listWaiting(rows, account, maxBatch).map(toEvent),
  }))
  for (const queue of due) {
    const attempts = queue.attempts + 1
    rows.put('event_queues', { ...queue, attempts, due_at: rows.now + getRetryDelayMs(attempts) })
  }
  return batches
}

function markTold({ rows }: Kept, account: string, lastSeq: number): void {
  const waiting = listWaiting(rows, account, maxBatch + 1)
  const [next] = waiting.filter(({ seq }) => seq > lastSeq)
  for (const row of waiting) if (row.seq <= lastSeq) rows.put('events', { ...row, waits: null })
  if (next === undefined) rows.drop('event_queues', account)
  else rows.put('event_queues', { account, due_at: rows.now, attempts: 0, since: next.at })
}

/** Deletes some events that are too old or too many, and counts those that were never told. */
export function pruneEvents({ rows, rules }: Kept): void {
  const lastSeq = readLastSeq(rows)
  if (lastSeq === 0) return
  const limit = pruneLimit
  const old = rows.list({ table: 'events', list: 'age', olderThanMs: retentionMs, limit })
  const before = lastSeq - maxStored
  const tooMany = rows.list({ table: 'events', list: 'order', before, limit })
  const gone = [...new Map([...old, ...tooMany].map((row) => [row.id, row])).values()]
  for (const { id } of gone) rows.drop('events', id)
  const untold = gone.filter(({ waits }) => waits !== null).length
  const { count = 0 } = readMetaAs(rows, 'events_lost', lostEvents) ?? {}
  if (untold > 0 && rules.tellsEvents)
    saveMetaAs(rows, 'events_lost', { count: count + untold, at: rows.now })
}

/** Tells when the next events are due, since when some wait, and which were deleted untold. */
export function readEventVitals({ rows, rules }: Kept) {
  if (!rules.tellsEvents || readLastSeq(rows) === 0) return {}
  const [next] = rows.list({ table: 'event_queues', list: 'due', limit: 1 })
  const [oldest] = rows.list({ table: 'event_queues', list: 'since', limit: 1 })
  const lost = readMetaAs(rows, 'events_lost', lostEvents)
  return { nextEventAt: next?.due_at, eventsWaitSince: oldest?.since, eventsLost: lost }
}

export const eventSteps = {
  /** Takes the next events of accounts that are due; each account is due again later. */
  takeEvents: writes(takeEvents),
  /** Records that an account's events up to this one were taken by the lender's system. */
  markEventsTold: writes(markTold),
  /** Returns the events after a `seq`, in the order of all accounts. */
  listEvents: reads(({ rows }: Kept, after: number, limit: number): AccountEvent[] =>
    rows.list({ table: 'events', list: 'order', from: after + 1, limit }).map(toEvent),
  ),
}
