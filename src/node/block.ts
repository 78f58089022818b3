import { z } from 'zod'
import { rawTransaction, shapeTransaction, transaction } from './transaction.ts'
import { address, data, hash, quantity } from './values.ts'

/** A block as it is answered; fields beyond these pass. */
export const block = z.looseObject({
  number: quantity.nullable(),
  hash: hash.nullable(),
  parentHash: hash,
  sha3Uncles: hash,
  logsBloom: data.nullable(),
  transactionsRoot: hash,
  stateRoot: hash,
  receiptsRoot: hash,
  miner: address,
  difficulty: quantity,
  totalDifficulty: quantity.nullable(),
  extraData: data,
  size: quantity,
  gasLimit: quantity,
  gasUsed: quantity,
  timestamp: quantity,
  transactions: z.union([z.array(hash), z.array(transaction)]),
  uncles: z.array(hash),
})

/** A block as nodes print it. */
export const rawBlock = block.extend({
  totalDifficulty: quantity.nullish(),
  transactions: z.union([z.array(hash), z.array(rawTransaction)]),
})

/** With every field; in a pending block `number`, `hash` and `logsBloom` are `null`. */
export function shapeBlock(
  raw: z.output<typeof rawBlock>,
  pending: boolean,
): z.output<typeof block> {
  const shaped = {
    ...raw,
    totalDifficulty: raw.totalDifficulty ?? null,
    transactions: raw.transactions.map((entry) =>
      typeof entry === 'string' ? entry : shapeTransaction(entry, pending),
    ) as z.output<typeof block>['transactions'],
  }
  return pending ? { ...shaped, number: null, hash: null, logsBloom: null } : shaped
}
