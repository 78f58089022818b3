import * as z from 'zod/mini'
import { block as blockResult, pendingBlock, type RawBlock } from '../objects/block.ts'
import {
  anyQuantity,
  blockParam,
  fullParam,
  hashParam,
  quantity,
  toQuantity,
} from '../objects/values.ts'
import { completeBlock } from '../reads/complete-block.ts'
import { ifServed, type Lookup, lookUp } from '../reads/lookup.ts'
import { minedBlock, pendingBlockOf } from '../reads/mined-block.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { exampleBlock } from './examples.ts'
import { type Method, method } from './method.ts'

type Counted = { what: string; example: string; of: (block: RawBlock) => readonly unknown[] }

const transactions: Counted = {
  what: 'transactions',
  example: '0x5',
  of: (block) => block.transactions,
}
const uncles: Counted = { what: 'uncles', example: '0x0', of: (block) => block.uncles }

export const blockMethods = [
  method({
    name: 'eth_getBlockByHash',
    summary: 'A block by its hash',
    params: { hash: hashParam, full: fullParam },
    result: z.nullable(blockResult),
    example: { params: [exampleBlock.hash, false], result: exampleBlock },
    lasts: () => true,
    call: ({ hash, full }, context) =>
      context.ask(async (node) => {
        const raw = await minedBlock(node, hash, full)
        return raw && (await completeBlock(node, raw, context))
      }),
  }),
  method({
    name: 'eth_getBlockByNumber',
    summary: 'A block by its number or a tag',
    params: { block: blockParam, full: fullParam },
    result: z.nullable(blockResult),
    example: { params: ['0x2a', false], result: exampleBlock },
    call: ({ block, full }, context) =>
      context.ask(async (node) => {
        if (block === 'pending') {
          const raw = await pendingBlockOf(node, full)
          return raw && pendingBlock(raw)
        }
        const raw = await minedBlock(node, block, full)
        if (raw === null) return null
        if (block === 'latest') context.sawHead(node, Number(raw.number))
        return await completeBlock(node, raw, context)
      }),
  }),
  countByHash('eth_getBlockTransactionCountByHash', transactions),
  countByNumber('eth_getBlockTransactionCountByNumber', transactions),
  countByHash('eth_getUncleCountByBlockHash', uncles),
  countByNumber('eth_getUncleCountByBlockNumber', uncles),
]

function countByHash(name: Lookup, { what, example, of }: Counted): Method {
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

function countByNumber(name: Lookup, { what, example, of }: Counted): Method {
  return method({
    name,
    summary: `The number of ${what} of a block`,
    params: { block: blockParam },
    result: z.nullable(quantity),
    example: { params: ['0x2a'], result: example },
    call: ({ block }, { ask }) => ask((node) => countInBlock(node, name, block, of)),
  })
}

/** Counts here what the node does not, and what is pending: RSKj counts its pool instead. */
async function countInBlock(
  node: UpstreamNode,
  name: Lookup,
  selector: string,
  of: Counted['of'],
): Promise<string | null> {
  const isPending = selector === 'pending'
  const count = isPending
    ? undefined
    : await ifServed(lookUp(node, name, [selector], z.nullable(anyQuantity)))
  if (count !== undefined) return count
  const block = await (isPending ? pendingBlockOf(node, false) : minedBlock(node, selector, false))
  return block && toQuantity(of(block).length)
}
