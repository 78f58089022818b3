import type { SendVerdict, SignedTransaction } from '../ledger/port.ts'
import { each } from '../ledger/rows.ts'
import type { Relayer } from '../relayer.ts'
import { logTransitions } from './log-transitions.ts'

/** Maps each verdict to its effect on the nonce; a new refusal does not compile without one. */
export const effects = {
  taken: 'is_held',
  price_too_low: 'is_cheap',
  nonce_occupied: 'is_foreign',
  ...each('none', 'unknown', 'nonce_used', 'nonce_too_high', 'price_too_high'),
  ...each('none', 'insufficient_funds', 'quota', 'other'),
} as const satisfies Record<SendVerdict, string>

/** Sends recorded bytes, never new ones; after a transport error they count as sent. */
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
      // Unknown bytes hold the nonce, maybe those of an older payment: never outbid them.
      if (isFirst && effects[sent.refusal] === 'is_foreign') {
        logTransitions(log, await ledger.recordDisplaced(nonce))
      } else await ledger.recordSend(transaction.hash, sent.refusal)
      return sent.refusal
  }
}
