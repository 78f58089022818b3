import { createRpcCall, type RpcCall } from '../../../../scripts/dev/rpc.ts'
import { sender } from './anvil-rpc.ts'

/** Names a node with accounts of its own to send from, in place of anvil (`TEST_NODE_URL`). */
export const namedNodeUrl = process.env.TEST_NODE_URL

/** Asks a node that is no anvil for what tests ask of anvil: to make blocks, and to send. */
export function askNamedNode(url: string): RpcCall {
  const ask = createRpcCall(url)
  return async (method, params = []) => {
    if (method === 'anvil_mine') {
      for (let count = Number(params[0]); count > 0; count -= 1) await ask('evm_mine')
      return null
    }
    if (method !== 'eth_sendTransaction') return ask(method, params)
    const [own] = (await ask('eth_accounts')) as string[]
    const [call] = params as { from: string }[]
    const gasPrice = await ask('eth_gasPrice')
    const from = call?.from === sender ? own : call?.from
    return ask(method, [{ gas: '0xf4240', gasPrice, ...call, from }])
  }
}
