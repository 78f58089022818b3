import * as z from 'zod/mini'
import { block as blockResult, shapePendingBlock } from '../objects/block.ts'
import {
  anyQuantity,
  blockParam,
  fullParam,
  hashParam,
  quantity,
  toQuantity,
} from '../objects/values.ts'
import { completeBlock } from '../reads/complete-block.ts'
import { catchUnserved, lookUp } from '../reads/lookup.ts'
import { readMinedBlock, readPendingBlock } from '../reads/mined-block.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { exampleBlock } from './examples.ts'
import { defineMethod, type Method } from './method.ts'

type CountedMember = 'transactions' | 'uncles'

export const blockMethods = [
  defineMethod({
    name: 'eth_getBlockByHash',
    summary: 'A block by its hash',
    params: { hash: hashParam, full: fullParam },
    result: z.nullable(blockResult),
    example: { params: [exampleBlock.hash, false], result: exampleBlock },
    isImmutableByParams: () => true,
    call: ({ hash, full }, context) =>
      context.ask(async (node) => {
        const raw = await readMinedBlock(node, hash, full)
        return raw && (await completeBlock(node, raw, context))
      }),
  }),
  defineMethod({
    name: 'eth_getBlockByNumber',
    summary: 'A block by its number or a tag',
    params: { block: blockParam, full: fullParam },
    result: z.nullable(blockResult),
    example: { params: ['0x2a', false], result: exampleBlock },
    isImmutableByParams: ({ block }, isFinal) => block.startsWith('0x') && isFinal(block),
    call: ({ block, full }, context) =>
      context.ask(async (node) => {
        if (block === 'pending') {
          const raw = await readPendingBlock(node, full)
          return raw && shapePendingBlock(raw)
        }
        const raw = await readMinedBlock(node, block, full)
        if (raw === null) return null
        if (block === 'latest') context.recordHead(node, Number(raw.number))
        return await completeBlock(node, raw, context)
      }),
  }),
  createCountMethod('eth_getBlockTransactionCountByHash', 'transactions', hashParam),
  createCountMethod('eth_getBlockTransactionCountByNumber', 'transactions', blockParam),
  createCountMethod('eth_getUncleCountByBlockHash', 'uncles', hashParam),
  createCountMethod('eth_getUncleCountByBlockNumber', 'uncles', blockParam),
]

function createCountMethod(name: string, member: CountedMember, param: typeof hashParam): Method {
  const isByHash = param === hashParam
  return defineMethod({
    name,
    summary: `The number of ${member} of a block`,
    params: isByHash ? { hash: param } : { block: param },
    result: z.nullable(quantity),
    example: {
      params: [isByHash ? exampleBlock.hash : '0x2a'],
      result: toQuantity(exampleBlock[member].length),
    },
    isImmutableByParams: () => isByHash,
    call: ({ hash, block = hash }, { ask }) =>
      ask((node) => countInBlock(node, name, `${block}`, member)),
  })
}

/** Counts a block's members here if the node cannot. For `pending`, RSKj would count its pool. */
async function countInBlock(
  node: UpstreamNode,
  name: string,
  selector: string,
  member: CountedMember,
): Promise<string | null> {
  const isPending = selector === 'pending'
  const count = isPending
    ? undefined
    : await catchUnserved(lookUp(node, name, [selector], z.nullable(anyQuantity)))
  if (count !== undefined) return count
  const block = await (isPending
    ? readPendingBlock(node, false)
    : readMinedBlock(node, selector, false))
  return block && toQuantity(block[member].length)
}
