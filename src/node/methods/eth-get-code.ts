import * as z from 'zod/mini'
import { addressParam, blockOrHashParam, data, isHash } from '../objects/values.ts'
import { atBlock, unknownBlock, withoutBareHash } from '../reads/at-block.ts'
import { exampleAccount } from './examples.ts'
import { method } from './method.ts'

/** The code at an address, `0x` without one. */
export const ethGetCode = method({
  name: 'eth_getCode',
  summary: 'The code at an address',
  params: { address: addressParam, block: blockOrHashParam },
  result: data,
  example: { params: [exampleAccount, 'latest'], result: '0x' },
  lasts: ({ block }) => isHash(block),
  call: ({ address, block }, { ask }) =>
    ask((node) =>
      atBlock(node, block, async (at) => {
        const where = withoutBareHash(node, at)
        const code = await node.call('eth_getCode', [address, where], z.nullable(data))
        // RSKj's way to say that there is no such block (EthModule.getCode).
        if (code === null) throw unknownBlock()
        return code
      }),
    ),
})
