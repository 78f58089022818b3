import { z } from 'zod'
import { type MinedBlock, minedBlock } from './block.ts'
import { ifServed, orNull } from './lookup.ts'
import type { Node } from './node.ts'
import { quantity, toQuantity } from './values.ts'

/** Some nodes print a JSON number. */
const anyCount = z.union([quantity, z.int().nonnegative().transform(toQuantity)]).nullable()

/** How many of something a block has, counted here where the node does not; `null` without a block. */
export async function countInBlock(
  node: Node,
  method: string,
  selector: string,
  entries: (block: MinedBlock) => readonly unknown[],
): Promise<string | null> {
  const count = await ifServed(orNull(node.call(method, [selector], anyCount)))
  if (count !== undefined) return count
  const block = await minedBlock(node, selector, false)
  return block && toQuantity(entries(block).length)
}
