import type { Hex } from 'viem'
import type { BlockHash, Head, Receipt } from '../../chain/node.ts'
import { TransportError } from '../../chain/rpc.ts'
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
import { blockOfSpending, intentTopics } from './spent.ts'

const nodeTimeoutMs = 5_000

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
): Promise<Execution | undefined> {
  const { receipt } = mined
  // It was reverted as a whole: the forwarder stopped, or does not take this relayer.
  if (!receipt.succeeded) return undefined
  const results = resultsInLogs(relayer.forwarder, receipt.logs)
  const processed = processedIn(results, relayer.signer.calldataOf(mined), request)
  if (processed === undefined) throw new TransportError('a receipt tells of other requests')
  const spending = processed.find(({ result }) => isSpending(result.status))
  if (spending !== undefined) {
    const execution = executionOf(relayer, spending.result, receipt.hash, receipt.block)
    return outcomeFor({ execution, isSame: asksTheSame(spending.request, request) })
  }
  if (!processed.some(({ result }) => result.status === 'already_spent')) return undefined
  const earlier = await findExecution(relayer, request)
  // The node shows the receipt and not yet the older event: asked again at the next turn.
  if (earlier === undefined)
    throw new TransportError('an intent is spent and its event is not found')
  return outcomeFor(earlier)
}

/** The outcome of a request by what spent its intent: another request's success is its failure. */
export function outcomeFor({ execution, isSame }: Found): Execution {
  return isSame ? execution : { ...execution, outcome: 'failed', reason: otherRequest }
}

const otherRequest = 'Another request of this session was executed'

/**
 * The execution that spent a request's intent for its account, from any sender: the forwarder names
 * its block, and the indexed event in that block tells of it. Undefined where nothing keeps the
 * request from executing, as of the latest block or of the one `at` this hash.
 *
 * @throws {TransportError} the intent is spent and the node does not show by what
 */
export async function findExecution(
  relayer: Relayer,
  request: ForwardRequest,
  at?: BlockHash & Head,
): Promise<Found | undefined> {
  const { node, forwarder, clock } = relayer
  const blockNumber = await blockOfSpending(relayer, request, at)
  if (blockNumber === undefined) return undefined
  const events = await node.logs(
    {
      address: forwarder.address,
      topics: intentTopics(request),
      fromBlock: blockNumber,
      toBlock: blockNumber,
    },
    clock.timeout(nodeTimeoutMs),
  )
  const spending = events.find((event) =>
    resultsInLogs(forwarder, [event]).some((result) => isSpending(result.status)),
  )
  // The node has lost the block meanwhile, or one behind it shows less: asked again later.
  if (spending === undefined)
    throw new TransportError('an intent is spent and its event is missing')
  const { transactionHash, block } = spending
  const calldata = (await node.calldata(transactionHash, clock.timeout(nodeTimeoutMs))) ?? '0x'
  const own = events.filter((event) => event.transactionHash === transactionHash)
  const processed = processedIn(resultsInLogs(forwarder, own), calldata, request)
  const executed = processed?.find(({ result }) => isSpending(result.status))
  if (executed === undefined) {
    throw new TransportError('an execution is found and what was executed is not')
  }
  return {
    execution: executionOf(relayer, executed.result, transactionHash, block),
    isSame: asksTheSame(executed.request, request),
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
