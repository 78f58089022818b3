import { numberToHex } from 'viem'
import { onTestFinished } from 'vitest'
import { serveJsonRpc } from '../../../scripts/dev/rootstock-pool/server.ts'
import { createRpcCall } from '../../../scripts/dev/rpc.ts'
import { RpcError } from '../../../src/chain/rpc.ts'

/** Answers a question of JSON-RPC, as the node does or otherwise. */
type Through = (
  method: string,
  params: readonly unknown[],
  ask: () => Promise<unknown>,
) => Promise<unknown>

/** Opens an address of a node, for one test, that questions reach through a function. */
export async function openGate(nodeUrl: string, through: Through): Promise<string> {
  const ask = createRpcCall(nodeUrl)
  const server = await serveJsonRpc((method, params) =>
    through(method, params, () => ask(method, params)),
  )
  onTestFinished(server.stop)
  return server.url
}

/** Opens an address of a node with one gas price: anvil's changes for a moment after a block. */
export const openPricedNode = (nodeUrl: string, priceWei: bigint): Promise<string> =>
  openGate(nodeUrl, async (method, _, ask) =>
    method === 'eth_gasPrice' ? numberToHex(priceWei) : ask(),
  )

/** Opens when so many wait at it, or have left for good. */
export function barrier(count: number): { wait: () => Promise<void>; leave: () => void } {
  let missing = count
  const opened = Promise.withResolvers<void>()
  const leave = () => {
    missing--
    if (missing <= 0) opened.resolve()
  }
  const wait = () => {
    leave()
    return opened.promise
  }
  return { wait, leave }
}

/** Opens a node before an anvil that refuses what no public node would do. */
export const startPlainNode = (anvilUrl: string): Promise<string> =>
  openGate(anvilUrl, async (method, _, ask) => {
    if (method === 'web3_clientVersion') return 'RskJ/9.1.0/Linux/Java17'
    if (/^(anvil|evm|hardhat|debug)_/.test(method)) throw new RpcError(-32601, 'method not found')
    return ask()
  })
