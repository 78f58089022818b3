import * as z from 'zod/mini'
import { data, hashParam } from '../objects/values.ts'
import { rawTransactionReceipt } from '../reads/raw-data.ts'
import { exampleTransaction } from './examples.ts'
import { method } from './method.ts'

/** The RLP of a receipt of the main chain; `null` if it does not exist. */
export const chainGetRawTransactionReceiptByHash = method({
  name: 'chain_getRawTransactionReceiptByHash',
  summary: 'The RLP-encoded receipt of a transaction',
  params: { hash: hashParam },
  result: z.nullable(data),
  example: {
    params: [exampleTransaction.hash],
    result:
      '0xf9010c8082531cb9010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000c082531c80',
  },
  call: ({ hash }, { ask }) => ask((node) => rawTransactionReceipt(node, hash), { mayLag: true }),
})
