import * as z from 'zod/mini'
import { address, data, hash, quantity } from './values.ts'

/** A log as it is answered over HTTP: it carries no `removed`. Fields beyond these pass. */
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

/** As it is answered: `removed` belongs to notifications. */
export function shapeLog({ removed: _, ...rest }: ChainLog): ChainLog {
  return rest
}

/** What a log says, wherever it is: two logs of a block with the same content are one. */
export function contentOf({ logIndex, address, topics, data }: ChainLog): string {
  return `${logIndex} ${address.toLowerCase()} ${topics.join()} ${data}`
}
