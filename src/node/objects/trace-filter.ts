import * as z from 'zod/mini'
import type { rawTransaction } from './transaction.ts'
import { addressesParam, minedBlockParam, quantityParam } from './values.ts'

export const maxTraceBlocks = 2_000
export const maxTraces = 100

const countError = { error: `must be a number from 0 to ${maxTraces}` }
const offsetError = { error: 'must be a number that is not negative' }
const integer = z.union([z.int(), z.pipe(quantityParam, z.transform(Number))], offsetError)

export const traceFilterParam = z.object(
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

export type TraceFilter = z.output<typeof traceFilterParam>

export function matchesTraceFilter(
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
