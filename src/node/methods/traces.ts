import * as z from 'zod/mini'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { trace } from '../objects/trace.ts'
import { maxTraceBlocks, traceFilterParam } from '../objects/trace-filter.ts'
import {
  hashParam,
  isBlockHash,
  minedBlockOrHashParam,
  toBlockNumber,
  toQuantity,
} from '../objects/values.ts'
import { readState } from '../reads/at-block.ts'
import { queryRskjTraces, searchTraces } from '../reads/filtered-traces.ts'
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
  defineMethod({
    name: 'trace_filter',
    summary: 'The traces of the transactions between two blocks with a given sender or receiver',
    params: { filter: traceFilterParam },
    result: z.array(trace),
    async call({ filter }, { ask, readHead }) {
      const latest = [filter.fromBlock, filter.toBlock].includes('latest') ? await readHead() : 0
      const from = toBlockNumber(filter.fromBlock, latest)
      const to = toBlockNumber(filter.toBlock, latest)
      if (to - from > maxTraceBlocks) {
        const [first, last] = [toQuantity(from), toQuantity(from + maxTraceBlocks)]
        const words = `a range has at most ${maxTraceBlocks} blocks: try blocks ${first} to ${last}`
        throw new RpcError(codes.invalidParams, words)
      }
      if (from > to || filter.count === 0) return []
      return await ask((node) => {
        node.markUnproved('unprovable')
        const readTraces = node.kind === 'rskj' ? queryRskjTraces : searchTraces
        return readTraces(node, from, to, filter)
      })
    },
  }),
]
