import * as z from 'zod/mini'
import { trace } from '../objects/trace.ts'
import { isHash, minedBlockOrHashParam } from '../objects/values.ts'
import { tracesOfBlock } from '../reads/traces.ts'
import { exampleBlock, exampleTraces } from './examples.ts'
import { method } from './method.ts'

export const traceBlock = method({
  name: 'trace_block',
  summary: 'The traces of all transactions of a block',
  params: { block: minedBlockOrHashParam },
  result: z.nullable(z.array(trace)),
  example: { params: [exampleBlock.hash], result: exampleTraces },
  lasts: ({ block }) => isHash(block),
  call: ({ block }, { ask }) => ask((node) => tracesOfBlock(node, block)),
})
