import { method } from '../method.ts'
import { rawReceipt, receipt, shapeReceipt } from '../receipt.ts'
import { rawTransaction } from '../transaction.ts'
import { hashParam } from '../values.ts'

/** The receipt of a mined transaction; `null` while it is pending or unknown. */
export const ethGetTransactionReceipt = method({
  name: 'eth_getTransactionReceipt',
  summary: 'The receipt of a transaction by its hash',
  params: { hash: hashParam },
  result: receipt.nullable(),
  call: ({ hash }, { ask }) =>
    ask(async (node) => {
      const raw = await node.call('eth_getTransactionReceipt', [hash], rawReceipt.nullable())
      if (raw === null) return null
      if (raw.effectiveGasPrice !== undefined) return shapeReceipt(raw, raw.effectiveGasPrice)
      const { gasPrice } = await node.call('eth_getTransactionByHash', [hash], rawTransaction)
      return shapeReceipt(raw, gasPrice)
    }),
})
