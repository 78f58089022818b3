import { z } from 'zod'
import { block as blockResult, rawBlock, shapeBlock } from '../block.ts'
import { method } from '../method.ts'
import { blockParam } from '../values.ts'

/** A block with its transactions, or with their hashes only; `null` when there is none. */
export const ethGetBlockByNumber = method({
  name: 'eth_getBlockByNumber',
  summary: 'A block by its number or a tag',
  params: { block: blockParam, full: z.boolean({ error: 'must be true or false' }).default(false) },
  result: blockResult.nullable(),
  call: ({ block, full }, { ask }) =>
    ask(async (node) => {
      const raw = await node.call('eth_getBlockByNumber', [block, full], rawBlock.nullable())
      return raw === null ? null : shapeBlock(raw, block === 'pending')
    }),
})
