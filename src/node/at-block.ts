import { RpcError } from '../chain/rpc.ts'
import { minedBlock } from './block.ts'
import { codes } from './codes.ts'
import type { Node } from './node.ts'
import { isHash, type Selector } from './values.ts'

/**
 * Reads state as of a block. A node that does not know its own blocks' hashes here is asked by the
 * number instead, and for the block at that number afterwards.
 *
 * @throws {RpcError} also when there is no such block
 */
export async function atBlock<T>(
  node: Node,
  block: Selector,
  read: (block: Selector) => Promise<T>,
): Promise<T> {
  try {
    return await read(block)
  } catch (error) {
    if (!(error instanceof RpcError) || typeof block !== 'string' || !isHash(block)) throw error
    const found = await minedBlock(node, block, false)
    if (found === null) throw new RpcError(codes.failed, 'unknown block')
    const value = await read(found.number)
    const canonical = await minedBlock(node, found.number, false)
    if (canonical?.hash !== block) throw error
    return value
  }
}
