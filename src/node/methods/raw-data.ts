import * as z from 'zod/mini'
import { orNull } from '../../runtime/json.ts'
import { listReceiptForms } from '../objects/receipts-trie.ts'
import { blockParam, data, hashParam, isBlockHash } from '../objects/values.ts'
import { readProvedBlock } from '../reads/mined-block.ts'
import { type CacheAccess, readProvedReceipt, readReceiptProof } from '../reads/receipts.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { defineMethod } from './method.ts'

export const rawDataMethods = [
  defineMethod({
    name: 'chain_getRawBlockHeaderByHash',
    summary: 'The RLP-encoded header of a block, by its hash',
    params: { hash: hashParam },
    result: z.nullable(data),
    isImmutable: () => true,
    isFullyProved: true,
    call: ({ hash }, { ask }) => ask((node) => readRawHeader(node, hash)),
  }),
  defineMethod({
    name: 'chain_getRawBlockHeaderByNumber',
    summary: 'The RLP-encoded header of a block, by its number or a tag',
    params: { block: blockParam },
    result: z.nullable(data),
    isImmutable: ({ block }, isFinal) => block.startsWith('0x') && isFinal(block),
    call: ({ block }, { ask }) => ask((node) => readRawHeader(node, block)),
  }),
  defineMethod({
    name: 'chain_getRawTransactionReceiptByHash',
    summary: 'The RLP-encoded receipt of a transaction',
    params: { hash: hashParam },
    result: z.nullable(data),
    call: ({ hash }, context) => context.ask((node) => readRawReceipt(node, hash, context)),
  }),
  defineMethod({
    name: 'chain_getTransactionReceiptNodesByHash',
    summary: 'The nodes of the receipts trie from its root to the receipt of a transaction',
    params: { blockHash: hashParam, transactionHash: hashParam },
    result: z.nullable(z.array(data)),
    isImmutable: () => true,
    isFullyProved: true,
    call: ({ blockHash, transactionHash }, context) =>
      context.ask((node) => readReceiptProof(node, blockHash, transactionHash, context)),
  }),
]

/** Reads a block's header in RLP, proved by its hash, or else as the node returns it. */
async function readRawHeader(node: UpstreamNode, selector: string): Promise<string | null> {
  // A pending block has no final header; RSKj would return a draft.
  if (selector === 'pending') return null
  const provedBlock = await readProvedBlock(node, selector, false)
  if (provedBlock === null) return null
  if (provedBlock.proof !== undefined) return provedBlock.proof.raw
  const method = `rsk_getRawBlockHeaderBy${isBlockHash(selector) ? 'Hash' : 'Number'}`
  return await node.call(method, [selector], orNull(data))
}

/** Reads a receipt as encoded in its block's receipts trie; `null` if it does not exist. */
async function readRawReceipt(node: UpstreamNode, hash: string, context: CacheAccess) {
  const provedReceipt = await readProvedReceipt(node, hash, context)
  if (provedReceipt === null) return null
  const { receipt, trieKind } = provedReceipt
  if (trieKind !== undefined) return listReceiptForms(receipt, trieKind)[0]
  return await node.call('rsk_getRawTransactionReceiptByHash', [hash], orNull(data))
}
