import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { intentLifetimeSeconds, relayForwarderAbi } from '../forwarder/abi.ts'
import type { ForwardRequest } from '../forwarder/requests.ts'
import { REQUEST_LIFETIME_SECONDS, type Relayer } from '../relayer.ts'

/**
 * Whether what spent an intent at this time (Unix, in seconds) keeps this request from executing. What
 * spent it longer ago than the forwarder remembers was another payment: gateways use a session's id
 * again after weeks. Told by the request's own time, so that an outcome does not change with the time
 * at which it is read.
 */
export function keepsFromExecuting(spentAtSeconds: number, request: ForwardRequest): boolean {
  const acceptedAt = request.deadline - REQUEST_LIFETIME_SECONDS
  return spentAtSeconds + intentLifetimeSeconds > acceptedAt
}

/** Whether the forwarder has spent a request's intent, as of the latest block. */
export async function isSpent(
  { node, forwarder }: Relayer,
  request: ForwardRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const outcome = await node.call(
    {
      to: forwarder.address,
      data: encodeFunctionData({
        abi: relayForwarderAbi,
        functionName: 'spentAt',
        args: [request.intentId],
      }),
    },
    signal,
  )
  if (outcome.kind === 'reverted') throw new Error('the forwarder does not answer spentAt')
  const spentAt = decodeFunctionResult({
    abi: relayForwarderAbi,
    functionName: 'spentAt',
    data: outcome.data,
  })
  return keepsFromExecuting(Number(spentAt), request)
}
