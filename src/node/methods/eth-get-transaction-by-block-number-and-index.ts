import * as z from 'zod/mini'
import { rawTransaction, shapeTransaction, transaction } from '../objects/transaction.ts'
import { blockParam, quantityParam } from '../objects/values.ts'
import { lookUp } from '../reads/lookup.ts'
import { pendingBlockOf } from '../reads/mined-block.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { exampleTransaction } from './examples.ts'
import { method } from './method.ts'

const name = 'eth_getTransactionByBlockNumberAndIndex'

export const ethGetTransactionByBlockNumberAndIndex = method({
  name,
  summary: 'A transaction by the number of its block and its position there',
  params: { block: blockParam, index: quantityParam },
  result: z.nullable(transaction),
  example: { params: ['0x2a', '0x0'], result: exampleTransaction },
  call: ({ block, index }, { ask }) =>
    ask(async (node) => {
      if (block === 'pending') return await pendingTransaction(node, Number(index))
      const raw = await lookUp(node, name, [block, index], z.nullable(rawTransaction))
      return raw && shapeTransaction(raw)
    }),
})

/** RSKj counts positions in its pool instead of its pending block. */
async function pendingTransaction(node: UpstreamNode, index: number) {
  const entry = (await pendingBlockOf(node, true))?.transactions[index]
  return typeof entry === 'object' ? shapeTransaction(entry, true) : null
}
