import * as z from 'zod/mini'
import { TransportError } from '../../chain/rpc.ts'
import { MalformedAnswer } from '../objects/bad-answers.ts'
import { findHash, type MinedBlock } from '../objects/block.ts'
import { type RawReceipt, rawReceipt } from '../objects/receipt.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { undefinedIfUnserved } from './lookup.ts'

/** Reads all receipts of a block in order; throws if one is missing or of another block. */
export async function readReceipts(
  node: UpstreamNode,
  raw: Pick<MinedBlock, 'hash' | 'transactions'>,
): Promise<RawReceipt[]> {
  if (raw.transactions.length === 0) return []
  const receipts = await fetchReceipts(node, raw)
  const complete =
    receipts.length === raw.transactions.length &&
    receipts.every(
      ({ blockHash, transactionHash }, index) =>
        blockHash === raw.hash && transactionHash === findHash(raw.transactions[index]),
    )
  if (!complete) throw new MalformedAnswer('the receipts of a block are not its own')
  return receipts
}

async function fetchReceipts(
  node: UpstreamNode,
  raw: Pick<MinedBlock, 'hash' | 'transactions'>,
): Promise<RawReceipt[]> {
  const together = await undefinedIfUnserved(
    node.call('eth_getBlockReceipts', [raw.hash], z.nullable(z.array(rawReceipt))),
  )
  // Some nodes accept only numbers here, and answer that there is no such block.
  if (together) return together
  const receipts = await Promise.all(
    raw.transactions.map((entry) =>
      node.call('eth_getTransactionReceipt', [findHash(entry)], z.nullable(rawReceipt)),
    ),
  )
  return receipts.map((receipt) => receipt ?? throwBlockLeft())
}

/** Throws an error for a block that was reorganized away, which is not a lie. */
export function throwBlockLeft(): never {
  throw new TransportError('the block left the chain while it was read')
}
