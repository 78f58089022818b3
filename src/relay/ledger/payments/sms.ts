import type { Hex } from 'viem'
import type { LocalWorth } from '../../../loan/local-worth.ts'
import type { Draft } from '../draft.ts'
import { writes } from '../port.ts'
import type { Row } from '../rows.ts'
import { getRetryDelayMs, type HeldSms, type SmsParty, smsParties } from '../values.ts'
import { countEvent } from './counts.ts'
import { getAgreed, isToOther } from './executed.ts'

/** Names a message and the attempt to send it: the fate of an earlier attempt is ignored. */
type SmsName = { session: string; party: SmsParty; attempts: number }

/** Holds a message whose payment has ended, with the outcome; or one of another kind. */
export type DueSms = SmsName & {
  sealed: string
  /** Is what the chain executed, if that is another call than the one that was accepted. */
  executed?: { data: Hex; isToOther: boolean } | undefined
  /** Holds what the payment's caller agreed to in local money. */
  agreed?: LocalWorth | undefined
  /** Tells what is held back of a payment to its reader, if it tells of that. */
  recalled?: { wei: string; until: number } | undefined
  /** Names the change of a wallet or the hold that it tells of, if it tells of no outcome. */
  intentId: string
  acceptedAt: number
  state: 'confirmed' | 'reverted' | 'expired'
  /** Tells why it failed; empty if it expired. */
  reason: string
}

/** Tells what became of a message; `later` and `untried` are due again. */
export type SmsFate = 'sent' | 'unknown' | 'refused' | 'known' | 'later' | 'untried'

/** Limits how long after a payment's outcome a message is sent. */
const maxSmsAgeMs = 24 * 60 * 60 * 1000

/** Limits how long a sender has a message. A slower one has died, and may have sent it. */
const maxSendingMs = 10 * 60 * 1000

type SmsRow = Row<'sms'>

export function holdSms(rows: Draft, session: string, messages: readonly HeldSms[]): void {
  for (const { party, sealed } of messages) {
    rows.put('sms', { session, party, sealed, state: 'held', at: rows.now, attempts: 0 })
  }
}

type TextedPayment = Pick<Row<'payments'>, 'session' | 'state' | 'assured_at'>

/** Returns the outcome that messages tell; undefined until it is final or assured. */
function getToldState({
  state,
  assured_at: assuredAt,
}: TextedPayment): DueSms['state'] | undefined {
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

function takeSms(rows: Draft, limit: number): { taken: DueSms[]; next: number | undefined } {
  const listed = rows.list({ table: 'sms', list: 'state', group: 'due', limit: limit + 1 })
  const due = listed.filter(({ at }, index) => at <= rows.now && index < limit)
  const taken = due.flatMap((row) => takeMessage(rows, row) ?? [])
  return { taken, next: listed[due.length]?.at }
}

/** Takes a message, or gives it up if it is too old or its payment is deleted. */
function takeMessage(rows: Draft, row: SmsRow): DueSms | undefined {
  const { session, party, sealed } = row
  const subject = findSubject(rows, row)
  if (subject === undefined) {
    deleteSms(rows, row, 'given_up')
    return undefined
  }
  const attempts = row.attempts + 1
  rows.put('sms', { ...row, state: 'taken', at: rows.now, attempts })
  return { session, party, attempts, sealed, ...subject }
}

/** Finds what a message tells of; undefined if that is too long ago, or no longer stored. */
function findSubject(
  rows: Draft,
  { session, party, tells, recalled, at }: SmsRow,
): Subject | undefined {
  const isLate = (since: number) => rows.now - since > maxSmsAgeMs
  if (tells === 'wallet' || recalled !== undefined) {
    const subject = { intentId: session, acceptedAt: 0, state: 'confirmed', recalled } as const
    const isOver =
      recalled && party === 'receiver' ? rows.now >= recalled.until : isLate(recalled?.until ?? at)
    return isOver ? undefined : { ...subject, reason: '' }
  }
  const payment = rows.row('payments', session)
  const state = payment && getToldState(payment)
  if (payment === undefined || state === undefined || isLate(payment.since)) return undefined
  // The accepted recipient got nothing.
  if (party === 'receiver' && isToOther(payment)) return undefined
  const { intent_id: intentId, accepted_at: acceptedAt, reason, executed } = payment
  const agreed = getAgreed(payment)
  const subject = { intentId, acceptedAt, state, reason: reason ?? '', agreed }
  if (!executed) return subject
  return { ...subject, executed: { data: executed.data, isToOther: isToOther(payment) } }
}

type Subject = Omit<DueSms, keyof SmsName | 'sealed'>

function recordSmsFate(rows: Draft, { session, party, attempts }: SmsName, fate: SmsFate): void {
  const row = rows.row('sms', session, party)
  if (row?.state !== 'taken' || row.attempts !== attempts) return
  switch (fate) {
    case 'sent':
    case 'unknown':
    case 'refused':
    case 'known':
      deleteSms(rows, row, fate)
      break
    case 'later':
      countEvent(rows, 'sms', fate)
      rows.put('sms', { ...row, state: 'due', at: rows.now + getRetryDelayMs(attempts) })
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
  deleteSms(rows, row, 'given_up')
  return true
}

function deleteSms(rows: Draft, { session, party }: SmsRow, fate: SmsFate | 'given_up'): void {
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

export const smsSteps = {
  /**
   * Takes due messages, each for one taker, and tells when the next is due (Unix time in ms). Their
   * rows record that before anything is sent.
   */
  takeSms: writes(({ rows }, limit: number) => takeSms(rows, limit)),
  /** Records the fate of a message that is taken, unless it was given up since. */
  recordSmsFate: writes(({ rows }, name: SmsName, fate: SmsFate) =>
    recordSmsFate(rows, name, fate),
  ),
}
