import type { Draft } from '../draft.ts'
import type { WalletChange } from '../port.ts'
import { recordAction } from './operations.ts'

/** Records a session's change of a wallet in the audit, once, with the message that tells of it. */
export function recordWalletChange(rows: Draft, change: WalletChange): void {
  const { id, action, account, wallet, sealed } = change
  if (rows.row('audit', id) !== undefined) return
  recordAction(rows, { id, action, detail: { account, wallet } })
  if (sealed === undefined) return
  const message = { session: id, party: 'sender', sealed, tells: 'wallet' } as const
  rows.put('sms', { ...message, state: 'due', at: rows.now, attempts: 0 })
}
