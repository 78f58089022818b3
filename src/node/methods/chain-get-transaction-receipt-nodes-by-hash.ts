import { z } from 'zod'
import { method } from '../method.ts'
import { receiptProof } from '../raw.ts'
import { data, hashParam } from '../values.ts'

/** The nodes of a block's receipts trie from its root down to one receipt. */
export const chainGetTransactionReceiptNodesByHash = method({
  name: 'chain_getTransactionReceiptNodesByHash',
  summary: 'The nodes of the receipts trie from its root to the receipt of a transaction',
  params: { blockHash: hashParam, transactionHash: hashParam },
  result: z.array(data).nullable(),
  lasts: () => true,
  call: ({ blockHash, transactionHash }, { ask }) =>
    ask((node) => receiptProof(node, blockHash, transactionHash), { mayLag: true }),
})
