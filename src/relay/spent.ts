import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { relayForwarderAbi } from './forwarder-abi.ts'
import type { Relayer } from './relayer.ts'

/** Whether the forwarder has ever spent an intent, as of the latest block. */
export async function isSpent(
  { node, forwarder }: Relayer,
  intentId: Hex,
  signal: AbortSignal,
): Promise<boolean> {
  const outcome = await node.call(
    {
      to: forwarder.address,
      data: encodeFunctionData({
        abi: relayForwarderAbi,
        functionName: 'spentAt',
        args: [intentId],
      }),
    },
    signal,
  )
  if (outcome.kind === 'reverted') throw new Error('the forwarder does not answer spentAt')
  return (
    decodeFunctionResult({
      abi: relayForwarderAbi,
      functionName: 'spentAt',
      data: outcome.data,
    }) > 0n
  )
}
