import * as z from 'zod/mini'
import { addressParam, blockOrHashParam, isHash, quantity } from '../objects/values.ts'
import { atBlock } from '../reads/at-block.ts'
import { exampleAccount } from './examples.ts'
import { method } from './method.ts'

export const ethGetTransactionCount = method({
  name: 'eth_getTransactionCount',
  summary: 'The number of transactions that an account has sent',
  params: { address: addressParam, block: z._default(blockOrHashParam, 'latest') },
  result: quantity,
  example: { params: [exampleAccount, 'latest'], result: '0xa' },
  lasts: ({ block }) => isHash(block),
  call: ({ address, block }, { ask }) =>
    ask((node) =>
      atBlock(node, block, (at) => node.call('eth_getTransactionCount', [address, at], quantity)),
    ),
})
