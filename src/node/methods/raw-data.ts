import * as z from 'zod/mini'
import { blockParam, data, hashParam } from '../objects/values.ts'
import { readRawHeader, readRawReceipt, readReceiptProof } from '../reads/raw-data.ts'
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
