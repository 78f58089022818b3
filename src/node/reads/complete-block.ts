import * as z from 'zod/mini'
import { type Block, type MinedBlock, shapeBlock } from '../objects/block.ts'
import { quantity, toQuantity } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { nullIfRefused } from './lookup.ts'
import type { CacheAccess } from './proved-receipt.ts'
import { readReceipts } from './receipts.ts'

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
