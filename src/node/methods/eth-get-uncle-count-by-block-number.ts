import * as z from 'zod/mini'
import { blockParam, quantity } from '../objects/values.ts'
import { countInBlock } from '../reads/counts.ts'
import { method } from './method.ts'

/** How many uncles a block has; `null` when there is no such block. */
export const ethGetUncleCountByBlockNumber = method({
  name: 'eth_getUncleCountByBlockNumber',
  summary: 'The number of uncles of a block',
  params: { block: blockParam },
  result: z.nullable(quantity),
  example: { params: ['0x2a'], result: '0x0' },
  call: ({ block }, { ask }) =>
    ask(
      (node) => countInBlock(node, 'eth_getUncleCountByBlockNumber', block, ({ uncles }) => uncles),
      { mayLag: true },
    ),
})
