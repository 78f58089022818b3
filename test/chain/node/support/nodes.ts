import { createMPTFromProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem'
import { startAnvil } from '../../../../scripts/dev/anvil.ts'
import { type RpcCall, rpcTo } from '../../../../scripts/dev/rpc.ts'
import { startAnvilForRskj, startRskjNode } from '../../../support/rskj-node/start.ts'
import { legacyRpc } from './anvil-rpc.ts'

/** A node that the tests of the service run before, and what is its own in its answers. */
export type NodeKind = {
  name: string
  start: () => Promise<StartedNode>
  client: RegExp
  protocolVersion: string
  /** Transactions that the node itself puts at the end of each block. */
  ownTransactions: number
  /** Fields of a block that others cannot have the same; given as the node prints it. */
  blockFields: (printed: Record<string, unknown>) => Record<string, unknown>
  /** What a proof from the root leads to at a position: the raw receipt, or its hash. */
  proven: (nodes: readonly Hex[], index: number, raw: Hex) => Promise<unknown>
}

export type StartedNode = {
  url: string
  /** Asks past the service; makes blocks and transactions. */
  direct: RpcCall
  stop: () => Promise<void>
}

/** anvil: an Ethereum node. */
export const anvil: NodeKind = {
  name: 'anvil',
  async start() {
    const { url, stop } = await startAnvil()
    return { url, stop, direct: rpcTo(url) }
  },
  client: /^anvil/,
  protocolVersion: '0x1',
  ownTransactions: 0,
  blockFields: ({ baseFeePerGas }) => ({
    minimumGasPrice: baseFeePerGas,
    cumulativeDifficulty: '0x0',
    totalDifficulty: '0x0',
    hashForMergedMining: null,
    bitcoinMergedMiningHeader: null,
    bitcoinMergedMiningCoinbaseTransaction: null,
    bitcoinMergedMiningMerkleProof: null,
  }),
  async proven(nodes, index) {
    const trie = await createMPTFromProof(nodes.map((node) => hexToBytes(node)))
    const value = await trie.get(RLP.encode(index))
    return value && bytesToHex(value)
  },
}

/** What makes and takes away blocks is anvil's, which is behind the node. */
const makesBlocks = /^(?:anvil|evm)_|^eth_(?:sendTransaction|getRawTransactionByHash)$/

/** Without a base fee anvil's own puts the same empty blocks in the place of those it takes away. */
async function reorganize(chain: RpcCall, params: readonly unknown[]): Promise<unknown> {
  const [depth, transactions] = params as [number, unknown[]]
  if (transactions.length > 0) return await chain('anvil_reorg', params)
  await chain('anvil_rollback', [depth])
  await chain('evm_increaseTime', ['0x5'])
  return await chain('anvil_mine', [`0x${depth.toString(16)}`])
}

/** Starts two nodes with RSKj's ways and refusals, and the anvil behind them. */
export async function startRskjChain() {
  const behind = await startAnvilForRskj()
  const node = await startRskjNode(behind.url)
  const second = await startRskjNode(behind.url)
  return {
    /** Asks the anvil, which makes the blocks. */
    chain: legacyRpc(behind.url),
    anvilUrl: behind.url,
    node,
    second,
    async stop() {
      await Promise.all([node.stop(), second.stop()])
      await behind.stop()
    },
  }
}

/** A node with RSKj's ways and refusals. */
const rskj: NodeKind = {
  name: 'RSKj',
  async start() {
    const { chain, node, stop } = await startRskjChain()
    const own = rpcTo(node.url)
    return {
      url: node.url,
      stop,
      direct(method, params = []) {
        if (method === 'anvil_reorg') return reorganize(chain, params)
        return makesBlocks.test(method) ? chain(method, params) : own(method, params)
      },
    }
  },
  client: /^RskJ/,
  protocolVersion: '0x3e',
  ownTransactions: 1,
  blockFields: (printed) => {
    const { number, minimumGasPrice, hashForMergedMining, bitcoinMergedMiningHeader } = printed
    return {
      minimumGasPrice,
      cumulativeDifficulty: '0x1',
      totalDifficulty: `0x${(Number(number) + 1).toString(16)}`,
      hashForMergedMining,
      bitcoinMergedMiningHeader,
      bitcoinMergedMiningMerkleProof: '0x',
    }
  },
  // A long value is in a leaf by its hash and its length (RSKIP107).
  async proven(nodes, _, raw) {
    const length = (raw.length / 2 - 1).toString(16).padStart(6, '0')
    return nodes.at(-1)?.endsWith(`${keccak256(raw).slice(2)}${length}`) ? raw : undefined
  },
}

/** Each row of the conformance table's methods and events runs before each of these. */
export const nodeKinds: readonly NodeKind[] = [anvil, rskj]
