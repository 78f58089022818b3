import { fromRlp, type Hex, keccak256, parseTransaction, toHex } from 'viem'
import * as z from 'zod/mini'
import { getNetwork, type MiningRules } from '../../chain/chains.ts'
import { UntrueAnswer } from '../objects/bad-answers.ts'
import { buildBinaryProof, walkBinaryProof } from '../objects/binary-trie.ts'
import { encodeProvedTransactions } from '../objects/encoded-transaction.ts'
import { decodeHeader } from '../objects/header.ts'
import { assertMined } from '../objects/merged-mining.ts'
import { listReceiptForms } from '../objects/receipts-trie.ts'
import { isNamespaced, splitType } from '../objects/transaction.ts'
import { data } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { type ProvedBlock, readProvedBlock } from './mined-block.ts'
import { type CacheAccess, readProvedReceipt } from './proved-receipt.ts'
import { readReceiptProof } from './raw-data.ts'

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

/**
 * Verifies a transaction's proof by hashes only; `rules` replace those of its chain. `work` is how
 * many hashes the miners of its headers computed on average.
 * @throws {UntrueAnswer} the proof does not show this transaction
 */
export function verifyPayment(hash: string, proof: ProvedPayment, rules?: MiningRules) {
  const { transaction, receipt } = proof
  const { type, rlp } = splitType(transaction.raw)
  const { chainId = 0 } = parseTransaction(isNamespaced(type) ? rlp : transaction.raw)
  const mining = rules ?? getNetwork(chainId).mining
  const headers = proof.headers.map((header) => readProvedHeader(header, mining))
  const [paymentHeader = throwUntrue('there is no header')] = headers
  const isLinked = headers.every(
    ({ parentHash }, index) => index === 0 || parentHash === headers[index - 1]?.hash,
  )
  if (!isLinked) throwUntrue('a header does not name the one before it as its parent')
  if (keccak256(transaction.raw) !== hash) throwUntrue('the bytes are of another transaction')
  assertInTrie(`${paymentHeader.transactionsRoot}`, transaction.index, transaction)
  assertInTrie(`${paymentHeader.receiptsRoot}`, transaction.index, receipt)
  // A receipt in RLP: status, cumulative gas, bloom and logs.
  const [status, , , logs] = fromRlp(splitType(receipt.raw).rlp, 'hex') as [
    Hex,
    Hex,
    Hex,
    [Hex, Hex[], Hex][],
  ]
  return {
    chainId,
    block: { number: Number(paymentHeader.number), hash: paymentHeader.hash as Hex },
    blocks: headers.length,
    work: headers.reduce((sum, { difficulty }) => sum + BigInt(`${difficulty}`), 0n),
    succeeded: status === '0x01',
    logs: logs.map(([address, topics, logged]) => ({ address, topics, data: logged })),
  }
}

function readProvedHeader(
  { raw, coinbase, merkleProof }: ProvedPayment['headers'][number],
  mining: MiningRules,
): Record<string, unknown> {
  const header = decodeHeader(raw)
  if (header === undefined || Number(header.number) < mining.from)
    return throwUntrue('a header has an unknown form')
  const work = {
    ...header,
    bitcoinMergedMiningCoinbaseTransaction: coinbase,
    bitcoinMergedMiningMerkleProof: merkleProof,
  }
  assertMined(work, header.mined, mining)
  return header
}

function assertInTrie(
  root: string,
  index: number,
  { raw, nodes }: z.output<typeof trieValue>,
): void {
  const provedValue = walkBinaryProof(nodes, root, index)
  // No node of the trie may be missing, and none may be more than the path needs.
  const isExact = provedValue?.valueHash === keccak256(raw) && `${provedValue.nodes}` === `${nodes}`
  if (!isExact) throwUntrue('bytes are not in the trie of the block')
}

function throwUntrue(reason: string): never {
  throw new UntrueAnswer(reason)
}
