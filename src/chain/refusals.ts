import { withTimeLimit } from '../runtime/clock.ts'
import { RpcError, TransportError } from './rpc.ts'

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
export const isRefusal = ({ message }: RpcError, meaning: ReadRefusal): boolean =>
  readRefusalPatterns[meaning].test(message)

/** Returns the contract's reason in RSKj's words; empty without one, undefined without a revert. */
export function parseRevertReason({ message }: RpcError): string | undefined {
  const revert = readRefusalPatterns.reverted.exec(message)
  return revert === null ? undefined : (revert.groups?.reason ?? '')
}

/** Tells what a node did with a transaction; after `unknown` it may have taken it. */
export type SendVerdict = 'taken' | 'unknown' | Exclude<SendRefusal, 'known'>

/**
 * Ranks the verdicts of several nodes: the lowest rank decides. An acceptance always does.
 * `nonce_occupied` is above `price_too_low`, because a raised price may replace unknown bytes.
 * `unknown` is below it, so that a node that is down does not keep a price from being raised.
 */
const verdictRanks: Readonly<Record<SendVerdict, number>> = {
  taken: 0,
  nonce_occupied: 1,
  price_too_low: 2,
  unknown: 3,
  nonce_used: 4,
  nonce_too_high: 5,
  insufficient_funds: 6,
  quota: 7,
  price_too_high: 8,
  other: 9,
}

/** Holds one node's verdict on a transaction, and the node's words if it refused. */
export type NodeVerdict = { verdict: SendVerdict; message: string }

/** Returns the verdict that decides, whatever their order; undefined without verdicts. */
export function chooseVerdict(verdicts: readonly NodeVerdict[]): NodeVerdict | undefined {
  const [decisive] = verdicts.toSorted(
    (a, b) => verdictRanks[a.verdict] - verdictRanks[b.verdict] || (a.message < b.message ? -1 : 1),
  )
  return decisive
}

/** Limits how long other nodes are waited for once one has refused a transaction, in ms. */
const maxVerdictWaitMs = 2_000

/**
 * Waits until one node takes a transaction, or all have refused it; once one has refused it, the
 * others have `maxVerdictWaitMs`. @throws {RpcError} all refused it
 * @throws {TransportError} one may have it; `listVerdicts` reads all verdicts from both errors
 */
export async function waitForVerdict(
  attempts: readonly Promise<unknown>[],
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const silent = new TransportError('a node did not answer in time')
  const failures = attempts.map((): unknown => silent)
  const refused = Promise.withResolvers<void>()
  const answers = attempts.map((attempt, index) =>
    attempt.catch((error: unknown) => {
      failures[index] = error
      if (error instanceof RpcError) refused.resolve()
      throw error
    }),
  )
  const isTaken = Promise.any(answers).then(
    () => true,
    () => false,
  )
  await Promise.race([isTaken, refused.promise])
  if (!(await withTimeLimit({ sleep }, maxVerdictWaitMs, isTaken, () => false))) {
    throw createFailure(failures)
  }
}

/** Creates the error of a transaction that no node took, with the failures of all nodes. */
function createFailure(failures: readonly unknown[]): Error {
  const verdicts = failures.map((failure) => toVerdict(failure).verdict)
  const cause = new AggregateError(failures, verdicts.join(', '))
  const refusals = failures.filter((failure) => failure instanceof RpcError)
  if (refusals.length < failures.length) {
    return new TransportError('the transaction may have been sent', { cause })
  }
  const decisive = chooseVerdict(refusals.map(toVerdict))
  const refusal = refusals.find(({ message }) => message === decisive?.message)
  if (refusal === undefined) return new TransportError('there is no node')
  return new RpcError(refusal.code, refusal.message, refusal.data, { cause })
}

/** Returns each node's verdict on a transaction that none took, from the error of sending it. */
export function listVerdicts(error: unknown): NodeVerdict[] {
  const cause = error instanceof Error ? error.cause : undefined
  const failures: unknown[] = cause instanceof AggregateError ? cause.errors : [error]
  return failures.map(toVerdict)
}

function toVerdict(failure: unknown): NodeVerdict {
  if (!(failure instanceof RpcError)) return { verdict: 'unknown', message: '' }
  const refusal = classifyRefusal(failure)
  return { verdict: refusal === 'known' ? 'taken' : refusal, message: failure.message }
}
