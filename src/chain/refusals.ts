import type { RpcError } from './rpc.ts'

/**
 * What a node's refusal of a transaction means for its sender. RSKj's wordings are those of its
 * TransactionPoolImpl and PendingTransactionValidator (code -32010); the others are geth's, which
 * anvil and most Ethereum nodes share.
 */
export type SendRefusal =
  /** The bytes are there already: success. */
  | 'known'
  /** Some transaction has used the nonce. Which one is another question. */
  | 'nonce_used'
  /** Over the account's slots in the pool: wait. */
  | 'nonce_too_high'
  /** Other bytes hold the nonce, and these do not outbid them. */
  | 'nonce_occupied'
  | 'insufficient_funds'
  /** RSKj's gas quota of an account is spent for now. */
  | 'quota'
  | 'price_too_low'
  | 'price_too_high'
  /** Refused for a reason that no retry mends by itself. */
  | 'other'

const wordings: readonly (readonly [RegExp, SendRefusal])[] = [
  [/already known|already imported|with same hash already exists/i, 'known'],
  [/nonce too low/i, 'nonce_used'],
  [/nonce too high/i, 'nonce_too_high'],
  [/gas price not enough to bump|replacement transaction underpriced/i, 'nonce_occupied'],
  [/insufficient funds/i, 'insufficient_funds'],
  [/exceeds quota/i, 'quota'],
  [
    /gas price (is )?lower than block's minimum|transaction underpriced|max fee per gas less than block base fee/i,
    'price_too_low',
  ],
  [/gas price exceeds|exceeds (the )?(gas price )?cap/i, 'price_too_high'],
]

/** The one table of both families of nodes. */
export function classifyRefusal(error: RpcError): SendRefusal {
  return wordings.find(([pattern]) => pattern.test(error.message))?.[1] ?? 'other'
}
