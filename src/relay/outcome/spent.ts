import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { BlockHash } from '../../chain/node.ts'
import { TransportError } from '../../chain/rpc.ts'
import { intentLifetimeSeconds, relayForwarderAbi } from '../forwarder/abi.ts'
import type { ForwardRequest } from '../forwarder/requests.ts'
import { type Relayer, requestLifetimeSeconds } from '../relayer.ts'

/**
 * Whether what spent an intent at this time (Unix, in seconds) keeps this request from executing. What
 * spent it longer ago than the forwarder remembers was another payment: gateways use a session's id
 * again after weeks. Told by the request's own time, so that an outcome does not change with the time
 * at which it is read.
 */
function keepsFromExecuting(spentAtSeconds: number, request: ForwardRequest): boolean {
  const acceptedAt = request.deadline - requestLifetimeSeconds
  return spentAtSeconds + intentLifetimeSeconds > acceptedAt
}

/**
 * The number of the block in which a request's account spent its intent, as of the latest block or of
 * the one `at` this hash: a replica that does not have that one does not tell. Undefined where nothing
 * spent it that keeps the request from executing.
 *
 * @throws {TransportError} {@link RpcError} the node did not tell
 */
export async function blockOfSpending(
  { node, forwarder }: Relayer,
  request: ForwardRequest,
  signal: AbortSignal,
  at?: BlockHash,
): Promise<number | undefined> {
  const call = { abi: relayForwarderAbi, functionName: 'spentAt' } as const
  const outcome = await node.call(
    {
      to: forwarder.address,
      data: encodeFunctionData({ ...call, args: [request.from, request.intentId] }),
    },
    signal,
    at,
  )
  if (outcome.kind === 'reverted') throw new TransportError('the forwarder does not answer spentAt')
  const [timestamp, blockNumber] = decodeFunctionResult({ ...call, data: outcome.data })
  return keepsFromExecuting(Number(timestamp), request) ? Number(blockNumber) : undefined
}
