import { createMerkleProof, createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, concat, hexToBytes } from 'viem'
import { quantityBytes } from './header.ts'
import type { RawReceipt } from './receipt.ts'
import { UntrueAnswer } from './untrue-answer.ts'

/** An Ethereum receipt as the receipts trie holds it (EIP-2718 where the transaction is typed). */
export function encodeReceipt(receipt: RawReceipt): Uint8Array {
  const { status, root, cumulativeGasUsed, logsBloom, logs, type } = receipt
  const body = RLP.encode([
    status ? quantityBytes(status) : bytes(root ?? '0x'),
    quantityBytes(cumulativeGasUsed),
    bytes(logsBloom),
    logs.map((log) => [bytes(log.address), log.topics.map(bytes), bytes(log.data)]),
  ])
  return Number(type ?? 0) === 0 ? body : concat([Uint8Array.of(Number(type)), body])
}

/**
 * The receipts trie of a block.
 *
 * @throws {UntrueAnswer} its root is not the one in the block's header
 */
export async function verifiedTrie(
  receipts: readonly RawReceipt[],
  receiptsRoot: string,
): Promise<MerklePatriciaTrie> {
  const trie = await createMPT()
  for (const [index, receipt] of receipts.entries()) {
    await trie.put(RLP.encode(index), encodeReceipt(receipt))
  }
  if (bytesToHex(trie.root()) !== receiptsRoot) {
    throw new UntrueAnswer('the receipts of a block do not fit its receiptsRoot')
  }
  return trie
}

/** The nodes from the trie's root down to one receipt. */
export async function proofNodes(trie: MerklePatriciaTrie, index: number): Promise<string[]> {
  return (await createMerkleProof(trie, RLP.encode(index))).map((node) => bytesToHex(node))
}

function bytes(hex: string): Uint8Array {
  return hexToBytes(hex as `0x${string}`)
}
