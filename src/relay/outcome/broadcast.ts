import type { SendRefusal } from '../../chain/refusals.ts'
import type { SendVerdict, SignedTransaction } from '../ledger/port.ts'
import type { Relayer } from '../relayer.ts'
import { logTransitions } from './log-transitions.ts'

/**
 * Sends bytes that are recorded and notes what came of it. A transport error says nothing, so the
 * bytes count as sent and go out again later. Nothing here ever makes new bytes.
 */
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
      await ledger.sent(transaction.hash, sent.kind)
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
      if (isFirst && isForeign(sent.refusal)) logTransitions(log, await ledger.displaced(nonce))
      else await ledger.sent(transaction.hash, sent.refusal)
      return sent.refusal
  }
}

/**
 * Whether bytes that we do not know hold the nonce. They may be an older payment of ours: the request moves to
 * another nonce, and they are never bumped over.
 */
function isForeign(refusal: Exclude<SendRefusal, 'known'>): boolean {
  switch (refusal) {
    case 'nonce_occupied':
      return true
    case 'nonce_used':
    case 'nonce_too_high':
    case 'insufficient_funds':
    case 'quota':
    case 'price_too_low':
    case 'price_too_high':
    case 'other':
      return false
  }
}
