import type { SendVerdict, SignedTransaction } from '../ledger/port.ts'
import { mapNames } from '../ledger/rows.ts'
import type { Relayer } from '../relayer.ts'
import { logTransitions } from './log-transitions.ts'

/** Maps each answer of a node to its effect on the nonce; `none` sends the same again later. */
export const nonceEffects = {
  /** Waits for a block, and is outbid if none takes it for long. */
  taken: 'is_held',
  /** Is replaced at a higher price. */
  price_too_low: 'is_cheap',
  /** Belongs to an unknown transaction, so its payments get another nonce. */
  nonce_occupied: 'is_foreign',
  ...mapNames('none', 'unknown', 'nonce_used', 'nonce_too_high', 'price_too_high'),
  ...mapNames('none', 'insufficient_funds', 'quota', 'other'),
} as const satisfies Record<SendVerdict, string>

/** Sends a recorded transaction, and counts it as sent after a transport error. */
export async function broadcast(
  relayer: Relayer,
  nonce: number,
  transaction: SignedTransaction,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<SendVerdict> {
  const { ledger, node, log } = relayer
  const sent = await node.send(transaction.raw, signal)
  switch (sent.kind) {
    case 'taken':
    case 'unknown':
      await ledger.recordSend(transaction.hash, sent.kind)
      return sent.kind
    case 'refused':
      log({
        level: sent.refusal === 'nonce_used' ? 'info' : 'warn',
        event: 'broadcast.refused',
        message: `The node refused a transaction: ${sent.refusal}`,
        hash: transaction.hash,
        nonce,
        refusal: sent.refusal,
        node: sent.message,
      })
      // Never replace an unknown transaction that holds the nonce, because it may make a payment.
      if (isFirst && nonceEffects[sent.refusal] === 'is_foreign') {
        logTransitions(log, (await ledger.recordDisplaced(nonce)) ?? [])
      } else await ledger.recordSend(transaction.hash, sent.refusal)
      return sent.refusal
  }
}
