import {
  addressParam,
  blockOrHashParam,
  data,
  hash,
  isHash,
  quantityParam,
} from '../objects/values.ts'
import { atBlock } from '../reads/at-block.ts'
import { exampleContract } from './examples.ts'
import { method } from './method.ts'

export const ethGetStorageAt = method({
  name: 'eth_getStorageAt',
  summary: 'The 32 bytes at a position of the storage of an account',
  params: { address: addressParam, position: quantityParam, block: blockOrHashParam },
  result: hash,
  example: {
    params: [exampleContract, '0x0', 'latest'],
    result: '0x000000000000000000000000cd2a3d9f938e13cd947ec05abc7fe734df8dd826',
  },
  lasts: ({ block }) => isHash(block),
  call: ({ address, position, block }, { ask }) =>
    ask(async (node) => {
      const word = await atBlock(node, block, (at) =>
        node.call('eth_getStorageAt', [address, position, at], data),
      )
      // Some nodes leave leading zeros away.
      return `0x${word.slice(2).toLowerCase().padStart(64, '0')}`
    }),
})
