import { createMerkleProof, createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { bytesToHex, type Hex, hexToBytes, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { RawReceipt } from '../../../../src/node/objects/receipt.ts'
import {
  buildReceiptsTrie,
  collectProofNodes,
  encodeReceipts,
} from '../../../../src/node/objects/receipts-trie.ts'

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((each) => bytesToHex(each))

const receipt = fc
  .record({
    status: fc.constantFrom('0x0', '0x1', undefined),
    root: bytes(32),
    cumulativeGasUsed: fc.bigInt({ min: 0n, max: 2n ** 40n }).map((gas) => toHex(gas)),
    logsBloom: bytes(256),
    type: fc.constantFrom('0x0', '0x2'),
    logs: fc.array(
      fc.record({
        address: bytes(20),
        topics: fc.array(bytes(32), { maxLength: 4 }),
        data: fc.uint8Array({ maxLength: 80 }).map((each) => bytesToHex(each)),
      }),
      { maxLength: 3 },
    ),
  })
  .map((fields) => fields as unknown as RawReceipt)

/** Builds the trie with another implementation. */
async function otherTrie(receipts: readonly RawReceipt[]) {
  const trie = await createMPT()
  for (const [index, each] of receipts.entries()) {
    const { status, root, cumulativeGasUsed, logsBloom, logs, type } = each
    const body = RLP.encode([
      status === undefined ? hexToBytes(root as Hex) : BigInt(status as string),
      BigInt(cumulativeGasUsed),
      hexToBytes(logsBloom as Hex),
      logs.map((log) => [
        hexToBytes(log.address as Hex),
        log.topics.map((topic) => hexToBytes(topic as Hex)),
        hexToBytes(log.data as Hex),
      ]),
    ])
    const typed = type === '0x2' ? Uint8Array.of(2, ...body) : body
    await trie.put(RLP.encode(index), typed)
  }
  return trie
}

describe('The receipts trie of a block', () => {
  // Keys of one byte, of two and of three, and the branches between them.
  test.for([0, 1, 2, 3, 16, 17, 127, 128, 129, 130, 255, 256, 257, 300])(
    'has the root and the proofs of another implementation with %i receipts',
    async (count) => {
      const all = fc.sample(receipt, { numRuns: count, seed: count })
      const other = await otherTrie(all)
      const trie = buildReceiptsTrie(
        encodeReceipts(all, bytesToHex(other.root()), 'ethereum') ?? [],
      )
      for (const index of all.keys()) {
        const proof = await createMerkleProof(other, RLP.encode(index))
        expect(collectProofNodes(trie, index)).toEqual(proof.map((node) => bytesToHex(node)))
      }
    },
  )
})
