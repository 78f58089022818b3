import { type Hex, keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  encodeHeader,
  encodeReceipt,
  encodeTransaction,
  type HeaderFields,
  hashForMergedMining,
  type ReceiptFields,
  type TransactionFields,
} from '../../support/rskj-node/encoding.ts'
import { readRecording } from '../../support/rskj-node/recording.ts'
import { trieOf } from '../../support/rskj-node/trie.ts'

const recording = readRecording('main-network')
const results = new Map(
  recording.pairs.map(({ method, params, result }) => [`${method} ${params.join()}`, result]),
)

function receiptsOf(transactions: readonly { hash: string }[]): (ReceiptFields & { raw: Hex })[] {
  return transactions.map(({ hash }) => ({
    ...(results.get(`eth_getTransactionReceipt ${hash}`) as ReceiptFields),
    raw: results.get(`rsk_getRawTransactionReceiptByHash ${hash}`) as Hex,
  }))
}

describe('the node of the tests encodes to the byte what a real RSKj encodes', () => {
  // The genesis block's header is written in a form of its own.
  for (const block of recording.blocks.slice(1)) {
    const fields = block as unknown as HeaderFields & { hash: Hex; hashForMergedMining: Hex }
    test(`the header of block ${Number(block.number)}`, () => {
      expect(keccak256(encodeHeader(fields))).toBe(fields.hash)
      expect(hashForMergedMining(fields)).toBe(fields.hashForMergedMining)
    })

    test(`the transactions of block ${Number(block.number)}`, () => {
      const encoded = (block.transactions as unknown as TransactionFields[]).map(encodeTransaction)
      expect(encoded.map((one) => keccak256(one))).toEqual(
        block.transactions.map(({ hash }) => hash),
      )
      expect(trieOf(encoded).root).toBe(fields.transactionsRoot)
    })

    // Of blocks of one size the receipts of the first two were kept.
    const receipts = receiptsOf(block.transactions)
    if (receipts.some(({ raw }) => raw === undefined)) continue
    test(`the receipts of block ${Number(block.number)} and their proofs`, () => {
      expect(receipts.map(encodeReceipt)).toEqual(receipts.map(({ raw }) => raw))
      const trie = trieOf(receipts.map(({ raw }) => raw))
      expect(trie.root).toBe(fields.receiptsRoot)
      for (const [index, { hash }] of block.transactions.entries()) {
        expect(trie.proof(index)).toEqual(
          results.get(`rsk_getTransactionReceiptNodesByHash ${block.hash},${hash}`),
        )
      }
    })
  }
})
