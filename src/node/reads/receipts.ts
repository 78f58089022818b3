import type { Hex } from 'viem'
import * as z from 'zod/mini'
import { MalformedAnswer, TransportError, UntrueAnswer } from '../../chain/rpc.ts'
import { orNull } from '../../runtime/json.ts'
import { hashKeccak } from '../../runtime/keccak.ts'
import { walkBinaryProof } from '../objects/binary-trie.ts'
import { getTransactionHash, type MinedBlock } from '../objects/block.ts'
import { proveHeader } from '../objects/header.ts'
import {
  type ChainLog,
  type LogFilter,
  matchesFilter,
  mayContainLogs,
  rawLogs,
  toLogQuery,
} from '../objects/log.ts'
import { type RawReceipt, rawReceipt } from '../objects/receipt.ts'
import {
  buildReceiptsTrie,
  collectProofNodes,
  encodeReceipts,
  listReceiptForms,
  type TrieKind,
} from '../objects/receipts-trie.ts'
import { data, toQuantity } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import type { NodeAccess } from '../upstream/upstreams.ts'
import { lookUp, undefinedIfUnsupported } from './lookup.ts'
import { type ProvedBlock, readProvedBlock } from './mined-block.ts'

const rawReceipts = z.array(rawReceipt)

/** Names a block and the transactions whose receipts it has. */
type ReceiptsBlock = Pick<MinedBlock, 'hash' | 'number' | 'transactions'>

/** Reads all receipts of a block in order; throws if one is missing or of another block. */
export async function readReceipts(node: UpstreamNode, block: ReceiptsBlock) {
  if (block.transactions.length === 0) return []
  const receipts = await fetchReceipts(node, block)
  let logsBefore = 0
  const isComplete =
    receipts.length === block.transactions.length &&
    receipts.every((receipt, index) => {
      // Nodes count logs within the block, or within the transaction.
      const areCounted = [logsBefore, 0].some((first) =>
        receipt.logs.every(({ logIndex }, place) => Number(logIndex) === first + place),
      )
      logsBefore += receipt.logs.length
      return areCounted && isInPlace(receipt, block, index)
    })
  if (!isComplete) throw new MalformedAnswer('the node returned other receipts than the block has')
  return receipts
}

/** Tells whether a receipt and its logs name their place in a block: the root proves no place. */
export function isInPlace(
  receipt: RawReceipt,
  { hash, number, transactions }: ReceiptsBlock,
  index: number,
): boolean {
  return [receipt, ...receipt.logs].every(
    ({ blockHash, blockNumber, transactionHash, transactionIndex }) =>
      blockHash === hash &&
      blockNumber === number &&
      transactionHash === getTransactionHash(transactions[index]) &&
      transactionIndex === toQuantity(index),
  )
}

/**
 * Reads a block's receipts, as the root in its header proves them if that is proved. Those of a
 * type that this version does not know are unproved, if a transaction of the block has such a type.
 */
export async function readProvedReceipts(
  node: UpstreamNode,
  block: ReceiptsBlock & Pick<MinedBlock, 'receiptsRoot'>,
  trieKind: TrieKind | undefined,
): Promise<{ receipts: RawReceipt[]; encoded: Hex[] | undefined }> {
  const receipts = await readReceipts(node, block)
  if (trieKind === undefined) return { receipts, encoded: undefined }
  const encoded = encodeReceipts(receipts, block.receiptsRoot, trieKind)
  if (encoded !== undefined) return { receipts, encoded }
  const whole = await readProvedBlock(node, block.hash, true)
  if (whole === null) throwBlockReorganized()
  if (node.isUnproved()) return { receipts, encoded }
  throw new UntrueAnswer('receipts have a type that no transaction of their block has')
}

