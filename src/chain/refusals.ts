import type { RpcError } from './rpc.ts'

/** Lists how nodes of RSKj's and Ethereum's kind word the refusal of a transaction. */
const sendRefusalPatterns = {
  /** Means success, because the node has the transaction already. */
  known: /already known|already imported|with same hash already exists/i,
  /** Means that a transaction, maybe another one, has used the nonce. */
  nonce_used: /nonce too low/i,
  /** Means that the pool takes lower nonces of the account first. */
  nonce_too_high: /nonce too high/i,
  /** Means that another transaction holds the nonce at too high a price to be replaced. */
  nonce_occupied: /gas price not enough to bump|replacement transaction underpriced/i,
  insufficient_funds: /insufficient funds/i,
  /** Means that RSKj's gas quota of the account is spent for now. */
  quota: /exceeds quota/i,
  price_too_low:
    /gas price (is )?lower than block's minimum|transaction underpriced|max fee per gas less than block base fee/i,
  price_too_high: /gas price exceeds|exceeds (the )?(gas price |configured )?cap/i,
}

/** Names what a refusal means for the sender; `other` if no pattern fits its words. */
export type SendRefusal = keyof typeof sendRefusalPatterns | 'other'

/** Lists how nodes word the refusal of a read. */
const readRefusalPatterns = {
  /** Means that the block does not exist: RSKj, anvil (two ways), EthereumJS (two ways). */
  no_block:
    /^Block (?:with hash )?(?:0x)?[0-9a-f]+ not found$|^BlockOutOfRange|^Resource not found$|^unknown block$|^specified block greater than current height$/i,
  /** Means that the block of a state does not exist: RSKj. */
  no_state: /^Invalid block number \d+$/,
  /** Means that the transaction does not exist: Erigon and Nethermind. */
  no_transaction: /^transaction (?:0x[0-9a-f]+ )?not found$/i,
  /** Means that another node may answer, because this one lacks a block or is overloaded. */
  cannot_tell:
    /header not found|unknown block|missing trie node|out ?of ?range|not found|rate.?limit|too many requests|time(d )?.?out/i,
  too_much:
    /\b(blocks?|ranges?|results?|logs?|size)\b.*(too |more than|exceed|limit|max|over)|(too |more than|exceed|limit|max|over).*\b(blocks?|ranges?|results?|logs?|size)\b|block range|response size/i,
  too_often: /rate.?limit|too many requests|request count/i,
  too_late: /time(d )?.?out|expired|deadline/i,
  /** Means in RSKj's words that a simulated call reverts; the group `reason` is the contract's. */
  reverted: /: (?:transaction reverted|revert (?<reason>.*))$/s,
}

export type ReadRefusal = keyof typeof readRefusalPatterns

/** Classifies the refusal of a transaction by the first wording that fits. */
export function classifyRefusal({ message }: RpcError): SendRefusal {
  const meanings = Object.keys(sendRefusalPatterns) as (keyof typeof sendRefusalPatterns)[]
  return meanings.find((meaning) => sendRefusalPatterns[meaning].test(message)) ?? 'other'
}

/** Tells whether the refusal of a read has this meaning, maybe among others. */
export function isRefusal({ message }: RpcError, meaning: ReadRefusal): boolean {
  return readRefusalPatterns[meaning].test(message)
}

/** Returns the contract's reason in RSKj's words; empty without one, undefined without a revert. */
export function parseRevertReason({ message }: RpcError): string | undefined {
  const revert = readRefusalPatterns.reverted.exec(message)
  return revert === null ? undefined : (revert.groups?.reason ?? '')
}
