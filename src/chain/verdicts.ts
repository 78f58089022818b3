import { withTimeLimit } from '../runtime/time-limit.ts'
import { classifyRefusal, type SendRefusal } from './refusals.ts'
import { RpcError, TransportError } from './rpc.ts'

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
  const cause = new AggregateError(failures, describeVerdicts(failures))
  const refusals = failures.filter((failure) => failure instanceof RpcError)
  if (refusals.length < failures.length) {
    return new TransportError('the transaction may have been sent', { cause })
  }
  const decisive = chooseVerdict(refusals.map(toVerdict))
  const refusal = refusals.find(({ message }) => message === decisive?.message)
  if (refusal === undefined) return new TransportError('there is no node')
  return new RpcError(refusal.code, refusal.message, refusal.data, { cause })
}

const describeVerdicts = (failures: readonly unknown[]): string =>
  failures.map((failure) => toVerdict(failure).verdict).join(', ')

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