async function fetchReceipts(node: UpstreamNode, block: ReceiptsBlock): Promise<RawReceipt[]> {
  const blockReceipts = await undefinedIfUnsupported(
    node.call('eth_getBlockReceipts', [block.hash], orNull(rawReceipts)),
  )
  // Some nodes accept only numbers here, and answer that there is no such block.
  if (blockReceipts) return blockReceipts
  const receipts = await Promise.all(
    block.transactions.map((entry) =>
      node.call('eth_getTransactionReceipt', [getTransactionHash(entry)], orNull(rawReceipt)),
    ),
  )
  return receipts.map((receipt) => receipt ?? throwBlockReorganized())
}

/** Throws for a block that was reorganized away, for which its node is not distrusted. */
export function throwBlockReorganized(): never {
  throw new TransportError('the block left the chain while it was read')
}

export type CacheAccess = Pick<NodeAccess, 'getOrCompute'>

/** The facts that a block's hash proves: its transactions with their types, its receipts' root. */
type BlockFacts = Pick<MinedBlock, 'hash' | 'number' | 'receiptsRoot'> &
  Record<'transactions' | 'types', string[]> & { trieKind: TrieKind }

/** Reads what a block's hash proves; undefined if it proves nothing, `null` without the block. */
export async function readBlockFacts(
  node: UpstreamNode,
  blockHash: string,
  { getOrCompute }: CacheAccess,
): Promise<BlockFacts | undefined | null> {
  let blockExists = true
  const text = await getOrCompute(`block facts ${blockHash}`, 'proved', async () => {
    const provedBlock = await readProvedBlock(node, blockHash, true)
    blockExists = provedBlock !== null
    if (provedBlock?.proof === undefined || node.isUnproved()) return null
    const { hash, number, receiptsRoot, transactions } = provedBlock.block
    const { trieKind } = provedBlock.proof
    const whole = transactions.filter((entry) => typeof entry === 'object')
    const hashes = whole.map((entry) => entry.hash)
    const types = whole.map(({ type }) => type)
    const facts = { hash, number, receiptsRoot, trieKind, transactions: hashes, types }
    return JSON.stringify(facts satisfies BlockFacts)
  })
  if (text === null) return blockExists ? undefined : null
  return JSON.parse(text) as BlockFacts
}

/** Reads a receipt, proved by its block's hash if possible; `null` without a receipt. */
export async function readProvedReceipt(node: UpstreamNode, txHash: string, context: CacheAccess) {
  const receipt = await lookUp(node, 'eth_getTransactionReceipt', [txHash], rawReceipt)
  if (receipt === null) return null
  const { transactionHash, blockHash, transactionIndex } = receipt
  if (transactionHash !== txHash) throw new UntrueAnswer('a receipt is of another transaction')
  const facts = await readBlockFacts(node, blockHash, context)
  if (facts === null) throwBlockReorganized()
  if (facts === undefined) return { receipt, trieKind: undefined }
  const index = Number(transactionIndex)
  if (facts.types[index] !== receipt.type || !isInPlace(receipt, facts, index))
    throw new UntrueAnswer('a receipt is not where it says')
  const provedHash = await readReceiptHash(node, facts, index, context)
  const [encoded] = listReceiptForms(receipt, facts.trieKind)
  if (hashKeccak(encoded) !== provedHash) {
    throw new UntrueAnswer("a receipt does not fit its block's receiptsRoot")
  }
  return { receipt, trieKind: facts.trieKind }
}

/** Reads the proved hash of a block's receipt, from RSKj's proof or from all receipts. */
async function readReceiptHash(
  node: UpstreamNode,
  facts: BlockFacts,
  index: number,
  { getOrCompute }: CacheAccess,
): Promise<string | undefined> {
  const { hash, receiptsRoot, trieKind, transactions } = facts
  const provedHash =
    trieKind === 'rootstock' &&
    (await getOrCompute(`receipt ${hash} ${index}`, 'proved', async () => {
      const proof = await undefinedIfUnsupported(askReceiptNodes(node, hash, transactions[index]))
      return proof ? walkReceiptProof(proof, receiptsRoot, index).valueHash : null
    }))
  if (provedHash) return provedHash
  const text = await getOrCompute(`receipts ${hash}`, 'proved', async () => {
    const { encoded = [] } = await readProvedReceipts(node, facts, trieKind)
    return JSON.stringify(encoded.map((each) => hashKeccak(each)))
  })
  return (JSON.parse(`${text}`) as string[])[index]
}

