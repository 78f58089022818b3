import type { RpcError } from './rpc.ts'

/** In which words nodes of both families refuse a transaction. */
const sendWordings = {
  /** The bytes are there already: success. */
  known: /already known|already imported|with same hash already exists/i,
  /** Some transaction has used the nonce. Which one is another question. */
  nonce_used: /nonce too low/i,
  /** Over the account's slots in the pool: wait. */
  nonce_too_high: /nonce too high/i,
  /** Other bytes hold the nonce, and these do not outbid them. */
  nonce_occupied: /gas price not enough to bump|replacement transaction underpriced/i,
  insufficient_funds: /insufficient funds/i,
  /** RSKj's gas quota of an account is spent for now. */
  quota: /exceeds quota/i,
  price_too_low:
    /gas price (is )?lower than block's minimum|transaction underpriced|max fee per gas less than block base fee/i,
  price_too_high: /gas price exceeds|exceeds (the )?(gas price |configured )?cap/i,
}

/** What a node's refusal of a transaction means for its sender; no retry mends an `other` by itself. */
export type SendRefusal = keyof typeof sendWordings | 'other'

/** In which words nodes refuse a question. */
const readWordings = {
  /** There is no such block: RSKj, anvil (two ways), EthereumJS (two ways). */
  no_block:
    /^Block (?:with hash )?(?:0x)?[0-9a-f]+ not found$|^BlockOutOfRange|^Resource not found$|^unknown block$|^specified block greater than current height$/i,
  /** There is no such block to read a state at: RSKj. */
  no_state: /^Invalid block number \d+$/,
  /** There is no such transaction: Erigon and Nethermind. */
  no_transaction: /^transaction (?:0x[0-9a-f]+ )?not found$/i,
  /** The node cannot tell, and another one may: it lacks a block or a state, or is asked too much. */
  cannot_tell:
    /header not found|unknown block|missing trie node|out ?of ?range|not found|rate.?limit|too many requests|time(d )?.?out/i,
  too_much:
    /\b(blocks?|ranges?|results?|logs?|size)\b.*(too |more than|exceed|limit|max|over)|(too |more than|exceed|limit|max|over).*\b(blocks?|ranges?|results?|logs?|size)\b|block range|response size/i,
  too_often: /rate.?limit|too many requests|request count/i,
  too_late: /time(d )?.?out|expired|deadline/i,
  /** A simulated call reverts, in RSKj's words; the group `reason` is the contract's. */
  reverted: /: (?:transaction reverted|revert (?<reason>.*))$/s,
}

export type ReadRefusal = keyof typeof readWordings

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
