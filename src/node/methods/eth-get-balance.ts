import * as z from 'zod/mini'
import { addressParam, blockOrHashParam, isHash, quantity } from '../objects/values.ts'
import { atBlock } from '../reads/at-block.ts'
import { exampleContract } from './examples.ts'
import { method } from './method.ts'

export const ethGetBalance = method({
  name: 'eth_getBalance',
  summary: 'What an account holds of the native currency, in wei',
  params: { address: addressParam, block: z._default(blockOrHashParam, 'latest') },
  result: quantity,
  example: { params: [exampleContract, 'latest'], result: '0x45ce265994370000' },
  lasts: ({ block }) => isHash(block),
  call: ({ address, block }, { ask }) =>
    ask((node) =>
      atBlock(node, block, (at) => node.call('eth_getBalance', [address, at], quantity)),
    ),
})
