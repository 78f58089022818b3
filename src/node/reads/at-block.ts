import { isRefusal } from '../../chain/refusals.ts'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { isBlockHash, type Selector } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import type { NodeAccess } from '../upstream/upstreams.ts'
import { readMinedBlock } from './mined-block.ts'

/** Selects a block in a call for state; RSKj expects `requireCanonical` (EIP-1898) as text. */
type NodeSelector = string | { blockHash: string; requireCanonical: true | 'true' }

/** Reads state that no proof covers. Nodes whose answers are compared read the same block. */
export async function readState<T, Block extends Selector>(
  { ask, comparesAnswers }: Pick<NodeAccess, 'ask' | 'comparesAnswers'>,
  block: Block,
  read: (node: UpstreamNode, block: Block | string) => Promise<T>,
): Promise<T> {
  const mustPinBlock = comparesAnswers && block === 'latest'
  const latest = mustPinBlock ? await ask((node) => readMinedBlock(node, block, false)) : undefined
  return await ask((node) => {
    node.markUnproved('unprovable')
    return read(node, latest?.hash ?? block)
  })
}

/** Reads state at a block, with the selector that a node accepts. */
export const readStateAt = <T>(
  access: Pick<NodeAccess, 'ask' | 'comparesAnswers'>,
  block: Selector,
  read: (node: UpstreamNode, selector: NodeSelector) => Promise<T>,
): Promise<T> =>
  readState(access, block, (node, pinnedBlock) =>
    readAtBlock(node, pinnedBlock, (selector) => read(node, selector)),
  )

/** Reads state at a block, by the block's number if the node does not accept the hash. */
export async function readAtBlock<T>(
  node: UpstreamNode,
  block: Selector,
  read: (block: NodeSelector) => Promise<T>,
): Promise<T> {
  const hash = getBlockHash(block)
  try {
    return await read(hash === undefined ? block : toNodeSelector(node, block, hash))
  } catch (error) {
    if (!(error instanceof RpcError) || error.code === codes.reverted) throw error
    if (hash !== undefined) return await readByNumber(node, hash, read)
    throw isRefusal(error, 'no_block') || isRefusal(error, 'no_state')
      ? createUnknownBlockError()
      : error
  }
}

function getBlockHash(block: Selector): string | undefined {
  if (typeof block !== 'string') return block.blockHash
  return isBlockHash(block) ? block : undefined
}

function toNodeSelector({ kind }: UpstreamNode, block: Selector, blockHash: string): NodeSelector {
  if (typeof block === 'string') return block
  return kind === 'rskj' ? { blockHash, requireCanonical: 'true' } : block
}

/** Wraps a bare hash for RSKj, which would read it as a number (EthModule). */
export function wrapBareHash({ kind }: UpstreamNode, selector: NodeSelector): NodeSelector {
  if (kind !== 'rskj' || typeof selector !== 'string' || !isBlockHash(selector)) return selector
  return { blockHash: selector, requireCanonical: 'true' }
}

/** Reads state by a block's number, and checks that the hash still belongs to that number. */
async function readByNumber<T>(
  node: UpstreamNode,
  hash: string,
  read: (number: string) => Promise<T>,
): Promise<T> {
  const block = await readMinedBlock(node, hash, false)
  if (block === null) throw createUnknownBlockError()
  const value = await read(block.number)
  const canonical = await readMinedBlock(node, block.number, false)
  if (canonical?.hash !== hash) {
    throw new RpcError(codes.failed, 'hash is not currently canonical')
  }
  return value
}

/** Returns go-ethereum's error for the state of a block that does not exist. */
export function createUnknownBlockError(): RpcError {
  return new RpcError(codes.failed, 'unknown block')
}
