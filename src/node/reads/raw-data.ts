import { type Hex, keccak256 } from 'viem'
import * as z from 'zod/mini'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { MalformedAnswer } from '../objects/bad-answers.ts'
import { hashOf } from '../objects/block.ts'
import { verifiedHeader } from '../objects/header.ts'
import { rawReceipt } from '../objects/receipt.ts'
import { encodeReceipt, proofNodes, verifiedTrie } from '../objects/receipts-trie.ts'
import { data } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { lookUp } from './lookup.ts'
import { minedBlock } from './mined-block.ts'
import { receiptsOf } from './receipts.ts'

/** Gives the RLP of a block's header, rebuilt and proved on an Ethereum node. */
export async function rawHeader(node: UpstreamNode, selector: string): Promise<string | null> {
  // What is not mined yet has no header that anything could be proved with; RSKj shows a sketch.
  if (selector === 'pending') return null
  const byHash = selector.length === 66
  if (node.profile === 'rskj') {
    const method = byHash ? 'rsk_getRawBlockHeaderByHash' : 'rsk_getRawBlockHeaderByNumber'
    return await node.call(method, [selector], z.nullable(data))
  }
  const block = await minedBlock(node, selector, false)
  return block && verifiedHeader(block)
}

/** A receipt as the receipts trie of its block holds it; `null` if it does not exist. */
export async function rawTransactionReceipt(
  node: UpstreamNode,
  hash: string,
): Promise<string | null> {
  if (node.profile === 'rskj') {
    return await node.call('rsk_getRawTransactionReceiptByHash', [hash], z.nullable(data))
  }
  const receipt = await lookUp(node, 'eth_getTransactionReceipt', [hash], z.nullable(rawReceipt))
  const found = receipt && (await provable(node, receipt.blockHash, hash))
  return found && encodeReceipt(found.receipt)
}

/** Gives the nodes of the receipts trie from its root to a receipt, `null` if it is not there. */
export async function receiptProof(
  node: UpstreamNode,
  blockHash: string,
  hash: string,
): Promise<string[] | null> {
  if (node.profile === 'rskj') return await proofFromRskj(node, blockHash, hash)
  const found = await provable(node, blockHash, hash)
  return found && proofNodes(found.trie, found.index)
}

async function proofFromRskj(
  node: UpstreamNode,
  blockHash: string,
  hash: string,
): Promise<string[] | null> {
  try {
    const nodes = await node.call(
      'rsk_getTransactionReceiptNodesByHash',
      [blockHash, hash],
      z.nullable(z.array(data)),
    )
    return nodes && (await fromRoot(node, blockHash, nodes))
  } catch (error) {
    // RSKj looks for the transaction in a block that it does not have (Web3InformationRetriever).
    const failed = error instanceof RpcError && error.code === codes.internal
    if (failed && (await minedBlock(node, blockHash, false)) === null) return null
    throw error
  }
}

/** RSKj answers from the leaf to the root; that may change, so the root itself is looked for. */
async function fromRoot(node: UpstreamNode, blockHash: string, nodes: string[]): Promise<string[]> {
  const block = await minedBlock(node, blockHash, false).catch(() => null)
  const [root = '0x'] = nodes as Hex[]
  const isFromRoot = block !== null && keccak256(root) === block.receiptsRoot
  return isFromRoot ? nodes : nodes.toReversed()
}

async function provable(node: UpstreamNode, blockHash: string, hash: string) {
  const block = await minedBlock(node, blockHash, false)
  if (block === null) return null
  const index = block.transactions.findIndex((entry) => hashOf(entry) === hash)
  if (index === -1) return null
  const receipts = await receiptsOf(node, block)
  const trie = verifiedTrie(receipts, block.receiptsRoot)
  const receipt = receipts[index]
  if (receipt === undefined) throw new MalformedAnswer('a block lacks a receipt')
  return { trie, index, receipt }
}
