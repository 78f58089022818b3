import { method } from '../method.ts'
import { rawTransaction, shapeTransaction, transaction } from '../transaction.ts'
import { hashParam } from '../values.ts'

/** A transaction, pending or mined; `null` when the node does not know it. */
export const ethGetTransactionByHash = method({
  name: 'eth_getTransactionByHash',
  summary: 'A transaction by its hash',
  params: { hash: hashParam },
  result: transaction.nullable(),
  call: ({ hash }, { ask }) =>
    ask(async (node) => {
      const raw = await node.call('eth_getTransactionByHash', [hash], rawTransaction.nullable())
      return raw === null ? null : shapeTransaction(raw, raw.blockHash === null)
    }),
})
