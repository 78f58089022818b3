import * as z from 'zod/mini'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { getTransactionHash, type rawTransaction } from '../objects/block.ts'
import { rawTraces, shapeTraces, type Trace, trace } from '../objects/trace.ts'
import {
  addressesParam,
  minedBlockParam,
  quantityParam,
  toBlockNumber,
  toQuantity,
} from '../objects/values.ts'
import { readMinedBlock } from '../reads/mined-block.ts'
import { traceMinedBlock } from '../reads/traces.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { defineMethod } from './method.ts'

const maxTraceBlocks = 2_000
const maxTraces = 100

const countError = { error: `must be a number from 0 to ${maxTraces}` }
const offsetError = { error: 'must be a number that is not negative' }
const integer = z.union([z.int(), z.pipe(quantityParam, z.transform(Number))], offsetError)

const traceFilterParam = z.object(
  {
    fromBlock: z._default(minedBlockParam, 'latest'),
    toBlock: z._default(minedBlockParam, 'latest'),
    fromAddress: addressesParam,
    toAddress: addressesParam,
    count: z._default(
      z.pipe(
        integer,
        z.int(countError).check(z.nonnegative(countError), z.maximum(maxTraces, countError)),
      ),
      maxTraces,
    ),
    after: z._default(z.pipe(integer, z.int(offsetError).check(z.nonnegative(offsetError))), 0),
  },
  { error: 'must be a filter object' },
)

type TraceFilter = z.output<typeof traceFilterParam>

function matchesTraceFilter(
  { fromAddress, toAddress }: TraceFilter,
  { from, to }: z.output<typeof rawTransaction>,
): boolean {
  return accepts(fromAddress, from) && accepts(toAddress, to)
}

function accepts(wanted: TraceFilter['fromAddress'], address: string | null | undefined): boolean {
  const accepted = typeof wanted === 'string' ? [wanted] : (wanted ?? [])
  return (
    accepted.length === 0 ||
    (typeof address === 'string' && accepted.includes(address.toLowerCase()))
  )
}

export const traceFilter = defineMethod({
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
})

/** Sets how many traces RSKj skips and returns at most (TraceModuleImpl). */
const maxRskjTraces = 10_000

const blocksPerBatch = 50

/** Searches blocks in order, and stops once it has the requested traces. */
async function searchTraces(
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
async function queryRskjTraces(
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
