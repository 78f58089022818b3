import * as z from 'zod/mini'
import { rawTransaction, shapeTransaction, transaction } from '../objects/transaction.ts'
import { UntrueAnswer } from '../objects/untrue-answer.ts'
import { hashParam, quantityParam } from '../objects/values.ts'
import { lookUp } from '../reads/lookup.ts'
import { exampleBlock, exampleTransaction } from './examples.ts'
import { method } from './method.ts'

export const ethGetTransactionByBlockHashAndIndex = method({
  name: 'eth_getTransactionByBlockHashAndIndex',
  summary: 'A transaction by the hash of its block and its position there',
  params: { hash: hashParam, index: quantityParam },
  result: z.nullable(transaction),
  example: { params: [exampleBlock.hash, '0x0'], result: exampleTransaction },
  lasts: () => true,
  call: ({ hash, index }, { ask }) =>
    ask(async (node) => {
      const raw = await lookUp(
        node,
        'eth_getTransactionByBlockHashAndIndex',
        [hash, index],
        z.nullable(rawTransaction),
      )
      if (raw === null) return null
      if (raw.blockHash !== hash) throw new UntrueAnswer('a transaction came from another block')
      return shapeTransaction(raw)
    }),
})
