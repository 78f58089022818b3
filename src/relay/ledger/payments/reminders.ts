import type { Address } from 'viem'
import type { Draft } from '../draft.ts'
import { reads, writes } from '../port.ts'
import type { Row, reminderKinds } from '../rows.ts'
import { countEvent } from './counts.ts'
import type { SmsFate } from './sms.ts'
import { listOpenPayments, readAccountTotals } from './totals.ts'

/** Holds what an account owes on the chain, and until when (Unix time in s). */
export type LoanDebt = { account: Address; owedWei: bigint; dueAt: number }

/** Names an account whose debt no node tells: it is asked again later, after others. */
type UnreadDebt = { account: Address; owedWei: undefined }

/** Holds a loan reminder, with the borrower's sealed number, which is empty if none is kept. */
export type DueReminder = LoanDebt & { kind: (typeof reminderKinds)[number]; sealed: string }

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Sets how long a number stays stored after its loan was found repaid. */
const retentionMs = 30 * dayMs

/** Sets how long before a loan is due its two reminders are sent. */
const earlyReminderMs = 3 * dayMs
const lastReminderMs = 4 * hourMs
const maxReminderAgeMs = dayMs

/** Delays the next check while the account has open payments, or a provider fails. */
const retryMs = hourMs / 2

/** Schedules a check of a borrower's loan, and stores the number for reminders, if there is one. */
export function saveReminder(rows: Draft, account: Address, number: string | undefined): void {
  const stored = rows.row('reminders', account)
  const { told, due_at } = stored ?? { told: 'none' as const, due_at: 0 }
  const sealed = number ?? stored?.sealed ?? ''
  rows.put('reminders', { account, sealed, told, due_at, repaid_at: null, at: rows.now + hourMs })
}

function takeReminder(rows: Draft, debt: LoanDebt | UnreadDebt): DueReminder | undefined {
  const { account } = debt
  const row = rows.row('reminders', account)
  if (row === undefined || row.at > rows.now) return undefined
  const hasOpen = listOpenPayments(rows, readAccountTotals(rows, account)).length > 0
  // An open payment may change the loan.
  if (debt.owedWei === undefined || hasOpen) {
    rows.put('reminders', { ...row, at: rows.now + retryMs })
    return undefined
  }
  const { owedWei, dueAt } = debt
  if (owedWei === 0n) {
    deleteOrPostpone(rows, row)
    return undefined
  }
  const lastKind = row.due_at === dueAt ? row.told : 'none'
  const kind = getReminderKind(dueAt, rows.now)
  const isDue = kind !== undefined && kind !== lastKind
  const told = isDue ? kind : lastKind
  // The loan is checked every day, because nothing else shows that it was repaid.
  const nextTimes = getReminderTimes(dueAt).filter((time) => time > rows.now)
  const at = Math.min(rows.now + dayMs, ...nextTimes)
  rows.put('reminders', { ...row, told, due_at: dueAt, repaid_at: null, at })
  return isDue ? { account, kind, owedWei, dueAt, sealed: row.sealed } : undefined
}

function recordReminderFate(rows: Draft, { account, kind, dueAt }: DueReminder, fate: SmsFate) {
  countEvent(rows, 'sms', fate)
  const row = rows.row('reminders', account)
  if (row === undefined || fate !== 'later') return
  if (row.told !== kind || row.due_at !== dueAt) return
  const told = kind === 'today' ? 'soon' : 'none'
  rows.put('reminders', { ...row, told, at: rows.now + retryMs })
}

/** Deletes a borrower's number 30 days after the loan was found repaid; postpones that before. */
function deleteOrPostpone(rows: Draft, row: Row<'reminders'>): void {
  const repaidAt = row.repaid_at ?? rows.now
  if (rows.now - repaidAt >= retentionMs) rows.drop('reminders', row.account)
  else rows.put('reminders', { ...row, repaid_at: repaidAt, at: repaidAt + retentionMs })
}

/** Returns when a loan's reminders become due: some days before, and on its day (UTC). */
function getReminderTimes(dueAt: number): [soonAt: number, todayAt: number] {
  const dueMs = dueAt * 1_000
  return [dueMs - earlyReminderMs, Math.max(dueMs - lastReminderMs, dueMs - (dueMs % dayMs))]
}

function getReminderKind(dueAt: number, now: number): DueReminder['kind'] | undefined {
  const [soonAt, todayAt] = getReminderTimes(dueAt)
  const isDue = (time: number) => now >= time && now < time + maxReminderAgeMs
  if (isDue(todayAt)) return 'today'
  return isDue(soonAt) ? 'soon' : undefined
}

export const reminderSteps = {
  listDueReminders: reads(({ rows }, limit: number) =>
    rows
      .list({ table: 'reminders', list: 'due', before: rows.now + 1, limit })
      .map(({ account }) => account),
  ),
  /**
   * Takes a reminder that is due by the loan's state on the chain, to be sent after this step; only
   * one taker gets it.
   */
  takeReminder: writes(({ rows }, debt: LoanDebt | UnreadDebt) => takeReminder(rows, debt)),
  /** Records the fate of a reminder. One that was certainly not sent is due again. */
  recordReminderFate: writes(({ rows }, reminder: DueReminder, fate: SmsFate) =>
    recordReminderFate(rows, reminder, fate),
  ),
}
