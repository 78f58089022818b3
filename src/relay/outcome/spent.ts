import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { relayForwarderAbi } from '../forwarder/abi.ts'
import type { ForwardRequest } from '../forwarder/requests.ts'
import { REQUEST_LIFETIME_SECONDS, type Relayer } from '../relayer.ts'

/**
 * For so long the forwarder refuses a spent intent (`INTENT_LIFETIME`). What spent it before that was
 * another payment: gateways use a session's id again after weeks.
 */
const INTENT_LIFETIME_SECONDS = 7 * 24 * 60 * 60

/**
 * Whether what spent an intent at this time (Unix, in seconds) keeps this request from executing. Told
 * by the request's own time, so that an outcome does not change with the time at which it is read.
 */
export function keepsFromExecuting(spentAtSeconds: number, request: ForwardRequest): boolean {
  const acceptedAt = request.deadline - REQUEST_LIFETIME_SECONDS
  return spentAtSeconds + INTENT_LIFETIME_SECONDS > acceptedAt
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
