import { z } from 'zod'
import { address, data, hash, quantity } from './values.ts'

/** A transaction as it is answered; fields beyond these pass. */
export const transaction = z.looseObject({
  hash,
  nonce: quantity,
  blockHash: hash.nullable(),
  blockNumber: quantity.nullable(),
  transactionIndex: quantity.nullable(),
  from: address,
  to: address.nullable(),
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
export const rawTransaction = transaction.extend({
  blockHash: hash.nullish(),
  blockNumber: quantity.nullish(),
  transactionIndex: quantity.nullish(),
  to: address.nullish(),
  v: quantity.nullish(),
  r: data.nullish(),
  s: data.nullish(),
  type: quantity.nullish(),
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
