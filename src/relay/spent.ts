import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { relayForwarderAbi } from './forwarder-abi.ts'
import type { Relayer } from './relayer.ts'

/**
 * For so long the forwarder refuses a spent intent (`INTENT_LIFETIME`). What spent it before that was
 * another payment: gateways use a session's id again after weeks.
 */
const INTENT_LIFETIME_SECONDS = 7 * 24 * 60 * 60

/** Whether something at this time (Unix, in seconds) still keeps its intent from executing again. */
export function isOfThisIntent({ clock }: Relayer, spentAtSeconds: number): boolean {
  return spentAtSeconds + INTENT_LIFETIME_SECONDS > clock.now() / 1000
}

/** Whether the forwarder has spent an intent, and would refuse it, as of the latest block. */
export async function isSpent(
  relayer: Relayer,
  intentId: Hex,
  signal: AbortSignal,
): Promise<boolean> {
  const { node, forwarder } = relayer
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
  const spentAt = decodeFunctionResult({
    abi: relayForwarderAbi,
    functionName: 'spentAt',
    data: outcome.data,
  })
  return isOfThisIntent(relayer, Number(spentAt))
}
