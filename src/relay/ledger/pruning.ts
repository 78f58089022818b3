import { type Draft, dropOld, type StepContext } from './draft.ts'
import { deleteNonce, isCarriedBy } from './payments/nonces.ts'
import { archivePayments, getPaymentRow } from './payments/payment-states.ts'
import { pruneSms } from './payments/sms.ts'
import { writes } from './port.ts'
import type { Listing, Row, TableName } from './rows.ts'

const pruneLimit = 200

const listOlderThan = <Name extends TableName>(
  rows: Draft,
  olderThanMs: number,
  listing: Pick<Listing<Name>, 'table' | 'list' | 'group'>,
): Row<Name>[] => rows.list<Name>({ ...listing, olderThanMs, limit: pruneLimit })

/** Deletes payments settled for longer than the retention time, then their sessions. */
export function prunePayments({
  rows,
  rules: { retentionMs, historyMs },
}: StepContext): Row<'payments'>[] {
  const settled = { table: 'payments', list: 'phase', group: 'settled' } as const
  const payments = listOlderThan(rows, retentionMs, settled)
  const done = { table: 'nonces', list: 'phase', group: 'done' } as const
  const nonces = listOlderThan(rows, retentionMs, done)
  const sessions = listOlderThan(rows, retentionMs, { table: 'sessions', list: 'age' })
  dropOld(rows, 'history', historyMs, pruneLimit)
  pruneSms(rows, retentionMs, pruneLimit)
  for (const [account, group] of Map.groupBy(payments, (payment) => payment.account)) {
    archivePayments(rows, account, group)
  }
  for (const row of nonces) {
    const isNeeded = row.sessions.some((session) => isCarriedBy(getPaymentRow(rows, session), row))
    if (!isNeeded) deleteNonce(rows, row)
  }
  for (const { session } of sessions) {
    if (getPaymentRow(rows, session) === undefined) rows.drop('sessions', session)
  }
  for (const table of ['shown', 'refusals', 'recalls'])
    dropOld(rows, table, retentionMs, pruneLimit)
  return payments
}

export const pruningSteps = {
  prune: writes((step): void => {
    prunePayments(step)
  }),
}
