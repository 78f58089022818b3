import { orNull } from '../lookup.ts'
import { method } from '../method.ts'
import { blockParam, quantity } from '../values.ts'

/** How many transactions a block has; `null` when there is no such block. */
export const ethGetBlockTransactionCountByNumber = method({
  name: 'eth_getBlockTransactionCountByNumber',
  summary: 'The number of transactions of a block',
  params: { block: blockParam },
  result: quantity.nullable(),
  call: ({ block }, { ask }) =>
    ask(
      (node) =>
        orNull(node.call('eth_getBlockTransactionCountByNumber', [block], quantity.nullable())),
      { mayLag: true },
    ),
})
