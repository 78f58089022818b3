import { z } from 'zod'
import { addressParam, blockParam, hashParam } from './values.ts'

const topicParam = z.union([hashParam, z.array(hashParam), z.null()], {
  error: 'must be a topic, an array of topics or null',
})

/** What `eth_getLogs` selects by. A list of addresses or topics means any of them. */
export const logFilterParam = z
  .looseObject(
    {
      address: z
        .union([addressParam, z.array(addressParam)], {
          error: 'must be an address or an array of addresses',
        })
        .nullish(),
      topics: z.array(topicParam, { error: 'must be an array of topics' }).nullish(),
      blockHash: hashParam.nullish(),
      fromBlock: blockParam.nullish(),
      toBlock: blockParam.nullish(),
    },
    { error: 'must be a filter object' },
  )
  .refine(({ blockHash, fromBlock, toBlock }) => !(blockHash && (fromBlock || toBlock)), {
    error: 'Cannot specify both blockHash and fromBlock/toBlock',
  })

export type LogFilter = z.output<typeof logFilterParam>
