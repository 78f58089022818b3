import * as z from 'zod/mini'
import { trace } from '../objects/trace.ts'
import { hashParam, isBlockHash, minedBlockOrHashParam, toQuantity } from '../objects/values.ts'
import { readState } from '../reads/at-block.ts'
import { traceBlock, traceTransaction } from '../reads/traces.ts'
import { defineMethod } from './method.ts'

export const traceMethods = [
  defineMethod({
    name: 'trace_block',
    summary: 'The traces of all transactions of a block',
    params: { block: minedBlockOrHashParam },
    result: z.nullable(z.array(trace)),
    isImmutable: ({ block }) => isBlockHash(block),
    call: ({ block }, context) => readState(context, block, traceBlock),
  }),
  defineMethod({
    name: 'trace_transaction',
    summary: 'The traces of a transaction',
    params: { hash: hashParam },
    result: z.nullable(z.array(trace)),
    isImmutable: (_, isFinal, answer) =>
      answer?.[0] !== undefined && isFinal(toQuantity(answer[0].blockNumber)),
    call: ({ hash }, context) => readState(context, hash, (node) => traceTransaction(node, hash)),
  }),
]
