import * as z from 'zod/mini'
import { UntrueAnswer } from '../objects/bad-answers.ts'
import { walkBinaryProof } from '../objects/binary-trie.ts'
import {
  buildReceiptsTrie,
  collectProofNodes,
  encodeReceipt,
  encodeReceipts,
} from '../objects/receipts-trie.ts'
import { data } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import type { NodeAccess } from '../upstream/upstreams.ts'
import { readProvedBlock } from './mined-block.ts'
import { askReceiptNodes, readFacts, readProvedReceipt } from './proved-receipt.ts'
import { readReceipts } from './receipts.ts'

type Cached = Pick<NodeAccess, 'cached'>

/** Returns the RLP of a block's header as its hash proves it, or else as the node has it. */
export async function readRawHeader(node: UpstreamNode, selector: string): Promise<string | null> {
  // What is not mined yet has no header that anything could be proved with; RSKj shows a sketch.
  if (selector === 'pending') return null
  const found = await readProvedBlock(node, selector, false)
  if (found === null) return null
  if (found.proof !== undefined) return found.proof.raw
  const method = `rsk_getRawBlockHeaderBy${selector.length === 66 ? 'Hash' : 'Number'}`
  return await node.call(method, [selector], z.nullable(data))
}

/** Gives a receipt as the receipts trie of its block holds it; `null` if it does not exist. */
export async function readRawReceipt(
  node: UpstreamNode,
  hash: string,
  context: Cached,
): Promise<string | null> {
  const found = await readProvedReceipt(node, hash, context)
  if (found === null) return null
  if (found.tries !== undefined) return encodeReceipt(found.receipt, found.tries)
  return await node.call('rsk_getRawTransactionReceiptByHash', [hash], z.nullable(data))
}

/** Gives the nodes of the receipts trie from its root to a receipt, `null` if it is not there. */
export async function readReceiptProof(
  node: UpstreamNode,
  blockHash: string,
  hash: string,
  context: Cached,
): Promise<string[] | null> {
  const facts = await readFacts(node, blockHash, context)
  if (facts === null) return null
  if (facts === undefined) {
    return (await askReceiptNodes(node, blockHash, hash))?.toReversed() ?? null
  }
  const { receiptsRoot, tries, transactions } = facts
  const index = transactions.indexOf(hash)
  if (index === -1) return null
  if (tries === 'rootstock') {
    const nodes = (await askReceiptNodes(node, blockHash, hash)) ?? []
    const proof = walkBinaryProof(nodes, receiptsRoot, index)
    if (proof === undefined) throw new UntrueAnswer('a proof does not lead to its receipt')
    return proof.nodes
  }
  const receipts = await readReceipts(node, { hash: blockHash, transactions })
  return collectProofNodes(buildReceiptsTrie(encodeReceipts(receipts, receiptsRoot, tries)), index)
}
