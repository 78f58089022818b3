import type { Address } from 'viem'
import type { Draft } from '../draft.ts'
import type { DueReminder, LoanDebt, SmsFate } from '../port.ts'
import type { Row } from '../rows.ts'
import { listOpen, readAccount } from './account-totals.ts'
import { count } from './counts.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Sets how long a number is kept after its loan was found repaid. */
const keptMs = 30 * dayMs

/** Sets how long before a loan is due a reminder is sent, and how long that is of use. */
const soonMs = 3 * dayMs
const onDayMs = 4 * hourMs
const usefulMs = dayMs

/** Waits for the account's payments to settle, or for a provider to recover. */
const againMs = hourMs / 2

/** Stores a borrower's number for reminders, and schedules a check of the loan. */
export function holdReminder(rows: Draft, account: Address, sealed: string): void {
  const known = rows.row('reminders', account)
  const { told, due_at } = known ?? { told: 'none' as const, due_at: 0 }
  rows.put('reminders', { account, sealed, told, due_at, repaid_at: null, at: rows.now + hourMs })
}

/** Lists the accounts whose loan is due for a check. */
export const listDueReminders = (rows: Draft, limit: number): Address[] =>
  rows
    .list({ table: 'reminders', list: 'due', before: rows.now + 1, limit })
    .map(({ account }) => account)

/** Takes a reminder that is due by the chain's state; the row records it before it is sent. */
export function takeReminder(rows: Draft, debt: LoanDebt): DueReminder | undefined {
  const { account, owedWei, dueAt } = debt
  const row = rows.row('reminders', account)
  if (row === undefined || row.at > rows.now) return undefined
  if (listOpen(rows, readAccount(rows, account)).length > 0) {
    // The loan or its repayment may be under way.
    rows.put('reminders', { ...row, at: rows.now + againMs })
    return undefined
  }
  if (owedWei === 0n) {
    forget(rows, row)
    return undefined
  }
  const before = row.due_at === dueAt ? row.told : 'none'
  const kind = getReminderKind(dueAt, rows.now)
  const isDue = kind !== undefined && kind !== before
  const told = isDue ? kind : before
  // Checked daily: an early or late repayment is not seen otherwise.
  const at = Math.min(rows.now + dayMs, ...findStarts(dueAt).filter((start) => start > rows.now))
  rows.put('reminders', { ...row, told, due_at: dueAt, repaid_at: null, at })
  return isDue ? { account, kind, owedWei, dueAt, sealed: row.sealed } : undefined
}

/** Records a reminder's fate; one that was certainly not sent is due again while it is of use. */
export function noteReminder(rows: Draft, { account, kind, dueAt }: DueReminder, fate: SmsFate) {
  count(rows, 'sms', fate)
  const row = rows.row('reminders', account)
  if (row === undefined || fate !== 'later') return
  if (row.told !== kind || row.due_at !== dueAt) return
  const told = kind === 'today' ? 'soon' : 'none'
  rows.put('reminders', { ...row, told, at: rows.now + againMs })
}

function forget(rows: Draft, row: Row<'reminders'>): void {
  const repaidAt = row.repaid_at ?? rows.now
  if (rows.now - repaidAt >= keptMs) rows.drop('reminders', row.account)
  else rows.put('reminders', { ...row, repaid_at: repaidAt, at: repaidAt + keptMs })
}

/** Returns when a loan's reminders become due: some days before, and on its day (UTC). */
function findStarts(dueAt: number): [soon: number, today: number] {
  const dueMs = dueAt * 1_000
  return [dueMs - soonMs, Math.max(dueMs - onDayMs, dueMs - (dueMs % dayMs))]
}

function getReminderKind(dueAt: number, now: number): DueReminder['kind'] | undefined {
  const [soon, today] = findStarts(dueAt)
  const isWithin = (start: number) => now >= start && now < start + usefulMs
  if (isWithin(today)) return 'today'
  return isWithin(soon) ? 'soon' : undefined
}
