import { orNull } from '../../runtime/json.ts'
import { buildReceiptsTrie, collectProofNodes, listReceiptForms } from '../objects/receipts-trie.ts'
import { data, isBlockHash } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { readProvedBlock } from './mined-block.ts'
import {
  askReceiptNodes,
  type CacheAccess,
  readBlockFacts,
  readProvedReceipt,
  readProvedReceipts,
  walkReceiptProof,
} from './receipts.ts'

/** Reads a block's header in RLP, proved by its hash, or else as the node returns it. */
export async function readRawHeader(node: UpstreamNode, selector: string): Promise<string | null> {
  // A pending block has no final header; RSKj would return a draft.
  if (selector === 'pending') return null
  const provedBlock = await readProvedBlock(node, selector, false)
  if (provedBlock === null) return null
  if (provedBlock.proof !== undefined) return provedBlock.proof.raw
  const method = `rsk_getRawBlockHeaderBy${isBlockHash(selector) ? 'Hash' : 'Number'}`
  return await node.call(method, [selector], orNull(data))
}

/** Reads a receipt as encoded in its block's receipts trie; `null` if it does not exist. */
export async function readRawReceipt(
  node: UpstreamNode,
  hash: string,
  context: CacheAccess,
): Promise<string | null> {
  const provedReceipt = await readProvedReceipt(node, hash, context)
  if (provedReceipt === null) return null
  const { receipt, trieKind } = provedReceipt
  if (trieKind !== undefined) return listReceiptForms(receipt, trieKind)[0]
  return await node.call('rsk_getRawTransactionReceiptByHash', [hash], orNull(data))
}

/** Reads the nodes of the receipts trie from its root to a receipt; `null` without one. */
export async function readReceiptProof(
  node: UpstreamNode,
  blockHash: string,
  hash: string,
  context: CacheAccess,
): Promise<string[] | null> {
  const facts = await readBlockFacts(node, blockHash, context)
  if (facts === null) return null
  if (facts === undefined) {
    return (await askReceiptNodes(node, blockHash, hash))?.toReversed() ?? null
  }
  const { receiptsRoot, trieKind, transactions } = facts
  const index = transactions.indexOf(hash)
  if (index === -1) return null
  if (trieKind === 'rootstock') {
    const nodes = (await askReceiptNodes(node, blockHash, hash)) ?? []
    return walkReceiptProof(nodes, receiptsRoot, index).nodes
  }
  const { encoded = [] } = await readProvedReceipts(node, facts, trieKind)
  return collectProofNodes(buildReceiptsTrie(encoded), index)
}
