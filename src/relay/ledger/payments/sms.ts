import type { Draft } from '../draft.ts'
import type { DueSms, HeldSms, SmsFate, SmsName } from '../port.ts'
import { type Row, smsParties } from '../rows.ts'
import { type PaymentState, phases } from '../transitions.ts'
import { count } from './counts.ts'

/** Limits how long a message is of use. */
const usefulMs = 24 * 60 * 60 * 1000

/** Limits how long a sender may hold a message: then it has died, and may have sent it. */
const takenMs = 10 * 60 * 1000

/** Delays the next attempt at a message, doubling each time up to the longest. */
const againMs = 30_000
const longestAgainMs = 3_600_000

type SmsRow = Row<'sms'>

export function holdSms(rows: Draft, session: string, messages: readonly HeldSms[]): void {
  for (const { party, sealed } of messages) {
    rows.put('sms', { session, party, sealed, state: 'held', at: rows.now, attempts: 0 })
  }
}

/** Makes messages due once a payment is final, and holds untaken ones if that is undone. */
export function followPayment(
  rows: Draft,
  { session, state: from }: Pick<Row<'payments'>, 'session' | 'state'>,
  to: PaymentState,
): void {
  const [wasFinal, isFinal] = [phases[from] === 'settled', phases[to] === 'settled']
  if (wasFinal === isFinal) return
  for (const party of smsParties) {
    const message = rows.row('sms', session, party)
    if (message === undefined || message.state === 'taken') continue
    if (isFinal && party === 'receiver' && to !== 'confirmed') rows.drop('sms', session, party)
    else rows.put('sms', { ...message, state: isFinal ? 'due' : 'held', at: rows.now })
  }
}

/** Takes due messages: their rows record it before anything is sent. */
export function takeSms(rows: Draft, limit: number): { taken: DueSms[]; next: number | undefined } {
  const listed = rows.list({ table: 'sms', list: 'state', group: 'due', limit: limit + 1 })
  const due = listed.filter(({ at }, index) => at <= rows.now && index < limit)
  const taken = due.flatMap((row) => takeOne(rows, row) ?? [])
  return { taken, next: listed[due.length]?.at }
}

/** Takes one message; undefined if it is too late to be of use, or its payment is deleted. */
function takeOne(rows: Draft, row: SmsRow): DueSms | undefined {
  const { session, party, sealed } = row
  const payment = rows.row('payments', session)
  const state = payment?.state
  const isFinal = state === 'confirmed' || state === 'reverted' || state === 'expired'
  if (payment === undefined || !isFinal || rows.now - payment.since > usefulMs) {
    end(rows, row, 'given_up')
    return undefined
  }
  const attempts = row.attempts + 1
  rows.put('sms', { ...row, state: 'taken', at: rows.now, attempts })
  const { intent_id: intentId, accepted_at: acceptedAt, reason } = payment
  return { session, party, attempts, sealed, intentId, acceptedAt, state, reason: reason ?? '' }
}

/** Records the fate of a taken message, unless it was given up since. */
export function noteSms(rows: Draft, { session, party, attempts }: SmsName, fate: SmsFate): void {
  const row = rows.row('sms', session, party)
  if (row?.state !== 'taken' || row.attempts !== attempts) return
  switch (fate) {
    case 'sent':
    case 'unknown':
    case 'refused':
    case 'known':
      end(rows, row, fate)
      break
    case 'later':
      count(rows, 'sms', fate)
      rows.put('sms', { ...row, state: 'due', at: rows.now + pauseAfter(attempts) })
      break
    case 'untried':
      rows.put('sms', { ...row, state: 'due', at: rows.now, attempts: attempts - 1 })
      break
  }
}

/** Gives up a payment's unsent message to its sender; tells whether there was one. */
export function giveUpSms(rows: Draft, session: string): boolean {
  const row = rows.row('sms', session, 'sender')
  if (row === undefined || row.state === 'taken') return false
  end(rows, row, 'given_up')
  return true
}

const pauseAfter = (attempts: number): number =>
  Math.min(longestAgainMs, againMs * 2 ** (attempts - 1))

/** Deletes a message and counts what became of it. */
function end(rows: Draft, { session, party }: SmsRow, what: SmsFate | 'given_up'): void {
  rows.drop('sms', session, party)
  count(rows, 'sms', what)
}

/** Deletes messages that can no longer be sent, even if none are sent any more. */
export function pruneSms(rows: Draft, heldMs: number, limit: number): void {
  const listed = { table: 'sms', list: 'state', limit } as const
  const taken = rows.list({ ...listed, group: 'taken', olderThanMs: takenMs })
  const due = rows.list({ ...listed, group: 'due', olderThanMs: usefulMs })
  const held = rows.list({ ...listed, group: 'held', olderThanMs: heldMs })
  for (const row of taken) end(rows, row, 'unknown')
  for (const row of [...due, ...held]) end(rows, row, 'given_up')
}
