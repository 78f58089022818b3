import * as z from 'zod/mini'
import { type MinedBlock, type RawBlock, rawBlock } from '../objects/block.ts'
import { verifiedHeader } from '../objects/header.ts'
import { UntrueAnswer } from '../objects/untrue-answer.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { lookUp } from './lookup.ts'

/**
 * A mined block from a node, `null` if it does not exist.
 *
 * @throws {UntrueAnswer} it is not the block that was asked for, or does not fit its own hash
 */
export async function minedBlock(
  node: UpstreamNode,
  selector: string,
  full: boolean,
): Promise<MinedBlock | null> {
  const byHash = selector.length === 66
  const method = byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const raw = await lookUp(node, method, [selector, full], z.nullable(rawBlock))
  if (raw === null) return null
  const { number, hash } = raw
  if (!number || !hash) throw new UntrueAnswer('a mined block lacks its number or its hash')
  const asked = byHash ? hash === selector : !selector.startsWith('0x') || number === selector
  if (!asked) throw new UntrueAnswer('another block came than was asked for')
  // RSKj's header cannot be rebuilt from its JSON, and its hash is not always the header's keccak.
  if (node.profile === 'ethereum') verifiedHeader(raw)
  return { ...raw, number, hash }
}

/** The next block as a node would make it now, `null` where it makes none. */
export async function pendingBlockOf(node: UpstreamNode, full: boolean): Promise<RawBlock | null> {
  return await node.call('eth_getBlockByNumber', ['pending', full], z.nullable(rawBlock))
}
