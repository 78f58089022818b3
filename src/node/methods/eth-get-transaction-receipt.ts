import * as z from 'zod/mini'
import { rawReceipt, receipt, shapeReceipt } from '../objects/receipt.ts'
import { rawTransaction } from '../objects/transaction.ts'
import { UntrueAnswer } from '../objects/untrue-answer.ts'
import { hashParam } from '../objects/values.ts'
import { lookUp } from '../reads/lookup.ts'
import { exampleReceipt, exampleTransaction } from './examples.ts'
import { method } from './method.ts'

export const ethGetTransactionReceipt = method({
  name: 'eth_getTransactionReceipt',
  summary: 'The receipt of a transaction by its hash',
  params: { hash: hashParam },
  result: z.nullable(receipt),
  example: { params: [exampleTransaction.hash], result: exampleReceipt },
  lasts: (_, { blockNumber }, isDeep) => isDeep(blockNumber),
  call: ({ hash }, { ask }) =>
    ask(async (node) => {
      const raw = await lookUp(node, 'eth_getTransactionReceipt', [hash], z.nullable(rawReceipt))
      if (raw === null) return null
      if (raw.transactionHash !== hash) {
        throw new UntrueAnswer('the receipt of another transaction came')
      }
      if (raw.effectiveGasPrice) return shapeReceipt(raw, raw.effectiveGasPrice)
      const { gasPrice } = await node.call('eth_getTransactionByHash', [hash], rawTransaction)
      return shapeReceipt(raw, gasPrice)
    }),
})
