import * as z from 'zod/mini'
import { address, data, hash, quantity, withDefault } from './values.ts'

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

const pendingPosition = { blockHash: null, blockNumber: null, transactionIndex: null }

/** Parses a transaction as nodes return it: older RSKj omits the type, REMASC the signature. */
export const rawTransaction = z.extend(transaction, {
  blockHash: withDefault(null, hash),
  blockNumber: withDefault(null, quantity),
  transactionIndex: withDefault(null, quantity),
  to: withDefault(null, address),
  v: withDefault('0x0', quantity),
  r: withDefault('0x0', data),
  s: withDefault('0x0', data),
  type: withDefault('0x0', quantity),
})

/** Sets a pending transaction's position in its block to `null`. */
export function shapeTransaction(raw: Transaction, isPending = !raw.blockHash): Transaction {
  return isPending ? { ...raw, ...pendingPosition } : raw
}
