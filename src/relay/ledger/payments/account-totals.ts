import type { Draft } from '../draft.ts'
import type { Row } from '../rows.ts'
import { isOutcomeUnknown } from '../transitions.ts'

/** Holds an account's totals: `seen` counts payments, `open` lists those of unknown outcome. */
type AccountTotals = Row<'accounts'>

/** Returns an account's totals. */
export const readAccountTotals = (rows: Draft, account: string): AccountTotals =>
  rows.row('accounts', account) ?? { account, open: [], seen: 0 }

/** Returns an account's payments whose outcome is unknown, the oldest first. */
export const listOpenPayments = (rows: Draft, { open }: AccountTotals): Row<'payments'>[] =>
  open
    .flatMap((session) => rows.named('payments', session) ?? [])
    .filter(({ state }) => isOutcomeUnknown(state))
    .sort((a, b) => a.accepted_at - b.accepted_at || (a.session < b.session ? -1 : 1))

/** Updates the totals of a payment's account after the payment was created or has changed. */
export function updateAccountTotals(
  rows: Draft,
  { account, session, state }: Row<'payments'>,
  isNew: boolean,
): void {
  const totals = readAccountTotals(rows, account)
  // A payment with an outcome may stay in `open`, because readers check the states.
  if (!isNew && totals.open.includes(session)) return
  const open = listOpenPayments(rows, totals).map((payment) => payment.session)
  if (isOutcomeUnknown(state)) open.push(session)
  saveOrDropTotals(rows, { ...totals, open, seen: totals.seen + (isNew ? 1 : 0) })
}

/** Saves an account's totals, or deletes their row if the account has no payments. */
export function saveOrDropTotals(rows: Draft, totals: AccountTotals): void {
  if (totals.open.length + totals.seen > 0) rows.put('accounts', totals)
  else rows.drop('accounts', totals.account)
}
