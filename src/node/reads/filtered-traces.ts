import { z } from 'zod'
import { hashOf, minedBlock } from '../objects/block.ts'
import type { rawTransaction } from '../objects/transaction.ts'
import { addressParam, minedBlockParam, quantityParam, toQuantity } from '../objects/values.ts'
import type { Node } from '../upstream/node.ts'
import { rawTraces, shapeTraces, type Trace, tracesOfMinedBlock } from './traces.ts'

/** The widest range and the most traces of one answer. */
export const maxTraceBlocks = 2_000
export const maxTraces = 100

/** RSKj refuses a larger `after` (TraceModuleImpl): its blocks are looked through from here then. */
export const maxSkippedByRskj = 10_000

/** Blocks that are looked through at a time: one batch. */
const blocksAtOnce = 50

const addresses = z
  .union([addressParam, z.array(addressParam).max(1_000)], {
    error: 'must be an address or an array of addresses',
  })
  .nullish()

const countError = { error: `must be a number from 0 to ${maxTraces}` }
const offsetError = { error: 'must be a number that is not negative' }
const number = z.union([z.int(), quantityParam.transform(Number)], offsetError)

/** What `trace_filter` selects by. Addresses are those of a transaction's sender and receiver. */
export const traceFilterParam = z.looseObject(
  {
    fromBlock: minedBlockParam.default('latest'),
    toBlock: minedBlockParam.default('latest'),
    fromAddress: addresses,
    toAddress: addresses,
    count: number
      .pipe(z.int(countError).nonnegative(countError).max(maxTraces, countError))
      .default(maxTraces),
    after: number.pipe(z.int(offsetError).nonnegative(offsetError)).default(0),
  },
  { error: 'must be a filter object' },
)

export type TraceFilter = z.output<typeof traceFilterParam>

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

function selects(
  { fromAddress, toAddress }: TraceFilter,
  { from, to }: z.output<typeof rawTransaction>,
): boolean {
  return includes(fromAddress, from) && includes(toAddress, to)
}

function includes(wanted: TraceFilter['fromAddress'], address: string | null | undefined): boolean {
  const any = typeof wanted === 'string' ? [wanted] : (wanted ?? [])
  return any.length === 0 || (typeof address === 'string' && any.includes(address.toLowerCase()))
}
