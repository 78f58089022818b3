import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { getQuantum, type Unit } from '../../loan/amounts.ts'
import type { ObservationReport } from '../../relay/ledger/observations.ts'
import type { Relayer } from '../../relay/relayer.ts'

export type TokenState = NonNullable<ObservationReport['facts']['token']>['state']

export type ReadToken = (relayer: Pick<Relayer, 'node' | 'clock'>) => Promise<TokenState>

/** Begins a call of `paused()`, which most tokens have that can be paused. */
const pausedSelector = '0x5c975abb'

const nodeTimeoutMs = 5_000

/**
 * Creates a reader of whether the pool's token lets the pool pay and be paid; undefined for a pool
 * of the currency. It simulates a payment of the pool to itself, of the least that is counted.
 * Issuers name their lists of blocked addresses in many ways, and none lets such a transfer
 * through; of another recipient the issuer may have blocked that alone. It throws if a node is
 * silent.
 */
export function createTokenReader({ loan, unit }: { loan: Address; unit: Unit }) {
  const { token } = unit
  if (token === null) return undefined
  const readToken: ReadToken = async ({ node, clock }) => {
    const call = async (data: Hex): Promise<Hex | undefined> => {
      const request = { from: loan, to: token.address as Address, data }
      const outcome = await node.call(request, clock.timeout(nodeTimeoutMs))
      return outcome.kind === 'returned' ? outcome.data : undefined
    }
    const mayPay = async (value: bigint): Promise<boolean> => {
      const args = [loan, value] as const
      const data = await call(encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }))
      // Some tokens return nothing.
      return data === '0x' || parseWord(data) !== 0n
    }
    const quantum = getQuantum(unit)
    if (await mayPay(quantum)) return 'moves'
    const args = [loan] as const
    const held = await call(encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args }))
    // By EIP-20 a transfer of 0 is like any other.
    if (parseWord(held) < quantum && (await mayPay(0n))) return 'moves'
    return parseWord(await call(pausedSelector)) === 0n ? 'refused' : 'paused'
  }
  return readToken
}

const parseWord = (data: Hex = '0x'): bigint => (data === '0x' ? 0n : BigInt(data))
