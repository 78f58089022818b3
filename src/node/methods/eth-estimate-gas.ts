import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { type Call, estimateParam, nodeCall } from '../objects/call.ts'
import { quantity, type Selector, stateBlockParam } from '../objects/values.ts'
import { atBlock, withoutBareHash } from '../reads/at-block.ts'
import { simulated } from '../reads/simulation.ts'
import type { Node } from '../upstream/node.ts'
import { exampleAccount } from './examples.ts'
import { method } from './method.ts'

/**
 * The gas a transaction would need, by simulating it; without `to` that of a deployment. A sender who could not pay gets an error, as
 * from go-ethereum, also from nodes that do not look (RSKj before 6.5.0, anvil).
 */
export const ethEstimateGas = method({
  name: 'eth_estimateGas',
  summary: 'The gas that a transaction needs; it is simulated and not sent',
  params: { call: estimateParam, block: stateBlockParam.optional() },
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
      const price = BigInt(call.gasPrice ?? call.maxFeePerGas ?? 0)
      if (funds.value !== undefined && funds.value < value + BigInt(estimate.value) * price) {
        throw new RpcError(codes.failed, 'insufficient funds for gas * price + value')
      }
      return estimate.value
    }),
})

/** Without a block it is the node's to choose: not every node takes one. */
function estimateAt(node: Node, call: Call, block: Selector | undefined): Promise<string> {
  const ask = (...at: unknown[]): Promise<string> =>
    simulated(node.call('eth_estimateGas', [nodeCall(call), ...at], quantity))
  return block === undefined ? ask() : atBlock(node, block, (at) => ask(withoutBareHash(node, at)))
}

/** The code that the spec names; nodes have others of their own. */
function inOurWords(error: unknown): unknown {
  if (!(error instanceof RpcError) || !/insufficient funds/i.test(error.message)) return error
  return new RpcError(codes.failed, error.message, error.data)
}

/** What the sender holds, if the call costs anything and the node tells. */
async function fundsOf(
  node: Node,
  { from, value, gasPrice, maxFeePerGas }: Call,
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
