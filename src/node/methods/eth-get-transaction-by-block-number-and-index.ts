import { orNull } from '../lookup.ts'
import { method } from '../method.ts'
import { rawTransaction, shapeTransaction, transaction } from '../transaction.ts'
import { blockParam, quantityParam } from '../values.ts'

/** A transaction by its place in a block; `null` when there is none. */
export const ethGetTransactionByBlockNumberAndIndex = method({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  summary: 'A transaction by the number of its block and its position there',
  params: { block: blockParam, index: quantityParam },
  result: transaction.nullable(),
  call: ({ block, index }, { ask }) =>
    ask(
      async (node) => {
        const raw = await orNull(
          node.call(
            'eth_getTransactionByBlockNumberAndIndex',
            [block, index],
            rawTransaction.nullable(),
          ),
        )
        return raw && shapeTransaction(raw, block === 'pending')
      },
      { mayLag: true },
    ),
})
