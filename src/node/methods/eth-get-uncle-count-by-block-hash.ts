import * as z from 'zod/mini'
import { hashParam, quantity } from '../objects/values.ts'
import { countInBlock } from '../reads/counts.ts'
import { exampleBlock } from './examples.ts'
import { method } from './method.ts'

/** How many uncles a block has; `null` when there is no such block. */
export const ethGetUncleCountByBlockHash = method({
  name: 'eth_getUncleCountByBlockHash',
  summary: 'The number of uncles of a block',
  params: { hash: hashParam },
  result: z.nullable(quantity),
  example: { params: [exampleBlock.hash], result: '0x0' },
  lasts: () => true,
  call: ({ hash }, { ask }) =>
    ask(
      (node) => countInBlock(node, 'eth_getUncleCountByBlockHash', hash, ({ uncles }) => uncles),
      { mayLag: true },
    ),
})
