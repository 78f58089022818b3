import * as z from 'zod/mini'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { trace } from '../objects/trace.ts'
import { maxTraceBlocks, traceFilterParam } from '../objects/trace-filter.ts'
import { toQuantity } from '../objects/values.ts'
import { filterTraces, passFilter } from '../reads/filtered-traces.ts'
import { exampleAccount, exampleTraces } from './examples.ts'
import { method } from './method.ts'

export const traceFilter = method({
  name: 'trace_filter',
  summary: 'The traces of the transactions between two blocks with a given sender or receiver',
  params: { filter: traceFilterParam },
  result: z.array(trace),
  example: {
    params: [{ fromBlock: '0x2a', toBlock: '0x2a', fromAddress: exampleAccount, count: 1 }],
    result: exampleTraces,
  },
  async call({ filter }, { ask, head }) {
    const latest = [filter.fromBlock, filter.toBlock].includes('latest') ? await head() : 0
    const from = numberOf(filter.fromBlock, latest)
    const to = numberOf(filter.toBlock, latest)
    if (to - from > maxTraceBlocks) {
      const [first, last] = [toQuantity(from), toQuantity(from + maxTraceBlocks)]
      throw new RpcError(
        codes.invalidParams,
        `a range has at most ${maxTraceBlocks} blocks: try blocks ${first} to ${last}`,
      )
    }
    if (from > to || filter.count === 0) return []
    return await ask((node) =>
      node.profile === 'rskj'
        ? passFilter(node, from, to, filter)
        : filterTraces(node, from, to, filter),
    )
  },
})

function numberOf(block: string, latest: number): number {
  if (block === 'earliest') return 0
  return block === 'latest' ? latest : Number(block)
}
