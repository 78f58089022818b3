import { z } from 'zod'
import { block, rawBlock, shapeBlock } from '../block.ts'
import { method } from '../method.ts'
import { hashParam } from '../values.ts'

/** A block with its transactions, or with their hashes only; `null` when there is none. */
export const ethGetBlockByHash = method({
  name: 'eth_getBlockByHash',
  summary: 'A block by its hash',
  params: { hash: hashParam, full: z.boolean({ error: 'must be true or false' }).default(false) },
  result: block.nullable(),
  call: ({ hash, full }, { ask }) =>
    ask(async (node) => {
      const raw = await node.call('eth_getBlockByHash', [hash, full], rawBlock.nullable())
      return raw === null ? null : shapeBlock(raw, false)
    }),
})
