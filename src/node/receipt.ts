import { z } from 'zod'
import { log, shapeLog } from './log.ts'
import { address, data, hash, quantity } from './values.ts'

/** A receipt as it is answered; fields beyond these pass. */
export const receipt = z.looseObject({
  transactionHash: hash,
  transactionIndex: quantity,
  blockHash: hash,
  blockNumber: quantity,
  from: address,
  to: address.nullable(),
  contractAddress: address.nullable(),
  cumulativeGasUsed: quantity,
  gasUsed: quantity,
  effectiveGasPrice: quantity,
  logs: z.array(log),
  logsBloom: data,
  /** Exactly one of `root` (before Byzantium) and `status`. */
  status: quantity.optional(),
  root: hash.optional(),
  type: quantity,
})

/** A receipt as nodes print it: RSKj's of old have neither type nor price. */
export const rawReceipt = receipt.extend({
  to: address.nullish(),
  contractAddress: address.nullish(),
  effectiveGasPrice: quantity.optional(),
  root: data.nullish(),
  type: quantity.optional(),
})

export type RawReceipt = z.output<typeof rawReceipt>

/** With every field; `gasPrice` is the transaction's, for nodes that do not print what was paid. */
export function shapeReceipt(
  { root, effectiveGasPrice, ...raw }: RawReceipt,
  gasPrice: string,
): z.output<typeof receipt> {
  return {
    ...raw,
    to: raw.to ?? null,
    contractAddress: raw.contractAddress ?? null,
    effectiveGasPrice: effectiveGasPrice ?? gasPrice,
    logs: raw.logs.map(shapeLog),
    type: raw.type ?? '0x0',
    ...(raw.status === undefined && root ? { root } : {}),
  }
}
