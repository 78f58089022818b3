import { hashOf } from '../objects/block.ts'
import { rawTraces, shapeTraces, type Trace } from '../objects/trace.ts'
import { selects, type TraceFilter } from '../objects/trace-filter.ts'
import { toQuantity } from '../objects/values.ts'
import type { Node } from '../upstream/node.ts'
import { minedBlock } from './mined-block.ts'
import { tracesOfMinedBlock } from './traces.ts'

/** RSKj refuses a larger `after` (TraceModuleImpl): its blocks are looked through from here then. */
export const maxSkippedByRskj = 10_000

/** Blocks that are looked through at a time: one batch. */
const blocksAtOnce = 50

/** Looks through blocks in order and stops as soon as it has what was asked for. */
export async function filterTraces(
  node: Node,
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
      numbers.map((number) => minedBlock(node, toQuantity(number), true)),
    )
    for (const block of blocks) {
      if (block === null) continue
      const selected = new Set(
        block.transactions.flatMap((entry) =>
          typeof entry === 'object' && selects(filter, entry) ? [hashOf(entry)] : [],
        ),
      )
      if (selected.size === 0 || found.length >= after + count) continue
      const traces = await tracesOfMinedBlock(node, block)
      found.push(...traces.filter(({ transactionHash }) => selected.has(transactionHash)))
    }
  }
  return found.slice(after, after + count)
}

/** RSKj selects in the same way; its blocks need not be looked through from here, mostly. */
export async function passFilter(
  node: Node,
  from: number,
  to: number,
  { fromAddress, toAddress, after, count }: TraceFilter,
): Promise<Trace[]> {
  const query = {
    fromBlock: toQuantity(from),
    toBlock: toQuantity(to),
    ...(fromAddress ? { fromAddress } : {}),
    ...(toAddress ? { toAddress } : {}),
    count,
    after,
  }
  return (shapeTraces(await node.call('trace_filter', [query], rawTraces)) ?? []).slice(0, count)
}
