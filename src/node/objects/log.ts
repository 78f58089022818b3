import * as z from 'zod/mini'
import { address, data, hash, quantity } from './values.ts'

/** Parses a log in the form of an HTTP answer, without `removed`; unknown fields pass. */
export const log = z.looseObject({
  logIndex: z.nullable(quantity),
  transactionIndex: z.nullable(quantity),
  transactionHash: z.nullable(hash),
  blockHash: z.nullable(hash),
  blockNumber: z.nullable(quantity),
  address,
  data,
  topics: z.array(hash).check(z.maxLength(4)),
})

export const logs = z.array(log)

export type ChainLog = z.output<typeof log>

/** Parses a log as nodes return it, and drops `removed`, which belongs to notifications. */
export const rawLog = z.pipe(
  log,
  z.transform(({ removed: _, ...rest }): ChainLog => rest),
)

export const rawLogs = z.array(rawLog)

/** Returns a key of a log's content and place in its block, which tells equal logs apart. */
export function toContentKey({ logIndex, address, topics, data }: ChainLog): string {
  return `${logIndex} ${address.toLowerCase()} ${topics.join()} ${data}`
}
