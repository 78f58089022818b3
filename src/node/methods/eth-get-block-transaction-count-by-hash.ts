import * as z from 'zod/mini'
import { hashParam, quantity } from '../objects/values.ts'
import { countInBlock } from '../reads/counts.ts'
import { exampleBlock } from './examples.ts'
import { method } from './method.ts'

/** How many transactions a block has; `null` when there is no such block. */
export const ethGetBlockTransactionCountByHash = method({
  name: 'eth_getBlockTransactionCountByHash',
  summary: 'The number of transactions of a block',
  params: { hash: hashParam },
  result: z.nullable(quantity),
  example: { params: [exampleBlock.hash], result: '0x5' },
  lasts: () => true,
  call: ({ hash }, { ask }) =>
    ask(
      (node) =>
        countInBlock(
          node,
          'eth_getBlockTransactionCountByHash',
          hash,
          ({ transactions }) => transactions,
        ),
      { mayLag: true },
    ),
})
