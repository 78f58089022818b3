import * as z from 'zod/mini'
import type { BlockRange } from '../../chain/logs.ts'
import { MalformedAnswer, UntrueAnswer } from '../../chain/rpc.ts'
import { orNull } from '../../runtime/json.ts'
import { type MinedBlock, type RawBlock, rawBlock } from '../objects/block.ts'
import { encodeProvedTransactions } from '../objects/encoded-transaction.ts'
import { type ProvedHeader, proveHeader } from '../objects/header.ts'
import { hash, isBlockHash, quantity, toQuantity } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { lookUp } from './lookup.ts'

/** A mined block, and what its hash proves; undefined if the header's form is unknown. */
export type ProvedBlock = { block: MinedBlock; proof: ProvedHeader | undefined }

/** Reads a mined block, and checks that its hash and number fit; `null` without such a block. */
export async function readMinedBlock(node: UpstreamNode, selector: string, full: boolean) {
  return (await readProvedBlock(node, selector, full))?.block ?? null
}

/** Reads a mined block with its proof; full transactions are proved by their root. */
export async function readProvedBlock(node: UpstreamNode, selector: string, full: boolean) {
  const block = await findMinedBlock(node, selector, full, rawBlock)
  if (block === null) return null
  const proof = proveHeader(block, node.mining)
  recordProof(node, block, proof)
  if (full && proof && !encodeProvedTransactions(block, proof.trieKind))
    node.markUnproved('unknown_form')
  return { block, proof }
}

const blocksPerBatch = 50

/** Reads blocks by their numbers, both ends included, and many of them at a time. */
export async function* readInBatches<T>(
  { from, to }: BlockRange,
  read: (number: string) => Promise<T>,
): AsyncGenerator<T> {
  for (let start = from; start <= to; start += blocksPerBatch) {
    const length = Math.min(blocksPerBatch, to - start + 1)
    yield* await Promise.all(Array.from({ length }, (_, index) => read(toQuantity(start + index))))
  }
}

/**
 * A block with all that can be read of it, and the name of the node that told it. The bloom is
 * `null` if the block's hash does not prove it; nothing proves its list of transactions.
 */
export type HeaderBlock = MinedBlock & { bloom: string | null; toldBy: string }

/** Parses what links a block to others, and all other fields as `null` if they are malformed. */
const followedBlock = z.extend(
  z.looseObject(
    Object.fromEntries(
      Object.entries(rawBlock.shape).map(([name, field]) => [name, z.catch(field, null as never)]),
    ) as unknown as typeof rawBlock.shape,
  ),
  {
    number: quantity,
    hash,
    parentHash: hash,
    transactions: z.catch(rawBlock.shape.transactions, []),
  },
)

/** Reads a mined block for who follows the chain: a malformed field makes it unproved at most. */
export async function readFollowedBlock(node: UpstreamNode, selector: string) {
  const block = await findMinedBlock(node, selector, false, followedBlock)
  if (block === null) return null
  const proof = proveReadableHeader(block, node)
  recordProof(node, block, proof)
  return { ...block, bloom: proof === undefined ? null : block.logsBloom, toldBy: node.name }
}

function proveReadableHeader(block: MinedBlock, { mining }: UpstreamNode) {
  try {
    return proveHeader(block, mining)
  } catch (error) {
    if (error instanceof MalformedAnswer) return undefined
    throw error
  }
}

async function findMinedBlock(
  node: UpstreamNode,
  selector: string,
  full: boolean,
  form: z.ZodMiniType<RawBlock>,
): Promise<MinedBlock | null> {
  const isByHash = isBlockHash(selector)
  const method = isByHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const raw = await lookUp(node, method, [selector, full], form)
  if (raw === null) return null
  const { number, hash } = raw
  if (!number || !hash) throw new MalformedAnswer('a mined block lacks its number or its hash')
  if (isByHash && hash !== selector) throw new UntrueAnswer('a block came under another hash')
  if (!isByHash && selector.startsWith('0x') && number !== selector) {
    throw new MalformedAnswer('another block came than was asked for')
  }
  return { ...raw, number, hash }
}

function recordProof(node: UpstreamNode, { number }: MinedBlock, proof?: ProvedHeader): void {
  if (proof !== undefined) node.setKind(proof.trieKind === 'rootstock' ? 'rskj' : 'ethereum')
  // A block may be older than the network's known header forms.
  else node.markUnproved(Number(number) < (node.mining?.from ?? 1) ? 'unprovable' : 'unknown_form')
}

export async function readPendingBlock(node: UpstreamNode, full: boolean) {
  return await node.call('eth_getBlockByNumber', ['pending', full], orNull(rawBlock))
}
