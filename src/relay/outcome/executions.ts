import { encodeEventTopics, type Hex } from 'viem'
import type { Receipt } from '../../chain/node.ts'
import { TransportError } from '../../chain/rpc.ts'
import { relayForwarderAbi } from '../forwarder/abi.ts'
import {
  asksTheSame,
  type ForwardRequest,
  isSpending,
  processedIn,
  type RequestResult,
  resultsInLogs,
} from '../forwarder/requests.ts'
import type { BlockId, Execution, SignedTransaction } from '../ledger/port.ts'
import type { Relayer } from '../relayer.ts'
import { keepsFromExecuting } from './spent.ts'

/**
 * Blocks back to which a spent intent is looked for: the forwarder refuses an id for 7 days, and
 * blocks come every 24 s at the fastest.
 */
const SPENT_WINDOW_BLOCKS = 26_000

/** An execution of an intent, and whether it did what a request asks for. */
export type Found = { execution: Execution; isSame: boolean }

/**
 * What one of our transactions did for a request: its own execution of it, or the earlier one of its
 * intent that it found. Undefined when the intent is still unspent as far as this transaction tells.
 * What it carries may be another request than the one that its session's row names: rows get lost.
 *
 * @throws {TransportError} the intent is spent and the node does not show by what
 */
export async function executionIn(
  relayer: Relayer,
  mined: SignedTransaction & { receipt: Receipt },
  request: ForwardRequest,
  signal: AbortSignal,
): Promise<Execution | undefined> {
  const { receipt } = mined
  const results = resultsInLogs(relayer.forwarder, receipt.logs)
  const processed = processedIn(results, relayer.signer.calldataOf(mined), request.intentId)
  if (processed === undefined) throw new TransportError('a receipt tells of other requests')
  const spending = processed.find(({ result }) => isSpending(result.status))
  if (spending !== undefined) {
    const execution = executionOf(relayer, spending.result, receipt.hash, receipt.block)
    return outcomeFor({ execution, isSame: asksTheSame(spending.request, request) })
  }
  if (!processed.some(({ result }) => result.status === 'already_spent')) return undefined
  const earlier = await findExecution(relayer, request, signal)
  // The node shows the receipt and not yet the older event: asked again at the next turn.
  if (earlier === undefined)
    throw new TransportError('an intent is spent and its event is not found')
  return outcomeFor(earlier)
}

/** The outcome of a request by what spent its intent: another request's success is its failure. */
export function outcomeFor({ execution, isSame }: Found): Execution {
  return isSame ? execution : { ...execution, outcome: 'failed', reason: OTHER_REQUEST }
}

const OTHER_REQUEST = 'Another request of this session was executed'

/**
 * The execution that spent a request's intent, from any sender, by the forwarder's indexed event. One
 * that does not keep the request from executing is left out.
 *
 * @throws {TransportError} the node shows the event and not what was executed
 */
export async function findExecution(
  relayer: Relayer,
  request: ForwardRequest,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const { node, forwarder } = relayer
  const { intentId } = request
  const head = await node.head(signal)
  const events = await node.logs(
    {
      address: forwarder.address,
      topics: encodeEventTopics({
        abi: relayForwarderAbi,
        eventName: 'RequestProcessed',
        args: { intentId },
      }) as Hex[],
      fromBlock: Math.max(0, head.number - SPENT_WINDOW_BLOCKS),
    },
    signal,
  )
  const last = events.findLast((event) =>
    resultsInLogs(forwarder, [event]).some((result) => isSpending(result.status)),
  )
  if (last === undefined) return undefined
  const { transactionHash, block } = last
  const spentIn = await node.block(block.number, signal)
  if (spentIn === undefined || !keepsFromExecuting(spentIn.timestampSeconds, request)) {
    return undefined
  }
  const calldata = (await node.calldata(transactionHash, signal)) ?? '0x'
  const results = resultsInLogs(
    forwarder,
    events.filter((event) => event.transactionHash === transactionHash),
  )
  const spending = processedIn(results, calldata, intentId)?.find(({ result }) =>
    isSpending(result.status),
  )
  if (spending === undefined) {
    throw new TransportError('an execution is found and what was executed is not')
  }
  return {
    execution: executionOf(relayer, spending.result, transactionHash, block),
    isSame: asksTheSame(spending.request, request),
  }
}

function executionOf(
  { reasonOf }: Relayer,
  { status, returnData }: RequestResult,
  hash: Hex,
  block: BlockId,
): Execution {
  if (status === 'executed') return { outcome: 'executed', reason: '', hash, block }
  return { outcome: 'failed', reason: reasonOf(returnData), hash, block }
}
