import {
  formatTransaction,
  type Hex,
  keccak256,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerialized,
  toRlp,
} from 'viem'
import { UntrueAnswer } from './bad-answers.ts'
import type { MinedBlock } from './block.ts'
import { quantityHex } from './header.ts'
import { rootOf, type Tries } from './receipts-trie.ts'
import type { Transaction } from './transaction.ts'

/** Gives the bytes whose keccak is a transaction's hash; undefined for a type that is not known. */
export function encodeTransaction(one: Transaction): Hex | undefined {
  const { nonce, gasPrice, gas, to, value, input, v, r, s } = one
  if (Number(one.type) !== 0) return encodeTyped(one)
  // REMASC's transaction has its zeros as bytes, all but those of its value (`RemascTransaction`).
  const [price, limit] = isUnsigned(one) ? ['0x00', '0x00'] : [gasPrice, gas].map(quantityHex)
  const fields = [quantityHex(nonce), price, limit, to ?? '0x', quantityHex(value), input]
  return toRlp([...fields, ...[v, r, s].map(quantityHex)] as Hex[])
}

/** Tells whether nobody signed a transaction: the one of REMASC ends each of Rootstock's blocks. */
const isUnsigned = ({ from, r, s }: Transaction): boolean =>
  Number(from) === 0 && Number(r) === 0 && Number(s) === 0

function encodeTyped(one: Transaction): Hex | undefined {
  try {
    const { r, s, yParity, ...fields } = formatTransaction(one as never) as Record<string, unknown>
    const signature = { r, s, yParity: Number(yParity) }
    return serializeTransaction({ ...fields, data: one.input } as never, signature as never)
  } catch {
    return undefined
  }
}

/**
 * Checks that a block's whole transactions are those of its root, each under its hash and in its place;
 * false where one is of an unknown type.
 * @throws {UntrueAnswer} they are not
 */
export function assertTransactions({ hash, ...block }: MinedBlock, tries: Tries): boolean {
  const encoded: Hex[] = []
  for (const [index, one] of block.transactions.entries()) {
    const bytes = typeof one === 'string' ? undefined : encodeTransaction(one)
    if (bytes === undefined || typeof one === 'string') return false
    const isInPlace = one.blockHash === hash && Number(one.transactionIndex) === index
    if (!isInPlace || keccak256(bytes) !== one.hash) {
      throw new UntrueAnswer('a transaction does not fit its hash or its block')
    }
    encoded.push(bytes)
  }
  if (rootOf(encoded, tries) === block.transactionsRoot) return true
  throw new UntrueAnswer('the transactions of a block do not fit its transactionsRoot')
}

/**
 * Checks that a transaction fits its hash and its signature; false where its type is not known.
 * @throws {UntrueAnswer} it does not
 */
export async function assertTransaction(one: Transaction): Promise<boolean> {
  const bytes = encodeTransaction(one)
  if (bytes === undefined) return false
  const sender = isUnsigned(one) ? one.from : await senderOf(bytes)
  if (keccak256(bytes) === one.hash && sender === one.from.toLowerCase()) return true
  throw new UntrueAnswer('a transaction does not fit its hash')
}

async function senderOf(bytes: Hex): Promise<string | undefined> {
  try {
    const serializedTransaction = bytes as TransactionSerialized
    return (await recoverTransactionAddress({ serializedTransaction })).toLowerCase()
  } catch {
    return undefined
  }
}
