import type { Draft } from '../draft.ts'
import type { Row } from '../rows.ts'
import { type HeldSms, smsParties } from '../values.ts'
import { countEvent } from './counts.ts'

/** Tells what became of a message; `later` and `untried` are due again. */
export type SmsFate = 'sent' | 'unknown' | 'refused' | 'known' | 'later' | 'untried'

/** Limits how long after a payment's outcome a message is sent. */
export const maxSmsAgeMs = 24 * 60 * 60 * 1000

/** Limits how long a sender has a message. A slower one has died, and may have sent it. */
const maxSendingMs = 10 * 60 * 1000

export type SmsRow = Row<'sms'>

export function holdSms(rows: Draft, session: string, messages: readonly HeldSms[]): void {
  for (const { party, sealed } of messages) {
    rows.put('sms', { session, party, sealed, state: 'held', at: rows.now, attempts: 0 })
  }
}

/** Is the outcome that a message tells. */
export type ToldState = 'confirmed' | 'reverted' | 'expired'

type TextedPayment = Pick<Row<'payments'>, 'session' | 'state' | 'assured_at'>

/** Returns the outcome that messages tell; undefined until it is final or assured. */
export function getToldState({
  state,
  assured_at: assuredAt,
}: TextedPayment): ToldState | undefined {
  if (assuredAt !== undefined) return 'confirmed'
  return state === 'confirmed' || state === 'reverted' || state === 'expired' ? state : undefined
}

/** Makes messages due once a payment is final; if it is open again, holds those not yet taken. */
export function updateSmsState(rows: Draft, before: TextedPayment, after: TextedPayment): void {
  const { session } = after
  const to = getToldState(after)
  const isFinal = to !== undefined
  if (isFinal === (getToldState(before) !== undefined)) return
  for (const party of smsParties) {
    const message = rows.row('sms', session, party)
    if (message === undefined || message.state === 'taken') continue
    if (isFinal && party === 'receiver' && to !== 'confirmed') rows.drop('sms', session, party)
    else rows.put('sms', { ...message, state: isFinal ? 'due' : 'held', at: rows.now })
  }
}

/** Gives up a payment's unsent message to its sender; tells whether there was one. */
export function giveUpSms(rows: Draft, session: string): boolean {
  const row = rows.row('sms', session, 'sender')
  if (row === undefined || row.state === 'taken') return false
  deleteSms(rows, row, 'given_up')
  return true
}

export function deleteSms(rows: Draft, { session, party }: SmsRow, fate: SmsFate | 'given_up') {
  rows.drop('sms', session, party)
  countEvent(rows, 'sms', fate)
}

/** Deletes messages that are too old to be sent, even if the relay sends none any more. */
export function pruneSms(rows: Draft, maxHeldMs: number, limit: number): void {
  const listing = { table: 'sms', list: 'state', limit } as const
  const taken = rows.list({ ...listing, group: 'taken', olderThanMs: maxSendingMs })
  const due = rows.list({ ...listing, group: 'due', olderThanMs: maxSmsAgeMs })
  const held = rows.list({ ...listing, group: 'held', olderThanMs: maxHeldMs })
  for (const row of taken) deleteSms(rows, row, 'unknown')
  for (const row of [...due, ...held]) deleteSms(rows, row, 'given_up')
}
