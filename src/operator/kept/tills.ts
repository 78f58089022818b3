import type { Address, Hex } from 'viem'
import type { LocalMoney } from '../../loan/local-worth.ts'
import { reads, writes } from '../../relay/ledger/port.ts'
import { noLimit, type Row } from '../../relay/ledger/rows.ts'
import { parts } from '../../relay/ledger/steps.ts'
import { getProgress } from '../../relay/progress.ts'
import { findMidnight } from '../../runtime/time-zone.ts'
import { recordAction } from './audit.ts'
import type { Kept, KeptDraft, KeptRow } from './tables.ts'

/** Is the short number of an account that hands out cash, or takes payments with a reference. */
export type Till = Pick<KeptRow<'tills'>, 'till' | 'account' | 'name' | 'kind'>

/** Assigns a till number if it is free, or removes it if there is no `to`. */
type TillChange = { id: string; till: string; to?: Omit<KeptTill, 'till'> | undefined }

/** Is a till with the encrypted number of its account, where messages are on. */
type KeptTill = Till & Pick<KeptRow<'tills'>, 'number'>

/** Sums up the day of an account with a till: what it received for good, and sent. */
export type Takings = NonNullable<ReturnType<typeof listTakings>>

export type Taking = ReturnType<typeof toTaking>

export type Withdrawal = Omit<Taking, 'reference' | 'hidesCode'>

/** Sets how long a removed number stays unused, because callers may still dial it. */
const unusedMs = 90 * 24 * 60 * 60 * 1000

const toTills = (tills: readonly KeptRow<'tills'>[]): Till[] =>
  tills
    .filter(({ removed_at }) => removed_at === null)
    .map(({ till, account, name, kind }) => ({ till, account, name, kind }))

/** Names the subject of a till's encrypted number, so that no other row can use the number. */
export const nameTillSubject = (account: string): string => `till ${account.toLowerCase()}`

function findTill(rows: KeptDraft, number: string): Till | undefined {
  const row = rows.row('tills', number)
  return row && toTills([row])[0]
}

const listTillRows = (rows: KeptDraft, account: string) =>
  rows.list({ table: 'tills', list: 'account', group: account, limit: noLimit })

export const listAccountTills = (rows: KeptDraft, account: string): Till[] =>
  toTills(listTillRows(rows, account))

type Paid = { payment: Row<'payments'>; taking: KeptRow<'takings'> }

/** Returns a function from a taking to its payment; to an empty list if it is lost or to others. */
const findPaymentIn =
  (rows: KeptDraft) =>
  (taking: KeptRow<'takings'>): Paid[] => {
    const payment = rows.row('payments', taking.session)
    return payment === undefined || parts.isToOther(payment) ? [] : [{ payment, taking }]
  }

const toTaking = ({ payment, taking }: Paid) => ({
  intentId: payment.intent_id,
  amountWei: BigInt(payment.spends),
  agreed: parts.getAgreed(payment),
  state: payment.state,
  assuredAt: payment.assured_at,
  reference: taking.reference ?? undefined,
  /** Tells that cash is handed out for it. */
  isCash: payment.kind === 'withdrawal',
  /** Tells when the agent said that its cash was paid out, and in which session. */
  paidOut: taking.paid_out,
  /** Tells that the caller has to tell the code: the cash is not paid out. 1.0 stored no code. */
  hidesCode: payment.kind === 'withdrawal' && taking.code !== undefined && !taking.paid_out,
})

/** Sums up what payments are in local money; undefined unless all were agreed in one currency. */
function sumAgreed(payments: readonly Row<'payments'>[]): LocalMoney | undefined {
  const agreed = payments.map(parts.getAgreed)
  const [first] = agreed
  if (first === undefined) return undefined
  if (agreed.some((each) => each?.currency !== first.currency)) return undefined
  const cents = agreed.reduce((sum, each) => sum + BigInt(each?.cents ?? 0), 0n)
  return { currency: first.currency, cents: `${cents}` }
}

/** Tells whether cash may be paid out for a withdrawal: it is done, and was not paid out before. */
export const isPayable = (withdrawal: Withdrawal): boolean =>
  withdrawal.paidOut === undefined && getProgress(withdrawal) === 'done'

/** Finds a withdrawal at an account's till. Goods and bills are paid for no cash. */
function findPaidCash(rows: KeptDraft, account: Address, session: string): Paid[] {
  const taking = rows.row('takings', session)
  if (taking?.account !== account) return []
  return findPaymentIn(rows)(taking).filter(({ payment }) => payment.kind === 'withdrawal')
}

