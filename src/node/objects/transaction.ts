import * as z from 'zod/mini'
import { address, data, fillIn, forEach, hash, quantity } from './values.ts'

/** A transaction as it is answered; fields beyond these pass. */
export const transaction = z.looseObject({
  hash,
  nonce: quantity,
  blockHash: z.nullable(hash),
  blockNumber: z.nullable(quantity),
  transactionIndex: z.nullable(quantity),
  from: address,
  to: z.nullable(address),
  gas: quantity,
  gasPrice: quantity,
  value: quantity,
  input: data,
  v: quantity,
  r: data,
  s: data,
  type: quantity,
})

export type Transaction = z.output<typeof transaction>

/** What nodes may leave out of a transaction: the block's fields while it is pending. */
const leftOut = ['blockHash', 'blockNumber', 'transactionIndex', 'to'] as const

/** A transaction as nodes print it: RSKj's of old have no type, and its REMASC transactions no signature. */
export const rawTransaction = z.extend(z.partial(transaction, forEach(leftOut, true)), {
  v: z.nullish(quantity),
  r: z.nullish(data),
  s: z.nullish(data),
  type: z.nullish(quantity),
})

/** Gives a transaction every field; the block's are `null` while it is pending. */
export function shapeTransaction(
  raw: z.output<typeof rawTransaction>,
  pending = !raw.blockHash,
): Transaction {
  return {
    ...fillIn(raw, leftOut),
    ...(pending ? { blockHash: null, blockNumber: null, transactionIndex: null } : {}),
    v: raw.v ?? '0x0',
    r: raw.r ?? '0x0',
    s: raw.s ?? '0x0',
    type: raw.type ?? '0x0',
  } as Transaction
}
