import * as z from 'zod/mini'
import { trace } from '../objects/trace.ts'
import { hashParam, toQuantity } from '../objects/values.ts'
import { tracesOfTransaction } from '../reads/traces.ts'
import { exampleTraces, exampleTransaction } from './examples.ts'
import { method } from './method.ts'

export const traceTransaction = method({
  name: 'trace_transaction',
  summary: 'The traces of a transaction',
  params: { hash: hashParam },
  result: z.nullable(z.array(trace)),
  example: { params: [exampleTransaction.hash], result: exampleTraces },
  lasts: (_, [first], isDeep) => first !== undefined && isDeep(toQuantity(first.blockNumber)),
  call: ({ hash }, { ask }) => ask((node) => tracesOfTransaction(node, hash)),
})
