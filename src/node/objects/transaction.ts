import * as z from 'zod/mini'
import { address, data, hash, quantity } from './values.ts'

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

/**
 * A transaction as nodes print it: pending ones may lack the block's fields, RSKj's of old the type,
 * and its REMASC transactions, which are not signed, the signature.
 */
export const rawTransaction = z.extend(transaction, {
  blockHash: z.nullish(hash),
  blockNumber: z.nullish(quantity),
  transactionIndex: z.nullish(quantity),
  to: z.nullish(address),
  v: z.nullish(quantity),
  r: z.nullish(data),
  s: z.nullish(data),
  type: z.nullish(quantity),
})

/** With every field; the block's are `null` while the transaction is pending. */
export function shapeTransaction(
  raw: z.output<typeof rawTransaction>,
  pending = !raw.blockHash,
): Transaction {
  return {
    ...raw,
    blockHash: pending ? null : (raw.blockHash ?? null),
    blockNumber: pending ? null : (raw.blockNumber ?? null),
    transactionIndex: pending ? null : (raw.transactionIndex ?? null),
    to: raw.to ?? null,
    v: raw.v ?? '0x0',
    r: raw.r ?? '0x0',
    s: raw.s ?? '0x0',
    type: raw.type ?? '0x0',
  }
}
