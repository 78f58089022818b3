import * as z from 'zod/mini'
import type { RawBlock } from '../objects/block.ts'
import { quantity, toQuantity } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { ifServed, type Lookup, lookUp } from './lookup.ts'
import { minedBlock, pendingBlockOf } from './mined-block.ts'

/** Some nodes print a JSON number. */
const anyCount = z.nullable(
  z.union([
    quantity,
    z.pipe(
      z.int().check(z.nonnegative()),
      z.transform((value: number) => toQuantity(value)),
    ),
  ]),
)

/**
 * How many of something a block has, counted here where the node does not; `null` without a block.
 * RSKj counts its pool instead of its pending block, so that one is always counted here.
 */
export async function countInBlock(
  node: UpstreamNode,
  method: Lookup,
  selector: string,
  entries: (block: RawBlock) => readonly unknown[],
): Promise<string | null> {
  if (selector === 'pending') {
    const block = await pendingBlockOf(node, false)
    return block && toQuantity(entries(block).length)
  }
  const count = await ifServed(lookUp(node, method, [selector], anyCount))
  if (count !== undefined) return count
  const block = await minedBlock(node, selector, false)
  return block && toQuantity(entries(block).length)
}
