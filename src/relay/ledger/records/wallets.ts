import type { Address } from 'viem'
import { opens } from '../port.ts'
import { recordAction } from './operations.ts'

/** Describes a session's change of a wallet: it adds that of a code, or cancels a replacement. */
type WalletChange = {
  /** Names the change; the message is sealed under this name in the place of a session. */
  id: string
  action: 'redeem-wallet' | 'cancel-wallet'
  account: Address
  wallet: Address
  /** Holds the message to the account's phone, sealed; undefined if none is sent. */
  sealed?: string | undefined
}

export const walletSteps = {
  /** Records once that a session changes a wallet, with the message that tells of it. */
  recordWalletChange: opens(({ rows }, change: WalletChange): void => {
    const { id, action, account, wallet, sealed } = change
    if (rows.row('audit', id) !== undefined) return
    recordAction(rows, { id, action, detail: { account, wallet } })
    if (sealed === undefined) return
    const message = { session: id, party: 'sender', sealed, tells: 'wallet' } as const
    rows.put('sms', { ...message, state: 'due', at: rows.now, attempts: 0 })
  }),
}
