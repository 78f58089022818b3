import * as z from 'zod/mini'
import {
  type Block,
  block as blockResult,
  type MinedBlock,
  shapeBlock,
  shapePendingBlock,
} from '../objects/block.ts'
import {
  blockParam,
  fullTransactionsParam,
  hashParam,
  quantity,
  toQuantity,
} from '../objects/values.ts'
import { nullIfRefused } from '../reads/lookup.ts'
import { readMinedBlock, readPendingBlock } from '../reads/mined-block.ts'
import { type CacheAccess, readReceipts } from '../reads/receipts.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { defineMethod, type Method } from './method.ts'

type CountedField = 'transactions' | 'uncles'

export const blockMethods = [
  defineMethod({
    name: 'eth_getBlockByHash',
    summary: 'A block by its hash',
    params: { hash: hashParam, full: fullTransactionsParam },
    result: z.nullable(blockResult),
    isImmutable: () => true,
    call: ({ hash, full }, context) =>
      context.ask(async (node) => {
        const raw = await readMinedBlock(node, hash, full)
        return raw && (await completeBlock(node, raw, context))
      }),
  }),
  defineMethod({
    name: 'eth_getBlockByNumber',
    summary: 'A block by its number or a tag',
    params: { block: blockParam, full: fullTransactionsParam },
    result: z.nullable(blockResult),
    isImmutable: ({ block }, isFinal) => block.startsWith('0x') && isFinal(block),
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

function createCountMethod(name: string, field: CountedField, param: typeof hashParam): Method {
  const isByHash = param === hashParam
  return defineMethod({
    name,
    summary: `The number of ${field} of a block`,
    params: isByHash ? { hash: param } : { block: param },
    result: z.nullable(quantity),
    // A hash fixes the block's content, and `null` is never cached.
    isImmutable: () => isByHash,
    call: ({ hash, block: selector = hash }, { ask }) =>
      ask(async (node) => {
        // Asked to count, RSKj would count its whole transaction pool for `pending`.
        const block = await (selector === 'pending'
          ? readPendingBlock(node, false)
          : readMinedBlock(node, `${selector}`, false))
        return block && toQuantity(block[field].length)
      }),
  })
}

/** Returns a mined block with all fields, some of them read from receipts and uncles. */
export async function completeBlock(
  node: UpstreamNode,
  raw: MinedBlock,
  { getOrCompute }: CacheAccess,
): Promise<Block> {
  return {
    ...shapeBlock(raw, false),
    paidFees:
      raw.paidFees ??
      (await getOrCompute(`paidFees ${raw.hash}`, 'unproved', () => sumFees(node, raw))),
    cumulativeDifficulty:
      raw.cumulativeDifficulty ??
      (raw.uncles.length === 0
        ? raw.difficulty
        : await getOrCompute(`cumulativeDifficulty ${raw.hash}`, 'unproved', () =>
            sumDifficulties(node, raw),
          )),
  }
}

async function sumFees(node: UpstreamNode, raw: MinedBlock): Promise<string | null> {
  const receipts = await nullIfRefused(readReceipts(node, raw))
  const fees = receipts?.map(({ gasUsed, effectiveGasPrice }) =>
    effectiveGasPrice ? BigInt(gasUsed) * BigInt(effectiveGasPrice) : undefined,
  )
  if (!fees?.every((fee) => fee !== undefined)) return null
  return toQuantity(fees.reduce((sum, fee) => sum + fee, 0n))
}

async function sumDifficulties(node: UpstreamNode, raw: MinedBlock): Promise<string | null> {
  const uncle = z.looseObject({ difficulty: quantity })
  const uncles = raw.uncles.map((_, index) =>
    node.call('eth_getUncleByBlockHashAndIndex', [raw.hash, toQuantity(index)], uncle),
  )
  const blocks = [raw, ...((await nullIfRefused(Promise.all(uncles))) ?? [])]
  if (blocks.length <= uncles.length) return null
  return toQuantity(blocks.reduce((sum, { difficulty }) => sum + BigInt(difficulty), 0n))
}
