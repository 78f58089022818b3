import * as z from 'zod/mini'
import type { RawBlock } from '../objects/block.ts'
import { blockParam, hashParam, quantity } from '../objects/values.ts'
import { countInBlock } from '../reads/counts.ts'
import type { Lookup } from '../reads/lookup.ts'
import { exampleBlock } from './examples.ts'
import { type Method, method } from './method.ts'

/** Something that blocks have a number of. */
type Counted = { what: string; example: string; of: (block: RawBlock) => readonly unknown[] }

const transactions: Counted = {
  what: 'transactions',
  example: '0x5',
  of: (block) => block.transactions,
}
const uncles: Counted = { what: 'uncles', example: '0x0', of: (block) => block.uncles }

export const ethGetBlockTransactionCountByHash = byHash(
  'eth_getBlockTransactionCountByHash',
  transactions,
)
export const ethGetBlockTransactionCountByNumber = byNumber(
  'eth_getBlockTransactionCountByNumber',
  transactions,
)
export const ethGetUncleCountByBlockHash = byHash('eth_getUncleCountByBlockHash', uncles)
export const ethGetUncleCountByBlockNumber = byNumber('eth_getUncleCountByBlockNumber', uncles)

function byHash(name: Lookup, { what, example, of }: Counted): Method {
  return method({
    name,
    summary: `The number of ${what} of a block`,
    params: { hash: hashParam },
    result: z.nullable(quantity),
    example: { params: [exampleBlock.hash], result: example },
    lasts: () => true,
    call: ({ hash }, { ask }) => ask((node) => countInBlock(node, name, hash, of)),
  })
}

function byNumber(name: Lookup, { what, example, of }: Counted): Method {
  return method({
    name,
    summary: `The number of ${what} of a block`,
    params: { block: blockParam },
    result: z.nullable(quantity),
    example: { params: ['0x2a'], result: example },
    call: ({ block }, { ask }) => ask((node) => countInBlock(node, name, block, of)),
  })
}
