import { type Hex, toHex } from 'viem'
import * as z from 'zod/mini'
import { buildBinaryProof } from '../objects/binary-trie.ts'
import { encodeProvedTransactions } from '../objects/encoded-transaction.ts'
import { listReceiptForms } from '../objects/receipts-trie.ts'
import { data } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { type ProvedBlock, readProvedBlock } from './mined-block.ts'
import { type CacheAccess, readProvedReceipt, readReceiptProof } from './receipts.ts'

const bytes = z.custom<Hex>((value) => data.safeParse(value).success)
/** A value of a block's trie, and the trie's nodes from the root to the value. */
const trieValue = z.object({ raw: bytes, nodes: z.array(bytes) })

/** A proof that a transaction is in the chain; the header of its block comes first. */
export const provedPayment = z.object({
  isProved: z.literal(true),
  transaction: z.extend(trieValue, { index: z.int() }),
  receipt: trieValue,
  headers: z.array(z.object({ raw: bytes, coinbase: bytes, merkleProof: bytes })),
})

export type ProvedPayment = z.output<typeof provedPayment>
export type PaymentProof = ProvedPayment | { isProved: false; says: string }

const unproved = (says: string): PaymentProof => ({ isProved: false, says })

/** Builds a transaction's proof, with at most `headersAbove` headers of the blocks above it. */
export async function buildPaymentProof(
  node: UpstreamNode,
  hash: string,
  headersAbove: number,
  context: CacheAccess,
): Promise<PaymentProof> {
  if (node.mining === undefined) return unproved('nobody mines the blocks of this chain')
  const proved = await readProvedReceipt(node, hash, context)
  if (proved === null) return unproved('no block has the transaction')
  const { blockHash, blockNumber, transactionIndex } = proved.receipt
  const provedBlock = await readProvedBlock(node, blockHash, true)
  const trieNodes = await readReceiptProof(node, blockHash, hash, context)
  const encoded =
    provedBlock?.proof && encodeProvedTransactions(provedBlock.block, provedBlock.proof.trieKind)
  if (provedBlock === null || encoded === undefined || trieNodes === null || node.isUnproved()) {
    return unproved('its block has an unknown form')
  }
  const index = Number(transactionIndex)
  const headers = [toProvedHeader(provedBlock)]
  for (let parent = provedBlock.block; headers.length <= headersAbove; ) {
    const number = toHex(Number(blockNumber) + headers.length)
    const next = await readProvedBlock(node, number, false)
    if (next?.proof === undefined || next.block.parentHash !== parent.hash) break
    headers.push(toProvedHeader(next))
    parent = next.block
  }
  return {
    isProved: true,
    transaction: { raw: encoded[index] as Hex, index, nodes: buildBinaryProof(encoded, index) },
    receipt: { raw: listReceiptForms(proved.receipt, 'rootstock')[0], nodes: trieNodes as Hex[] },
    headers,
  }
}

const toProvedHeader = ({ block, proof }: ProvedBlock): ProvedPayment['headers'][number] => ({
  raw: proof?.raw ?? '0x',
  coinbase: block.bitcoinMergedMiningCoinbaseTransaction as Hex,
  merkleProof: block.bitcoinMergedMiningMerkleProof as Hex,
})
