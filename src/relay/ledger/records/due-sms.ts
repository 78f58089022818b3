import type { Hex } from 'viem'
import type { LocalWorth } from '../../../loan/local-worth.ts'
import type { Draft } from '../draft.ts'
import { countEvent } from '../payments/counts.ts'
import { getAgreed, isToOther } from '../payments/executed.ts'
import {
  deleteSms,
  getToldState,
  maxSmsAgeMs,
  type SmsFate,
  type SmsRow,
  type ToldState,
} from '../payments/sms.ts'
import { writes } from '../port.ts'
import { getRetryDelayMs, readRecallName, type SmsParty } from '../values.ts'
import { toRecord } from './operations.ts'
import { findKeptWei } from './recalls.ts'

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
  /** Is the payment that it tells of, if it tells of an outcome. */
  record?: ReturnType<typeof toRecord>
  /** Names the change of a wallet or the hold that it tells of, if it tells of no outcome. */
  intentId: string
  acceptedAt: number
  state: ToldState
  /** Tells why it failed; empty if it expired. */
  reason: string
}

/** Sets the pause before a hold is looked at again, of which something may come back yet. */
const openPauseMs = 10 * 60 * 1000

function takeSms(rows: Draft, limit: number): { taken: DueSms[]; next: number | undefined } {
  const listed = rows.list({ table: 'sms', list: 'state', group: 'due', limit: limit + 1 })
  const due = listed.filter(({ at }, index) => at <= rows.now && index < limit)
  const taken = due.flatMap((row) => takeMessage(rows, row) ?? [])
  return { taken, next: listed[due.length]?.at }
}

/** Takes a message, or gives it up if it is too old, or what it would tell is not so. */
function takeMessage(rows: Draft, row: SmsRow): DueSms | undefined {
  const { session, party, sealed } = row
  const subject = findSubject(rows, row)
  if (subject === undefined) {
    deleteSms(rows, row, 'given_up')
    return undefined
  }
  if (subject === 'open') {
    rows.put('sms', { ...row, at: rows.now + openPauseMs })
    return undefined
  }
  const attempts = row.attempts + 1
  rows.put('sms', { ...row, state: 'taken', at: rows.now, attempts })
  return { session, party, attempts, sealed, ...subject }
}

/** Finds what a message tells of; undefined if that is too long ago, not so, or not stored. */
function findSubject(rows: Draft, row: SmsRow): Subject | 'open' | undefined {
  const { session, party, tells, at } = row
  const isLate = (since: number) => rows.now - since > maxSmsAgeMs
  const told = { intentId: session, acceptedAt: 0, state: 'confirmed', reason: '' } as const
  if (tells === 'wallet') return isLate(at) ? undefined : told
  if (row.recalled !== undefined) {
    const recalled = findRecalledNow(rows, row, row.recalled)
    return recalled === undefined || recalled === 'open' ? recalled : { ...told, recalled }
  }
  const payment = rows.row('payments', session)
  const state = payment && getToldState(payment)
  if (payment === undefined || state === undefined || isLate(payment.since)) return undefined
  // The accepted recipient got nothing.
  if (party === 'receiver' && isToOther(payment)) return undefined
  const { intent_id: intentId, accepted_at: acceptedAt, reason, executed } = payment
  const agreed = getAgreed(payment)
  const record = toRecord(payment)
  const subject = { intentId, acceptedAt, state, reason: reason ?? '', agreed, record }
  if (!executed) return subject
  return { ...subject, executed: { data: executed.data, isToOther: isToOther(payment) } }
}

type Recalled = NonNullable<DueSms['recalled']>

/** Returns what of a hold its reader is told now: it ends, or what its receiver has kept of it. */
function findRecalledNow(
  rows: Draft,
  { session, party }: SmsRow,
  { wei, until }: Recalled,
): Recalled | 'open' | undefined {
  if (party === 'receiver') return rows.now < until ? { wei, until } : undefined
  if (rows.now - until > maxSmsAgeMs) return undefined
  const kept = findKeptWei(rows, readRecallName(session), { wei, until })
  if (kept === 'open') return 'open'
  return kept > 0n ? { wei: `${kept}`, until } : undefined
}

type Subject = Omit<DueSms, keyof SmsName | 'sealed'>

function recordSmsFate(rows: Draft, { session, party, attempts }: SmsName, fate: SmsFate): void {
  const row = rows.row('sms', session, party)
  if (row?.state !== 'taken' || row.attempts !== attempts) return
  if (fate === 'untried') {
    rows.put('sms', { ...row, state: 'due', at: rows.now, attempts: attempts - 1 })
  } else if (fate === 'later') {
    countEvent(rows, 'sms', fate)
    rows.put('sms', { ...row, state: 'due', at: rows.now + getRetryDelayMs(attempts) })
  } else deleteSms(rows, row, fate)
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
