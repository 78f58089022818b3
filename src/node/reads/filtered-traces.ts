import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { getTransactionHash } from '../objects/block.ts'
import { rawTraces, shapeTraces, type Trace } from '../objects/trace.ts'
import { matchesTraceFilter, type TraceFilter } from '../objects/trace-filter.ts'
import { toQuantity } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { readMinedBlock } from './mined-block.ts'
import { traceMinedBlock } from './traces.ts'

/** Sets how many traces RSKj skips and returns at most (TraceModuleImpl). */
const maxRskjTraces = 10_000

const blocksPerBatch = 50

/** Searches blocks in order, and stops once it has the requested traces. */
export async function searchTraces(
  node: UpstreamNode,
  from: number,
  to: number,
  filter: TraceFilter,
): Promise<Trace[]> {
  const { after, count } = filter
  const traces: Trace[] = []
  for (let start = from; start <= to && traces.length < after + count; start += blocksPerBatch) {
    const numbers = Array.from(
      { length: Math.min(blocksPerBatch, to - start + 1) },
      (_, index) => start + index,
    )
    const blocks = await Promise.all(
      numbers.map((number) => readMinedBlock(node, toQuantity(number), true)),
    )
    for (const block of blocks) {
      if (block === null) continue
      const selectedHashes = new Set(
        block.transactions.flatMap((entry) =>
          typeof entry === 'object' && matchesTraceFilter(filter, entry)
            ? [getTransactionHash(entry)]
            : [],
        ),
      )
      if (selectedHashes.size === 0 || traces.length >= after + count) continue
      const blockTraces = await traceMinedBlock(node, block)
      traces.push(...blockTraces.filter((trace) => selectedHashes.has(trace.transactionHash)))
    }
  }
  return traces.slice(after, after + count)
}

/** Filters traces on RSKj, which skips at most 10,000 and returns at most 10,000. */
export async function queryRskjTraces(
  node: UpstreamNode,
  from: number,
  to: number,
  { fromAddress, toAddress, after, count }: TraceFilter,
): Promise<Trace[]> {
  const skippedHere = Math.max(0, after - maxRskjTraces)
  if (skippedHere + count > maxRskjTraces) {
    throw new RpcError(
      codes.invalidParams,
      `after and count reach at most ${2 * maxRskjTraces} traces far: ask for fewer blocks`,
    )
  }
  const query = {
    fromBlock: toQuantity(from),
    toBlock: toQuantity(to),
    ...(fromAddress ? { fromAddress } : {}),
    ...(toAddress ? { toAddress } : {}),
    count: count + skippedHere,
    after: after - skippedHere,
  }
  const traces = shapeTraces(await node.call('trace_filter', [query], rawTraces)) ?? []
  return traces.slice(skippedHere, skippedHere + count)
}
