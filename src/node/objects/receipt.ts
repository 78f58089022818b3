import * as z from 'zod/mini'
import { log, rawLog } from './log.ts'
import { address, data, hash, orMissing, quantity, transactionType, withDefault } from './values.ts'

/** Parses a receipt in the form of an answer; unknown fields pass. */
export const receipt = z.looseObject({
  transactionHash: hash,
  transactionIndex: quantity,
  blockHash: hash,
  blockNumber: quantity,
  from: address,
  to: orMissing(address),
  contractAddress: orMissing(address),
  cumulativeGasUsed: quantity,
  gasUsed: quantity,
  effectiveGasPrice: quantity,
  logs: z.array(log),
  logsBloom: data,
  /** Excludes `root`: a receipt has either `root` (before Byzantium) or `status`. */
  status: z.optional(quantity),
  root: z.optional(hash),
  type: transactionType,
})

/** Parses a receipt as nodes return it; those of older RSKj versions lack type and price. */
export const rawReceipt = z.extend(receipt, {
  effectiveGasPrice: z.nullish(quantity),
  logs: z.array(rawLog),
  status: z.nullish(quantity),
  root: z.nullish(data),
  type: withDefault('0x0', transactionType),
})

export type RawReceipt = z.output<typeof rawReceipt>

/** Returns a receipt with all fields; `gasPrice` replaces a missing effective price. */
export function shapeReceipt(raw: RawReceipt, gasPrice: string): z.output<typeof receipt> {
  const { root, status, effectiveGasPrice, ...rest } = raw
  return {
    ...rest,
    effectiveGasPrice: effectiveGasPrice ?? gasPrice,
    ...(status ? { status } : { root: root ?? '0x' }),
  }
}
