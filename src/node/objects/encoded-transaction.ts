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
import { encodeQuantity } from './header.ts'
import { computeTrieRoot, type TrieKind } from './receipts-trie.ts'
import type { Transaction } from './transaction.ts'

/** Limits a number's bytes, including leading zeros, which RSKj leaves as the sender wrote them. */
const maxNumberBytes = 32

/** Limits the bytes hashed to find a transaction's encoding. */
const maxHashedBytes = 300_000

/** The search's result: `unknown` for an unknown type, or a search that would take too long. */
type EncodingSearch =
  | { kind: 'found'; bytes: Hex; zeros: number }
  | { kind: 'unknown' }
  | { kind: 'none' }

/** Finds the encoding that has a transaction's hash; `budget` limits the bytes to hash. */
function findEncoding(transaction: Transaction, budget: { bytesLeft: number }): EncodingSearch {
  if (Number(transaction.type) !== 0) {
    const encoding = encodeTyped(transaction)
    if (encoding === undefined) return { kind: 'unknown' }
    return keccak256(encoding) === transaction.hash
      ? { kind: 'found', bytes: encoding, zeros: 0 }
      : { kind: 'none' }
  }
  const prices = listPriceForms(transaction)
  for (let zeros = 0; zeros < 2 * maxNumberBytes; zeros += 1) {
    for (let nonceZeros = 0; nonceZeros <= zeros; nonceZeros += 1) {
      for (const { price, priceZeros } of prices) {
        const bytes = encodeLegacy(transaction, price, nonceZeros, zeros - nonceZeros)
        if (bytes === undefined) continue
        const allZeros = zeros + priceZeros
        if (keccak256(bytes) === transaction.hash) return { kind: 'found', bytes, zeros: allZeros }
        budget.bytesLeft -= bytes.length / 2
        if (budget.bytesLeft < 0) return { kind: 'unknown' }
      }
    }
  }
  return { kind: 'none' }
}

/** Lists how RSKj may hold a gas price: zero as nothing, or as a byte (`encodeCoinNonNullZero`). */
function listPriceForms({ gasPrice }: Transaction): { price: Hex; priceZeros: number }[] {
  const price = encodeQuantity(gasPrice)
  const usual = { price, priceZeros: 0 }
  return price === '0x' ? [usual, { price: '0x00', priceZeros: 1 }] : [usual]
}

/** Encodes a transaction with leading zeros in nonce and gas limit; undefined if too long. */
function encodeLegacy(
  transaction: Transaction,
  gasPrice: Hex,
  nonceZeros: number,
  gasZeros: number,
): Hex | undefined {
  const { gas, to, value, input, v, r, s } = transaction
  const nonce = padWithZeros(encodeQuantity(transaction.nonce), nonceZeros)
  const paddedGas = padWithZeros(encodeQuantity(gas), gasZeros)
  if (nonce === undefined || paddedGas === undefined) return undefined
  // REMASC's transaction encodes zeros as a byte, but not in its value (`RemascTransaction`).
  const [price, limit] = isUnsigned(transaction) ? ['0x00', '0x00'] : [gasPrice, paddedGas]
  const fields = [nonce, price, limit, to ?? '0x', encodeQuantity(value), input]
  return toRlp([...fields, ...[v, r, s].map(encodeQuantity)] as Hex[])
}

function padWithZeros(number: Hex, zeros: number): Hex | undefined {
  const digits = `${'00'.repeat(zeros)}${number.slice(2)}`
  return digits.length > 2 * maxNumberBytes ? undefined : `0x${digits}`
}

/** Tells whether a transaction is REMASC's, which ends each Rootstock block without a signature. */
const isUnsigned = ({ from, r, s }: Transaction): boolean =>
  Number(from) === 0 && Number(r) === 0 && Number(s) === 0

function encodeTyped(transaction: Transaction): Hex | undefined {
  try {
    const { r, s, yParity, ...fields } = formatTransaction(transaction as never) as Record<
      string,
      unknown
    >
    const signature = { r, s, yParity: Number(yParity) }
    return serializeTransaction({ ...fields, data: transaction.input } as never, signature as never)
  } catch {
    return undefined
  }
}

/**
 * Encodes a block's full transactions, each proved by its hash and position, and all by the root;
 * returns undefined if an encoding is unknown.
 * @throws {UntrueAnswer} a hash, a position or the root does not fit
 */
export function encodeProvedTransactions(
  { hash, ...block }: MinedBlock,
  trieKind: TrieKind,
): Hex[] | undefined {
  const encoded: Hex[] = []
  const budget = { bytesLeft: maxHashedBytes }
  for (const [index, transaction] of block.transactions.entries()) {
    if (typeof transaction === 'string') return undefined
    const search = findEncoding(transaction, budget)
    if (search.kind === 'unknown') return undefined
    const isInPlace =
      transaction.blockHash === hash && Number(transaction.transactionIndex) === index
    if (!isInPlace || search.kind === 'none') {
      throw new UntrueAnswer('a transaction does not fit its hash or its block')
    }
    encoded.push(search.bytes)
  }
  if (computeTrieRoot(encoded, trieKind) === block.transactionsRoot) return encoded
  throw new UntrueAnswer('the transactions of a block do not fit its transactionsRoot')
}

/**
 * Checks a transaction against its hash and signature; returns false if its encoding is unusual.
 * @throws {UntrueAnswer} they do not fit
 */
export async function verifyTransaction(transaction: Transaction): Promise<boolean> {
  const search = findEncoding(transaction, { bytesLeft: maxHashedBytes })
  if (search.kind === 'unknown') return false
  if (search.kind === 'found') {
    if (search.zeros > 0) return false
    const sender = isUnsigned(transaction) ? transaction.from : await recoverSender(search.bytes)
    if (sender === transaction.from.toLowerCase()) return true
  }
  throw new UntrueAnswer('a transaction does not fit its hash')
}

async function recoverSender(bytes: Hex): Promise<string | undefined> {
  try {
    const serializedTransaction = bytes as TransactionSerialized
    return (await recoverTransactionAddress({ serializedTransaction })).toLowerCase()
  } catch {
    return undefined
  }
}
