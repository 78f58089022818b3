import * as z from 'zod/mini'
import { orNull } from '../../runtime/json.ts'
import {
  addressParam,
  blockOrHashParam,
  data,
  hash,
  isBlockHash,
  quantity,
  quantityParam,
} from '../objects/values.ts'
import { createUnknownBlockError, readStateAt, wrapBareHash } from '../reads/at-block.ts'
import { defineMethod, type Method } from './method.ts'

export const stateMethods = [
  createAccountMethod('eth_getBalance', 'What an account holds of the native currency, in wei'),
  createAccountMethod(
    'eth_getTransactionCount',
    'The number of transactions that an account has sent',
  ),
  defineMethod({
    name: 'eth_getCode',
    summary: 'The code at an address',
    params: { address: addressParam, block: blockOrHashParam },
    result: data,
    isImmutable: ({ block }) => isBlockHash(block),
    call: ({ address, block }, context) =>
      readStateAt(context, block, async (node, selector) => {
        const params = [address, wrapBareHash(node, selector)]
        const code = await node.call('eth_getCode', params, orNull(data))
        // RSKj's way to say that there is no such block (EthModule.getCode).
        if (code === null) throw createUnknownBlockError()
        return code
      }),
  }),
  defineMethod({
    name: 'eth_getStorageAt',
    summary: 'The 32 bytes at a position of the storage of an account',
    params: { address: addressParam, position: quantityParam, block: blockOrHashParam },
    result: hash,
    isImmutable: ({ block }) => isBlockHash(block),
    call: ({ address, position, block }, context) =>
      readStateAt(context, block, async (node, selector) => {
        const word = await node.call('eth_getStorageAt', [address, position, selector], data)
        // Some nodes leave leading zeros away.
        return `0x${word.slice(2).toLowerCase().padStart(64, '0')}`
      }),
  }),
]

function createAccountMethod(name: string, summary: string): Method {
  return defineMethod({
    name,
    summary,
    params: { address: addressParam, block: z._default(blockOrHashParam, 'latest') },
    result: quantity,
    isImmutable: ({ block }) => isBlockHash(block),
    call: ({ address, block }, context) =>
      readStateAt(context, block, (node, selector) =>
        node.call(name, [address, selector], quantity),
      ),
  })
}
