import * as z from 'zod/mini'
import { rawTransaction, shapeTransaction, transaction } from '../objects/transaction.ts'
import { UntrueAnswer } from '../objects/untrue-answer.ts'
import { hashParam } from '../objects/values.ts'
import { lookUp } from '../reads/lookup.ts'
import { exampleTransaction } from './examples.ts'
import { method } from './method.ts'

export const ethGetTransactionByHash = method({
  name: 'eth_getTransactionByHash',
  summary: 'A transaction by its hash',
  params: { hash: hashParam },
  result: z.nullable(transaction),
  example: { params: [exampleTransaction.hash], result: exampleTransaction },
  lasts: (_, { blockNumber }, isDeep) => blockNumber !== null && isDeep(blockNumber),
  call: ({ hash }, { ask }) =>
    ask(async (node) => {
      const raw = await lookUp(node, 'eth_getTransactionByHash', [hash], z.nullable(rawTransaction))
      if (raw === null) return null
      if (raw.hash !== hash) throw new UntrueAnswer('another transaction came than was asked for')
      return shapeTransaction(raw)
    }),
})
