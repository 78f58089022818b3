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

/** A transaction as nodes print it: RSKj's of old have no type, and its own may lack a signature. */
export const rawTransaction = transaction.extend({
  to: address.nullish(),
  type: quantity.optional(),
})

/** With every field, and the block's fields `null` while it is pending. */
export function shapeTransaction(
  raw: z.output<typeof rawTransaction>,
  pending = false,
): z.output<typeof transaction> {
  const shaped = { ...raw, to: raw.to ?? null, type: raw.type ?? '0x0' }
  return pending
    ? { ...shaped, blockHash: null, blockNumber: null, transactionIndex: null }
    : shaped
}
