import { z } from 'zod'
import type { rawTransaction } from './transaction.ts'
import { addressParam, minedBlockParam, quantityParam } from './values.ts'

/** The widest range and the most traces of one answer. */
export const maxTraceBlocks = 2_000
export const maxTraces = 100

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

/** Whether a transaction's traces are wanted. */
export function selects(
  { fromAddress, toAddress }: TraceFilter,
  { from, to }: z.output<typeof rawTransaction>,
): boolean {
  return includes(fromAddress, from) && includes(toAddress, to)
}

function includes(wanted: TraceFilter['fromAddress'], address: string | null | undefined): boolean {
  const any = typeof wanted === 'string' ? [wanted] : (wanted ?? [])
  return any.length === 0 || (typeof address === 'string' && any.includes(address.toLowerCase()))
}
