import * as z from 'zod/mini'
import { data, hashParam } from '../objects/values.ts'
import { receiptProof } from '../reads/raw-data.ts'
import { exampleBlock, exampleTransaction } from './examples.ts'
import { method } from './method.ts'

export const chainGetTransactionReceiptNodesByHash = method({
  name: 'chain_getTransactionReceiptNodesByHash',
  summary: 'The nodes of the receipts trie from its root to the receipt of a transaction',
  params: { blockHash: hashParam, transactionHash: hashParam },
  result: z.nullable(z.array(data)),
  example: {
    params: [exampleBlock.hash, exampleTransaction.hash],
    result: [
      '0x4d7f10ef4737cf5419853293800e1077b012f091afbf26d2fa39a9afbedbba1e8626700600eb4bd526ad15daa032d40776bc4b721570d5ceca24b29e1f95e584bbff0b49ae00010ffd8b07',
      '0x700600eb4bd526ad15daa032d40776bc4b721570d5ceca24b29e1f95e584bbff0b49ae00010f',
    ],
  },
  lasts: () => true,
  call: ({ blockHash, transactionHash }, { ask }) =>
    ask((node) => receiptProof(node, blockHash, transactionHash)),
})
