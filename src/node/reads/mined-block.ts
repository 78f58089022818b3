import * as z from 'zod/mini'
import { MalformedAnswer, UntrueAnswer } from '../objects/bad-answers.ts'
import { type MinedBlock, type RawBlock, rawBlock } from '../objects/block.ts'
import { verifiedHeader } from '../objects/header.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { lookUp } from './lookup.ts'

/** Gives a mined block that fits what was asked for and, on Ethereum, its own hash; `null` without one. */
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
  if (!number || !hash) throw new MalformedAnswer('a mined block lacks its number or its hash')
  if (byHash && hash !== selector) throw new UntrueAnswer('a block came under another hash')
  if (!byHash && selector.startsWith('0x') && number !== selector) {
    throw new MalformedAnswer('another block came than was asked for')
  }
  // RSKj's header cannot be rebuilt from its JSON, and its hash is not always the header's keccak.
  if (node.profile === 'ethereum') verifiedHeader(raw)
  return { ...raw, number, hash }
}

/** The next block as a node would make it now, `null` where it makes none. */
export async function pendingBlockOf(node: UpstreamNode, full: boolean): Promise<RawBlock | null> {
  return await node.call('eth_getBlockByNumber', ['pending', full], z.nullable(rawBlock))
}
