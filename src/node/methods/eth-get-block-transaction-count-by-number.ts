import * as z from 'zod/mini'
import { blockParam, quantity } from '../objects/values.ts'
import { countInBlock } from '../reads/counts.ts'
import { method } from './method.ts'

/** How many transactions a block has; `null` when there is no such block. */
export const ethGetBlockTransactionCountByNumber = method({
  name: 'eth_getBlockTransactionCountByNumber',
  summary: 'The number of transactions of a block',
  params: { block: blockParam },
  result: z.nullable(quantity),
  example: { params: ['0x2a'], result: '0x5' },
  call: ({ block }, { ask }) =>
    ask(
      (node) =>
        countInBlock(
          node,
          'eth_getBlockTransactionCountByNumber',
          block,
          ({ transactions }) => transactions,
        ),
      { mayLag: true },
    ),
})
