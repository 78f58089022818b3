import type { Hex } from 'viem'
import type { Receipt } from '../../chain/node.ts'
import { TransportError } from '../../chain/rpc.ts'
import { describeFault } from '../../runtime/log.ts'
import {
  decodeRequests,
  decodeResults,
  type ForwardRequest,
  matchResults,
  type ProcessedRequest,
  type SignedRequest,
  spendsIntent,
} from '../forwarder/requests.ts'
import type { MinedReport, RequestExecution } from '../ledger/carrying.ts'
import type { BlockId, IntentExecution, SignedTransaction } from '../ledger/values.ts'
import { nodeTimeoutMs, type Relayer } from '../relayer.ts'
import { filterIntent, findSpendingBlock, type SearchState } from './spent.ts'

/**
 * Returns what one of our transactions did for each payment: its own execution, or an earlier one
 * of the intent. After rows were lost either may be of another request than the payment's.
 * @throws {TransportError} the node shows only a part
 */
export async function readExecutions(
  relayer: Relayer,
  mined: SignedTransaction & { receipt: Receipt },
  requests: ReadonlyMap<string, SignedRequest>,
): Promise<Record<string, RequestExecution>> {
  const { receipt } = mined
  // It was reverted as a whole: the forwarder is paused, or does not take this relayer.
  if (!receipt.succeeded) return {}
  const results = decodeResults(relayer.forwarder, receipt.logs)
  const carried = decodeRequests(relayer.signer.readContent(mined).data)
  const executions: Record<string, RequestExecution> = {}
  for (const [session, request] of requests) {
    const processed = matchResults(results, carried, request)
    if (processed === undefined) throw new TransportError('a receipt contains other requests')
    const execution = await pickExecution(relayer, processed, receipt, request).catch((error) => {
      if (requests.size === 1) throw error
      // One missing answer does not delay the others: its payment is queued again and looked up.
      relayer.log({ level: 'warn', event: 'settle.failed', message: describeFault(error) })
      return undefined
    })
    if (execution !== undefined) {
      executions[session] = { ...execution, signature: request.signature }
    }
  }
  return executions
}

async function pickExecution(
  relayer: Relayer,
  processed: readonly ProcessedRequest[],
  receipt: Receipt,
  request: ForwardRequest,
): Promise<IntentExecution | undefined> {
  const spending = processed.find(({ result }) => spendsIntent(result.status))
  if (spending !== undefined) return toExecution(relayer, spending, receipt.hash, receipt.block)
  if (!processed.some(({ result }) => result.status === 'already_spent')) return undefined
  const earlier = await findExecution(relayer, request)
  // The node shows the receipt and not yet the older event: the next round asks again.
  if (earlier === undefined)
    throw new TransportError('an intent is spent and its event is not found')
  return earlier
}

/**
 * Finds the execution that spent a request's intent, by any relay, as of the latest block or `at`;
 * undefined if the intent is unspent. Forwarder, signer and intent id decide, and the status: the
 * forwarder reports bad signatures and passed deadlines too, of requests that nobody has to sign.
 * @throws {TransportError} the node does not show the execution
 */
export async function findExecution(relayer: Relayer, request: ForwardRequest, at?: SearchState) {
  const { node, forwarder, clock } = relayer
  const blockNumber = await findSpendingBlock(relayer, request, at)
  if (blockNumber === undefined) return undefined
  const range = { fromBlock: blockNumber, toBlock: blockNumber }
  const filter = { ...filterIntent(forwarder, request), ...range }
  const events = await node.getLogs(filter, clock.timeout(nodeTimeoutMs))
  const spending = events.find((event) =>
    decodeResults(forwarder, [event]).some((result) => spendsIntent(result.status)),
  )
  // The node has lost the block by now, or is behind it, so it is asked again later.
  if (spending === undefined)
    throw new TransportError('an intent is spent and its event is missing')
  const { transactionHash, block } = spending
  const calldata = (await node.getCalldata(transactionHash, clock.timeout(nodeTimeoutMs))) ?? '0x'
  const own = events.filter((event) => event.transactionHash === transactionHash)
  const carried = decodeRequests(calldata)
  const processed = matchResults(decodeResults(forwarder, own), carried, request)
  const executed = processed?.find(({ result }) => spendsIntent(result.status))
  if (executed === undefined) {
    throw new TransportError('an execution is found and what was executed is not')
  }
  return toExecution(relayer, executed, transactionHash, block)
}

function toExecution(
  { describeReason }: Relayer,
  { result: { status, returnData }, request: executed }: ProcessedRequest,
  hash: Hex,
  block: BlockId,
): IntentExecution {
  if (status === 'executed') return { outcome: 'executed', reason: '', hash, block, executed }
  return { outcome: 'failed', reason: describeReason(returnData), hash, block, executed }
}

/** Describes a nonce that the chain has passed, and what we recorded for it. */
export type PassedNonce = {
  nonce: number
  sessions: readonly string[]
  transactions: readonly SignedTransaction[]
  /** Maps the session of each payment that it carries to its request. */
  requests: ReadonlyMap<string, SignedRequest>
}

/** Reads what a passed nonce did, if there is a receipt. @throws {TransportError} no answer */
export async function readMinedReport(
  relayer: Relayer,
  { nonce, sessions, transactions, requests }: PassedNonce,
  signal: AbortSignal,
): Promise<MinedReport | undefined> {
  for (const transaction of transactions) {
    const receipt = await relayer.node.getReceipt(transaction.hash, signal)
    if (receipt === undefined) continue
    const mined = { ...transaction, receipt }
    const executions = await readExecutions(relayer, mined, requests)
    // An outcome that needs a proof is made final by a round.
    const isFinal = relayer.rules.confirmations <= 1 && relayer.proofs === undefined
    const { hash, block } = receipt
    return { nonce, sessions, hash, block, executions, isFinal }
  }
  return undefined
}
