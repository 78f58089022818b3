import * as z from 'zod/mini'
import { classifyRefusal } from '../../chain/refusals.ts'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { estimateParam, nodeCall, type SimulatedCall } from '../objects/call.ts'
import { quantity, type Selector, stateBlockParam } from '../objects/values.ts'
import { atBlock, withoutBareHash } from '../reads/at-block.ts'
import { minedBlock } from '../reads/mined-block.ts'
import { simulated } from '../reads/simulation.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { exampleAccount } from './examples.ts'
import { method } from './method.ts'

/**
 * The gas that a transaction would need, by simulating it; without `to` that of a deployment. A
 * sender who could not pay gets an error, as from go-ethereum, also from nodes that do not look (RSKj
 * before 6.5.0, anvil), and so does a call that fails without a revert (RSKj).
 */
export const ethEstimateGas = method({
  name: 'eth_estimateGas',
  summary: 'The gas that a transaction needs; it is simulated and not sent',
  params: { call: estimateParam, block: z.optional(stateBlockParam) },
  result: quantity,
  example: {
    params: [
      {
        from: '0x1212121212121212121212121212121212121212',
        to: exampleAccount,
        value: '0xde0b6b3a7640000',
      },
    ],
    result: '0x5208',
  },
  call: ({ call, block }, { ask }) =>
    ask(async (node) => {
      const [estimate, funds] = await Promise.allSettled([
        estimateAt(node, call, block),
        fundsOf(node, call, block),
      ])
      if (funds.status === 'rejected') throw funds.reason
      const value = BigInt(call.value ?? 0)
      if (funds.value !== undefined && funds.value < value) {
        throw new RpcError(codes.failed, 'insufficient funds for transfer')
      }
      if (estimate.status === 'rejected') throw inOurWords(estimate.reason)
      if (await takesAll(node, call, estimate.value)) {
        throw new RpcError(codes.failed, 'gas required exceeds allowance')
      }
      const price = BigInt(call.gasPrice ?? call.maxFeePerGas ?? 0)
      if (funds.value !== undefined && funds.value < value + BigInt(estimate.value) * price) {
        throw new RpcError(codes.failed, 'insufficient funds for gas * price + value')
      }
      return estimate.value
    }),
})

/** Without a block it is the node's to choose: not every node takes one. */
function estimateAt(
  node: UpstreamNode,
  call: SimulatedCall,
  block: Selector | undefined,
): Promise<string> {
  const ask = (...at: unknown[]): Promise<string> =>
    simulated(node.call('eth_estimateGas', [nodeCall(call), ...at], quantity), call)
  return block === undefined ? ask() : atBlock(node, block, (at) => ask(withoutBareHash(node, at)))
}

/** What any transaction needs (yellow paper, G_transaction). */
const leastGas = 21_000

/**
 * RSKj estimates what halts without a revert (an invalid opcode, too little gas) at nothing, or at
 * all the gas of a block. Only an estimate that is suspiciously high is held against a block's limit.
 */
async function takesAll(
  node: UpstreamNode,
  { gas }: SimulatedCall,
  estimate: string,
): Promise<boolean> {
  if (node.profile !== 'rskj') return false
  if (Number(estimate) < leastGas) return true
  if (gas || Number(estimate) < suspiciousGas) return false
  const block = await minedBlock(node, 'latest', false)
  return block !== null && Number(estimate) >= Number(block.gasLimit)
}

/** Rootstock's blocks hold 6.8 M gas. */
const suspiciousGas = 6_000_000

/** The code that the spec names; nodes have others of their own. */
function inOurWords(error: unknown): unknown {
  if (!(error instanceof RpcError) || classifyRefusal(error) !== 'insufficient_funds') return error
  return new RpcError(codes.failed, error.message, error.data)
}

/** What the sender holds, if the call costs anything and the node tells. */
async function fundsOf(
  node: UpstreamNode,
  { from, value, gasPrice, maxFeePerGas }: SimulatedCall,
  block: Selector = 'latest',
): Promise<bigint | undefined> {
  const costs = [value, gasPrice, maxFeePerGas].some((amount) => amount && BigInt(amount) > 0n)
  if (!costs || !from) return undefined
  try {
    return BigInt(
      await atBlock(node, block, (at) => node.call('eth_getBalance', [from, at], quantity)),
    )
  } catch (error) {
    if (error instanceof RpcError) return undefined
    throw error
  }
}
