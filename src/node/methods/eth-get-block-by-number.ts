import * as z from 'zod/mini'
import { block as blockResult, pendingBlock } from '../objects/block.ts'
import { blockParam, fullParam } from '../objects/values.ts'
import { completeBlock } from '../reads/complete-block.ts'
import { minedBlock, pendingBlockOf } from '../reads/mined-block.ts'
import { exampleBlock } from './examples.ts'
import { method } from './method.ts'

export const ethGetBlockByNumber = method({
  name: 'eth_getBlockByNumber',
  summary: 'A block by its number or a tag',
  params: { block: blockParam, full: fullParam },
  result: z.nullable(blockResult),
  example: { params: ['0x2a', false], result: exampleBlock },
  call: ({ block, full }, context) =>
    context.ask(async (node) => {
      if (block === 'pending') {
        const raw = await pendingBlockOf(node, full)
        return raw && pendingBlock(raw)
      }
      const raw = await minedBlock(node, block, full)
      if (raw === null) return null
      if (block === 'latest') context.sawHead(node, Number(raw.number))
      return await completeBlock(node, raw, context)
    }),
})
