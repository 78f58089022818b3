import * as z from 'zod/mini'
import { MalformedAnswer, UntrueAnswer } from '../objects/bad-answers.ts'
import { type MinedBlock, type RawBlock, rawBlock } from '../objects/block.ts'
import { encodeProvedTransactions } from '../objects/encoded-transaction.ts'
import { type ProvedHeader, proveHeader } from '../objects/header.ts'
import { isBlockHash } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { lookUp } from './lookup.ts'

/** A mined block, and what its hash proves; undefined if the header's form is unknown. */
export type ProvedBlock = { block: MinedBlock; proof: ProvedHeader | undefined }

/** Reads a mined block, and checks that its hash and number fit; `null` without such a block. */
export async function readMinedBlock(
  node: UpstreamNode,
  selector: string,
  full: boolean,
): Promise<MinedBlock | null> {
  return (await readProvedBlock(node, selector, full))?.block ?? null
}

/** Reads a mined block with its proof; full transactions are proved by their root. */
export async function readProvedBlock(
  node: UpstreamNode,
  selector: string,
  full: boolean,
): Promise<ProvedBlock | null> {
  const isByHash = isBlockHash(selector)
  const method = isByHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const raw = await lookUp(node, method, [selector, full], z.nullable(rawBlock))
  if (raw === null) return null
  const { number, hash } = raw
  if (!number || !hash) throw new MalformedAnswer('a mined block lacks its number or its hash')
  if (isByHash && hash !== selector) throw new UntrueAnswer('a block came under another hash')
  if (!isByHash && selector.startsWith('0x') && number !== selector) {
    throw new MalformedAnswer('another block came than was asked for')
  }
  const block = { ...raw, number, hash }
  const proof = proveHeader(block, node.mining)
  if (proof !== undefined) node.setKind(proof.trieKind === 'rootstock' ? 'rskj' : 'ethereum')
  if (proof === undefined) node.markUnproved(isTooOld(node, number) ? 'unprovable' : 'unknown_form')
  else if (full && !encodeProvedTransactions(block, proof.trieKind))
    node.markUnproved('unknown_form')
  return { block, proof }
}

/** Tells whether a block is older than the network's known header forms. */
const isTooOld = ({ mining }: UpstreamNode, number: string): boolean =>
  Number(number) < (mining?.from ?? 1)

export async function readPendingBlock(
  node: UpstreamNode,
  full: boolean,
): Promise<RawBlock | null> {
  return await node.call('eth_getBlockByNumber', ['pending', full], z.nullable(rawBlock))
}