/** Walks a proof from RSKj. @throws {UntrueAnswer} it does not lead to the receipt */
export function walkReceiptProof(nodes: readonly Hex[], root: string, index: number) {
  const proof = walkBinaryProof(nodes, root, index)
  if (proof === undefined) throw new UntrueAnswer('a proof does not lead to its receipt')
  return proof
}

const trieNodes = z.array(data)

/** Asks RSKj for the trie nodes from a receipt to the root; the leaf comes first. */
export async function askReceiptNodes(node: UpstreamNode, blockHash: string, txHash = '') {
  const method = 'rsk_getTransactionReceiptNodesByHash'
  return (await node.call(method, [blockHash, txHash], orNull(trieNodes))) as Hex[] | null
}

/** Reads the nodes of the receipts trie from its root to a receipt; `null` without one. */
export async function readReceiptProof(
  node: UpstreamNode,
  blockHash: string,
  hash: string,
  context: CacheAccess,
): Promise<string[] | null> {
  const facts = await readBlockFacts(node, blockHash, context)
  if (facts === null) return null
  if (facts === undefined) {
    return (await askReceiptNodes(node, blockHash, hash))?.toReversed() ?? null
  }
  const { receiptsRoot, trieKind, transactions } = facts
  const index = transactions.indexOf(hash)
  if (index === -1) return null
  if (trieKind === 'rootstock') {
    const nodes = (await askReceiptNodes(node, blockHash, hash)) ?? []
    return walkReceiptProof(nodes, receiptsRoot, index).nodes
  }
  const { encoded = [] } = await readProvedReceipts(node, facts, trieKind)
  return collectProofNodes(buildReceiptsTrie(encoded), index)
}

/** Reads a block's logs, proved by its bloom or receipts if possible; `null` without the block. */
export async function readBlockLogs(node: UpstreamNode, selector: string, filter: LogFilter) {
  const provedBlock = await readProvedBlock(node, selector, false)
  return provedBlock && (await readLogsOf(node, provedBlock, filter))
}

/** Reads a known block's logs; throws if the node lacks the block. */
export async function readKnownBlockLogs(node: UpstreamNode, selector: string, filter: LogFilter) {
  const blockLogs = await readBlockLogs(node, selector, filter)
  if (blockLogs === null) throw new TransportError(`${node.name} lacks a block that is known`)
  return blockLogs
}

/** Reads all logs of a block that was read from this node or from another one. */
export async function readProvedLogs(node: UpstreamNode, block: MinedBlock): Promise<ChainLog[]> {
  const proof = proveHeader(block, node.mining)
  if (proof === undefined) return await readKnownBlockLogs(node, block.hash, {})
  return await readLogsOf(node, { block, proof }, {})
}

/** Takes a proved block's logs from its receipts; those of another are as the node returns them. */
async function readLogsOf(node: UpstreamNode, { block, proof }: ProvedBlock, filter: LogFilter) {
  if (proof === undefined) {
    const query = toLogQuery(filter, { blockHash: block.hash })
    const nodeLogs = await node.call('eth_getLogs', [query], rawLogs)
    return nodeLogs.filter((log) => matchesFilter(filter, log))
  }
  const { logsBloom } = block
  if (logsBloom && (Number(logsBloom) === 0 || !mayContainLogs(logsBloom, filter))) return []
  const { receipts } = await readProvedReceipts(node, block, proof.trieKind)
  return receipts.flatMap(({ logs }) => logs).filter((log) => matchesFilter(filter, log))
}
