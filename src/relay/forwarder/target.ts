import { type Address, decodeFunctionResult, encodeFunctionData, isAddressEqual } from 'viem'
import type { Node } from '../../chain/node.ts'
import { relayForwarderAbi } from './abi.ts'
import type { Forwarder } from './requests.ts'

/** Tells whether the forwarder calls this contract. A yes is cached, because it never changes. */
export type TargetCheck = (node: Node, signal: AbortSignal) => Promise<boolean>

export function createTargetCheck(forwarder: Forwarder, target: Address): TargetCheck {
  const call = { abi: relayForwarderAbi, functionName: 'target' } as const
  const data = encodeFunctionData(call)
  let isConfirmed = false
  return async (node, signal) => {
    if (isConfirmed) return true
    const outcome = await node.call({ to: forwarder.address, data }, signal)
    // An account without code returns nothing.
    if (outcome.kind === 'reverted' || outcome.data === '0x') return false
    isConfirmed = isAddressEqual(decodeFunctionResult({ ...call, data: outcome.data }), target)
    return isConfirmed
  }
}
