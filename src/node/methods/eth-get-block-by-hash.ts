import * as z from 'zod/mini'
import { block } from '../objects/block.ts'
import { fullParam, hashParam } from '../objects/values.ts'
import { completeBlock } from '../reads/complete-block.ts'
import { minedBlock } from '../reads/mined-block.ts'
import { exampleBlock } from './examples.ts'
import { method } from './method.ts'

export const ethGetBlockByHash = method({
  name: 'eth_getBlockByHash',
  summary: 'A block by its hash',
  params: { hash: hashParam, full: fullParam },
  result: z.nullable(block),
  example: { params: [exampleBlock.hash, false], result: exampleBlock },
  lasts: () => true,
  call: ({ hash, full }, context) =>
    context.ask(async (node) => {
      const raw = await minedBlock(node, hash, full)
      return raw && (await completeBlock(node, raw, context))
    }),
})
