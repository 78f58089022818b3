import type { Hex } from 'viem'
import * as z from 'zod/mini'
import { TransportError } from '../../chain/rpc.ts'
import { orNull } from '../../runtime/json.ts'
import { MalformedAnswer, UntrueAnswer } from '../objects/bad-answers.ts'
import { getTransactionHash, type MinedBlock } from '../objects/block.ts'
import { type RawReceipt, rawReceipt } from '../objects/receipt.ts'
import { encodeReceipts, type TrieKind } from '../objects/receipts-trie.ts'
import { toQuantity } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { undefinedIfUnsupported } from './lookup.ts'
import { readProvedBlock } from './mined-block.ts'

const rawReceipts = z.array(rawReceipt)

/** Reads all receipts of a block in order; throws if one is missing or of another block. */
export async function readReceipts(
  node: UpstreamNode,
  block: Pick<MinedBlock, 'hash' | 'number' | 'transactions'>,
): Promise<RawReceipt[]> {
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
  { hash, number, transactions }: Pick<MinedBlock, 'hash' | 'number' | 'transactions'>,
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
 * Reads a block's receipts, as the root in its header proves them. Those of a type that this
 * version does not know are unproved, if a transaction of the block has such a type too.
 */
export async function readProvedReceipts(
  node: UpstreamNode,
  block: Pick<MinedBlock, 'hash' | 'number' | 'transactions' | 'receiptsRoot'>,
  trieKind: TrieKind,
): Promise<{ receipts: RawReceipt[]; encoded: Hex[] | undefined }> {
  const receipts = await readReceipts(node, block)
  const encoded = encodeReceipts(receipts, block.receiptsRoot, trieKind)
  if (encoded !== undefined) return { receipts, encoded }
  const whole = await readProvedBlock(node, block.hash, true)
  if (whole === null) throwBlockReorganized()
  if (node.isUnproved()) return { receipts, encoded }
  throw new UntrueAnswer('receipts have a type that no transaction of their block has')
}

async function fetchReceipts(
  node: UpstreamNode,
  block: Pick<MinedBlock, 'hash' | 'number' | 'transactions'>,
): Promise<RawReceipt[]> {
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
