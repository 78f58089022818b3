import type { RpcError } from './rpc.ts'

/** What a node's refusal of a transaction means for its sender. */
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

export type ReadRefusal =
  /** There is no such block: RSKj, anvil (two ways), EthereumJS (two ways). */
  | 'no_block'
  /** There is no such block to read a state at: RSKj. */
  | 'no_state'
  /** There is no such transaction: Erigon and Nethermind. */
  | 'no_transaction'
  /** The node cannot tell, and another one may: it lacks a block or a state, or is asked too much. */
  | 'cannot_tell'
  | 'too_much'
  | 'too_often'
  | 'too_late'
  /** A simulated call reverts, in RSKj's words; the group `reason` is the contract's. */
  | 'reverted'

const sendWordings: Readonly<Record<Exclude<SendRefusal, 'other'>, RegExp>> = {
  known: /already known|already imported|with same hash already exists/i,
  nonce_used: /nonce too low/i,
  nonce_too_high: /nonce too high/i,
  nonce_occupied: /gas price not enough to bump|replacement transaction underpriced/i,
  insufficient_funds: /insufficient funds/i,
  quota: /exceeds quota/i,
  price_too_low:
    /gas price (is )?lower than block's minimum|transaction underpriced|max fee per gas less than block base fee/i,
  price_too_high: /gas price exceeds|exceeds (the )?(gas price |configured )?cap/i,
}

const readWordings: Readonly<Record<ReadRefusal, RegExp>> = {
  no_block:
    /^Block (?:with hash )?(?:0x)?[0-9a-f]+ not found$|^BlockOutOfRange|^Resource not found$|^unknown block$|^specified block greater than current height$/i,
  no_state: /^Invalid block number \d+$/,
  no_transaction: /^transaction (?:0x[0-9a-f]+ )?not found$/i,
  cannot_tell:
    /header not found|unknown block|missing trie node|out ?of ?range|not found|rate.?limit|too many requests|time(d )?.?out/i,
  too_much:
    /\b(blocks?|ranges?|results?|logs?|size)\b.*(too |more than|exceed|limit|max|over)|(too |more than|exceed|limit|max|over).*\b(blocks?|ranges?|results?|logs?|size)\b|block range|response size/i,
  too_often: /rate.?limit|too many requests|request count/i,
  too_late: /time(d )?.?out|expired|deadline/i,
  reverted: /: (?:transaction reverted|revert (?<reason>.*))$/s,
}

/** What the refusal of a transaction means, on both families of nodes: the first wording that fits. */
export function classifyRefusal({ message }: RpcError): SendRefusal {
  const meanings = Object.keys(sendWordings) as (keyof typeof sendWordings)[]
  return meanings.find((meaning) => sendWordings[meaning].test(message)) ?? 'other'
}

/** Whether the refusal of a question means this. One refusal may mean several things. */
export function means({ message }: RpcError, meaning: ReadRefusal): boolean {
  return readWordings[meaning].test(message)
}

/** The contract's own reason in RSKj's words of a revert: empty without one, undefined for no revert. */
export function revertReason({ message }: RpcError): string | undefined {
  const revert = readWordings.reverted.exec(message)
  return revert === null ? undefined : (revert.groups?.reason ?? '')
}
