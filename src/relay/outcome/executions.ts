import { encodeEventTopics, type Hex, isAddressEqual } from 'viem'
import type { Receipt } from '../../chain/node.ts'
import { TransportError } from '../../chain/rpc.ts'
import { relayForwarderAbi } from '../forwarder/abi.ts'
import {
  type ForwardRequest,
  isSpending,
  type RequestResult,
  requestsInCalldata,
  resultsInLogs,
} from '../forwarder/requests.ts'
import type { BlockId, Execution } from '../ledger/port.ts'
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
 * What a mined transaction did for a request: its own execution of it, or the earlier one of its
 * intent that it found. Undefined when the intent is still unspent as far as this transaction tells.
 *
 * @throws {TransportError} the intent is spent and the node does not show by what
 */
export async function executionIn(
  relayer: Relayer,
  receipt: Receipt,
  request: ForwardRequest,
  signal: AbortSignal,
): Promise<Execution | undefined> {
  const result = resultsInLogs(relayer.forwarder, receipt.logs).find(
    (candidate) => candidate.intentId === request.intentId,
  )
  if (result === undefined) return undefined
  if (isSpending(result.status)) {
    return executionOf(relayer, { ...result, status: result.status }, receipt.hash, receipt.block)
  }
  if (result.status !== 'already_spent') return undefined
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
  for (const event of events.reverse()) {
    const [result] = resultsInLogs(forwarder, [event])
    if (result?.intentId !== intentId || !isSpending(result.status)) continue
    const block = await node.block(event.block.number, signal)
    if (block === undefined || !keepsFromExecuting(block.timestampSeconds, request)) {
      return undefined
    }
    const calldata = (await node.calldata(event.transactionHash, signal)) ?? '0x'
    const executed = requestsInCalldata(calldata).find((one) => one.intentId === intentId)
    if (executed === undefined) {
      throw new TransportError('an execution is found and what was executed is not')
    }
    return {
      execution: executionOf(
        relayer,
        { ...result, status: result.status },
        event.transactionHash,
        event.block,
      ),
      isSame: executed.data === request.data && isAddressEqual(executed.to, request.to),
    }
  }
  return undefined
}

function executionOf(
  { reasonOf }: Relayer,
  { status, returnData }: RequestResult & { status: 'executed' | 'failed' },
  hash: Hex,
  block: BlockId,
): Execution {
  const reason = status === 'failed' ? reasonOf(returnData) : ''
  return { outcome: status, reason, hash, block }
}
