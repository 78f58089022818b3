import * as z from 'zod/mini'
import { address, data, hash, orElse, quantity } from './values.ts'

/** Parses a transaction in the form of an answer; unknown fields pass. */
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

const nowhere = { blockHash: null, blockNumber: null, transactionIndex: null }

/** Parses a transaction as nodes return it: older RSKj omits the type, REMASC the signature. */
export const rawTransaction = z.extend(transaction, {
  blockHash: orElse(null, hash),
  blockNumber: orElse(null, quantity),
  transactionIndex: orElse(null, quantity),
  to: orElse(null, address),
  v: orElse('0x0', quantity),
  r: orElse('0x0', data),
  s: orElse('0x0', data),
  type: orElse('0x0', quantity),
})

/** Sets a pending transaction's position in its block to `null`. */
export function shapeTransaction(raw: Transaction, isPending = !raw.blockHash): Transaction {
  return isPending ? { ...raw, ...nowhere } : raw
}
