import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  zeroAddress,
} from 'viem'
import type { Node } from '../../chain/node.ts'
import { loanAbi } from '../../loan/abi.ts'
import { getQuantum, type Unit } from '../../loan/amounts.ts'
import { relayForwarderAbi } from './abi.ts'
import type { Forwarder } from './requests.ts'

/** Tells why no payment may go through the forwarder to the loan contract. */
export type TargetFault = 'not_allowed' | 'other_unit'

/** Asks for such a fault. `ready` is cached, because it never changes. */
export type TargetCheck = (node: Node, signal: AbortSignal) => Promise<'ready' | TargetFault>

const targetCall = { abi: relayForwarderAbi, functionName: 'target' } as const
const tokenCall = { abi: loanAbi, functionName: 'token' } as const
const quantumCall = { abi: loanAbi, functionName: 'quantum' } as const

/** Creates the check that the forwarder calls this loan contract, which counts this unit. */
export function createTargetCheck(
  forwarder: Forwarder,
  { loan, unit }: { loan: Address; unit: Unit },
): TargetCheck {
  let isConfirmed = false
  return async (node, signal) => {
    if (isConfirmed) return 'ready'
    // An account without code returns nothing, and a contract of version 1.0 counts the currency,
    // as each does that names no token.
    const read = async (to: Address, data: Hex): Promise<Hex | undefined> => {
      const outcome = await node.call({ to, data }, signal)
      return outcome.kind === 'reverted' || outcome.data === '0x' ? undefined : outcome.data
    }
    const [target, token, quantum] = await Promise.all([
      read(forwarder.address, encodeFunctionData(targetCall)),
      read(loan, encodeFunctionData(tokenCall)),
      unit.token === null ? undefined : read(loan, encodeFunctionData(quantumCall)),
    ])
    if (target === undefined) return 'not_allowed'
    if (!isAddressEqual(decodeFunctionResult({ ...targetCall, data: target }), loan))
      return 'not_allowed'
    const counted = token && decodeFunctionResult({ ...tokenCall, data: token })
    const parts = quantum && decodeFunctionResult({ ...quantumCall, data: quantum })
    isConfirmed =
      isAddressEqual(counted ?? zeroAddress, (unit.token?.address ?? zeroAddress) as Address) &&
      (parts ?? 1n) === getQuantum(unit)
    return isConfirmed ? 'ready' : 'other_unit'
  }
}
