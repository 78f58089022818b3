import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { findHash } from '../objects/block.ts'
import { rawTraces, shapeTraces, type Trace } from '../objects/trace.ts'
import { matchesTraceFilter, type TraceFilter } from '../objects/trace-filter.ts'
import { toQuantity } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { readMinedBlock } from './mined-block.ts'
import { traceMinedBlock } from './traces.ts'

/** Sets how many traces RSKj skips and returns at most (TraceModuleImpl). */
const maxRskjTraces = 10_000

/** Sets how many blocks are read at a time, in one batch. */
const blocksAtOnce = 50

/** Searches blocks in order, and stops once it has the requested traces. */
export async function filterTraces(
  node: UpstreamNode,
  from: number,
  to: number,
  filter: TraceFilter,
): Promise<Trace[]> {
  const { after, count } = filter
  const found: Trace[] = []
  for (let start = from; start <= to && found.length < after + count; start += blocksAtOnce) {
    const numbers = Array.from(
      { length: Math.min(blocksAtOnce, to - start + 1) },
      (_, index) => start + index,
    )
    const blocks = await Promise.all(
      numbers.map((number) => readMinedBlock(node, toQuantity(number), true)),
    )
    for (const block of blocks) {
      if (block === null) continue
      const selected = new Set(
        block.transactions.flatMap((entry) =>
          typeof entry === 'object' && matchesTraceFilter(filter, entry) ? [findHash(entry)] : [],
        ),
      )
      if (selected.size === 0 || found.length >= after + count) continue
      const traces = await traceMinedBlock(node, block)
      found.push(...traces.filter(({ transactionHash }) => selected.has(transactionHash)))
    }
  }
  return found.slice(after, after + count)
}

/** Passes the filter to RSKj, which skips and returns 10,000 traces at most; refuses more. */
export async function passFilter(
  node: UpstreamNode,
  from: number,
  to: number,
  { fromAddress, toAddress, after, count }: TraceFilter,
): Promise<Trace[]> {
  const skipped = Math.max(0, after - maxRskjTraces)
  if (skipped + count > maxRskjTraces) {
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
    count: count + skipped,
    after: after - skipped,
  }
  const traces = shapeTraces(await node.call('trace_filter', [query], rawTraces)) ?? []
  return traces.slice(skipped, skipped + count)
}
