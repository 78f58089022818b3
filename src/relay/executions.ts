import { encodeEventTopics, type Hex } from 'viem'
import type { Head, Receipt } from '../chain/node.ts'
import { TransportError } from '../chain/rpc.ts'
import { isSpending, resultsInLogs } from './forwarder.ts'
import { relayForwarderAbi } from './forwarder-abi.ts'
import type { Execution } from './ledger.ts'
import type { Relayer } from './relayer.ts'
import { isOfThisIntent } from './spent.ts'

/**
 * Blocks back to which a spent intent is looked for: the forwarder refuses an id for 7 days, and
 * blocks come every 24 s at the fastest.
 */
const SPENT_WINDOW_BLOCKS = 26_000

/**
 * What a mined transaction did for an intent: its own execution of it, or the earlier one that it
 * found. Undefined when the intent is still unspent as far as this transaction tells.
 *
 * @throws {TransportError} the intent is spent and the node does not show by what
 */
export async function executionIn(
  relayer: Relayer,
  receipt: Receipt,
  intentId: Hex,
  signal: AbortSignal,
): Promise<Execution | undefined> {
  const result = resultsInLogs(relayer.forwarder, receipt.logs).find(
    (candidate) => candidate.intentId === intentId,
  )
  if (result === undefined) return undefined
  if (isSpending(result.status)) {
    return {
      outcome: result.status,
      reason: result.status === 'failed' ? relayer.reasonOf(result.returnData) : '',
      hash: receipt.hash,
      block: receipt.block,
    }
  }
  if (result.status !== 'already_spent') return undefined
  const earlier = await findExecution(relayer, intentId, signal)
  // The node shows the receipt and not yet the older event: asked again at the next turn.
  if (earlier === undefined)
    throw new TransportError('an intent is spent and its event is not found')
  return earlier
}

/**
 * The execution that spent an intent, whoever sent it, by the forwarder's indexed event. One that the
 * forwarder would no longer refuse the intent for is none.
 */
export async function findExecution(
  relayer: Relayer,
  intentId: Hex,
  signal: AbortSignal,
): Promise<Execution | undefined> {
  const { node, forwarder, reasonOf } = relayer
  const head: Head = await node.head(signal)
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
    if (block === undefined || !isOfThisIntent(relayer, block.timestampSeconds)) return undefined
    return {
      outcome: result.status,
      reason: result.status === 'failed' ? reasonOf(result.returnData) : '',
      hash: event.transactionHash,
      block: event.block,
    }
  }
  return undefined
}
