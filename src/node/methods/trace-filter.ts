import * as z from 'zod/mini'
import type { BlockRange } from '../../chain/logs.ts'
import { RpcError } from '../../chain/rpc.ts'
import { orNull } from '../../runtime/json.ts'
import { codes } from '../codes.ts'
import { listAlternatives } from '../objects/log.ts'
import { rawTraces, type Trace, trace } from '../objects/trace.ts'
import {
  addressesParam,
  minedBlockParam,
  quantityParam,
  toBlockNumber,
  toQuantity,
} from '../objects/values.ts'
import { readInBatches, readMinedBlock } from '../reads/mined-block.ts'
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

/** Tells whether an address is one of those wanted; an empty list accepts any. */
function accepts(wanted: TraceFilter['fromAddress'], address: string | null | undefined): boolean {
  const accepted = listAlternatives(wanted)
  return accepted.length === 0 || accepted.includes(address?.toLowerCase() ?? '')
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
      return readTraces(node, { from, to }, filter)
    })
  },
})

/** Sets how many traces RSKj skips and returns at most (TraceModuleImpl). */
const maxRskjTraces = 10_000

/** Searches blocks in order, and stops once it has the requested traces. */
async function searchTraces(node: UpstreamNode, range: BlockRange, filter: TraceFilter) {
  const { fromAddress, toAddress, after, count } = filter
  const traces: Trace[] = []
  const read = (number: string) => readMinedBlock(node, number, true)
  for await (const block of readInBatches(range, read)) {
    const hashes = (block?.transactions ?? []).flatMap((entry) => {
      const isWhole = typeof entry === 'object'
      return isWhole && accepts(fromAddress, entry.from) && accepts(toAddress, entry.to)
        ? [entry.hash]
        : []
    })
    if (block === null || hashes.length === 0) continue
    const blockTraces = await traceMinedBlock(node, block)
    traces.push(...blockTraces.filter((trace) => hashes.includes(trace.transactionHash)))
    if (traces.length >= after + count) break
  }
  return traces.slice(after, after + count)
}

/** Filters traces on RSKj, which skips at most 10,000 and returns at most 10,000. */
async function queryRskjTraces(node: UpstreamNode, range: BlockRange, filter: TraceFilter) {
  const { fromAddress, toAddress, after, count } = filter
  const skippedHere = Math.max(0, after - maxRskjTraces)
  if (skippedHere + count > maxRskjTraces) {
    throw new RpcError(
      codes.invalidParams,
      `after and count reach at most ${2 * maxRskjTraces} traces far: ask for fewer blocks`,
    )
  }
  const query = {
    fromBlock: toQuantity(range.from),
    toBlock: toQuantity(range.to),
    ...(fromAddress ? { fromAddress } : {}),
    ...(toAddress ? { toAddress } : {}),
    count: count + skippedHere,
    after: after - skippedHere,
  }
  const traces = await node.call('trace_filter', [query], orNull(rawTraces))
  return (traces ?? []).slice(skippedHere, skippedHere + count)
}