function listTakings({ rows }: Kept, account: Address, limit: number, timeZone = 'UTC') {
  if (listAccountTills(rows, account).length === 0) return undefined
  const midnight = findMidnight(rows.now, timeZone)
  const takings = { table: 'takings', list: 'account', group: account, newest: true } as const
  const received = rows
    .list({ ...takings, from: midnight, limit: noLimit })
    .flatMap(findPaymentIn(rows))
  const arrived = received.filter((paid) => getProgress(toTaking(paid)) === 'done')
  const done = arrived.map(({ payment }) => payment)
  const cash = arrived.filter(({ payment }) => payment.kind === 'withdrawal')
  const paidOut = cash.flatMap(({ payment, taking }) => (taking.paid_out ? [payment] : []))
  const sent = parts
    .listSentSince(rows, account, midnight)
    .filter((row) => !parts.hasSentNothing(row))
  const sum = (payments: readonly { spends: string }[]) =>
    payments.reduce((wei, { spends }) => wei + BigInt(spends), 0n)
  return {
    inWei: sum(done),
    outWei: sum(sent),
    /** Hold the same as it was agreed in local money; undefined if a payment was not. */
    inLocal: sumAgreed(done),
    outLocal: sumAgreed(sent),
    /** Sums up the cash that was paid out for these, and counts what waits for it. */
    cashWei: sum(paidOut),
    cashLocal: sumAgreed(paidOut),
    waiting: cash.length - paidOut.length,
    /** Is when the day began (Unix time in ms). */
    since: midnight,
    last: rows
      .list({ ...takings, limit })
      .flatMap(findPaymentIn(rows))
      .map(toTaking),
  }
}

export const tillSteps = {
  /** Returns the till of a number; undefined if no account has it now. */
  findTill: reads(({ rows }: Kept, number: string) => findTill(rows, number)),
  listTills: reads(({ rows }: Kept) =>
    toTills(rows.list({ table: 'tills', list: 'age', limit: noLimit })),
  ),
  /** Returns the encrypted number of an account with a till; undefined if none is stored. */
  findTillNumber: reads(
    ({ rows }: Kept, account: string) =>
      listTillRows(rows, account).find(({ number }) => number)?.number,
  ),
  /** Assigns a free till number or removes one, records the action, and returns the till. */
  setTill: writes((step: Kept, { id, till, to }: TillChange) => {
    const { rows } = step
    const before = rows.row('tills', till)
    const isFree = before === undefined || rows.now - (before.removed_at ?? rows.now) > unusedMs
    if (to !== undefined && isFree) {
      rows.put('tills', { till, ...to, added_at: rows.now, removed_at: null })
      recordAction(rows, { id, action: 'add-agent', detail: { till, account: to.account } })
      // Who has a till has given cash or goods for what arrived.
      parts.endRecall(step, to.account)
    }
    // Tills of older versions get the encrypted number of their account so.
    if (before?.removed_at === null && before.account === to?.account)
      rows.put('tills', { ...before, number: to.number })
    if (to === undefined && before?.removed_at === null) {
      const { number: _, ...kept } = before
      rows.put('tills', { ...kept, removed_at: rows.now })
      recordAction(rows, { id, action: 'remove-agent', detail: { till, account: before.account } })
    }
    return findTill(rows, till)
  }),
  /**
   * Returns what an account with a till received, the newest first; undefined if it has none. The
   * day is that of a time zone: no sum is stored, so that another zone loses and doubles nothing.
   */
  listTakings: reads(listTakings),
  /** Returns the withdrawals of a code at an account's till, the newest first. */
  findWithdrawals: reads(({ rows }: Kept, account: Address, code: string): Withdrawal[] =>
    parts
      .findSessions(rows, code, noLimit)
      .flatMap((session) => findPaidCash(rows, account, session))
      .filter(({ taking }) => taking.code === code)
      .map(toTaking),
  ),
  /**
   * Records, once, that a session of the till's account paid out a withdrawal that is done; returns
   * it as it is then, or undefined if the account has no such withdrawal.
   */
  payOut: writes(
    ({ rows }: Kept, account: Address, intentId: Hex, by: string): Withdrawal | undefined => {
      const session = parts.findByIntent(rows, intentId)?.session ?? ''
      const [paid] = findPaidCash(rows, account, session)
      if (paid === undefined || !isPayable(toTaking(paid))) return paid && toTaking(paid)
      const taking = { ...paid.taking, paid_out: { at: rows.now, by } }
      rows.put('takings', taking)
      return toTaking({ ...paid, taking })
    },
  ),
}
