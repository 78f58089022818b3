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
import { computeRoot, type Tries } from './receipts-trie.ts'
import type { Transaction } from './transaction.ts'

/**
 * Limits a number's bytes, including the leading zeros that RSKj keeps as the sender wrote them.
 */
const longestNumber = 32

/** Limits the bytes hashed to find a transaction's encoding. */
const mostHashed = 300_000

/**
 * Describes the search's result: `unknown` is an unknown type, or a search that would take too
 * long.
 */
type Written = { kind: 'found'; bytes: Hex; zeros: number } | { kind: 'unknown' } | { kind: 'none' }

/** Finds the bytes whose keccak is a transaction's hash; `budget` limits the bytes to hash. */
function findBytes(one: Transaction, budget: { left: number }): Written {
  if (Number(one.type) !== 0) {
    const typed = encodeTyped(one)
    if (typed === undefined) return { kind: 'unknown' }
    return keccak256(typed) === one.hash
      ? { kind: 'found', bytes: typed, zeros: 0 }
      : { kind: 'none' }
  }
  for (let zeros = 0; zeros < 2 * longestNumber; zeros += 1) {
    for (let ofNonce = 0; ofNonce <= zeros; ofNonce += 1) {
      const bytes = encodeLegacy(one, ofNonce, zeros - ofNonce)
      if (bytes === undefined) continue
      if (keccak256(bytes) === one.hash) return { kind: 'found', bytes, zeros }
      budget.left -= bytes.length / 2
      if (budget.left < 0) return { kind: 'unknown' }
    }
  }
  return { kind: 'none' }
}

/** Writes a transaction with so many zeros before nonce and gas limit; undefined if too long. */
function encodeLegacy(one: Transaction, ofNonce: number, ofGas: number): Hex | undefined {
  const { gasPrice, gas, to, value, input, v, r, s } = one
  const nonce = padded(quantityHex(one.nonce), ofNonce)
  const padGas = padded(quantityHex(gas), ofGas)
  if (nonce === undefined || padGas === undefined) return undefined
  // REMASC's transaction has its zeros as bytes, all but those of its value (`RemascTransaction`).
  const [price, limit] = isUnsigned(one) ? ['0x00', '0x00'] : [quantityHex(gasPrice), padGas]
  const fields = [nonce, price, limit, to ?? '0x', quantityHex(value), input]
  return toRlp([...fields, ...[v, r, s].map(quantityHex)] as Hex[])
}

function padded(number: Hex, zeros: number): Hex | undefined {
  const digits = `${'00'.repeat(zeros)}${number.slice(2)}`
  return digits.length > 2 * longestNumber ? undefined : `0x${digits}`
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
 * Encodes a block's full transactions, each proved by its hash and position, and all by the root;
 * returns undefined if an encoding is unknown.
 * @throws {UntrueAnswer} a hash, a position or the root does not fit
 */
export function encodeProvedTransactions(
  { hash, ...block }: MinedBlock,
  tries: Tries,
): Hex[] | undefined {
  const encoded: Hex[] = []
  const budget = { left: mostHashed }
  for (const [index, one] of block.transactions.entries()) {
    if (typeof one === 'string') return undefined
    const written = findBytes(one, budget)
    if (written.kind === 'unknown') return undefined
    const isInPlace = one.blockHash === hash && Number(one.transactionIndex) === index
    if (!isInPlace || written.kind === 'none') {
      throw new UntrueAnswer('a transaction does not fit its hash or its block')
    }
    encoded.push(written.bytes)
  }
  if (computeRoot(encoded, tries) === block.transactionsRoot) return encoded
  throw new UntrueAnswer('the transactions of a block do not fit its transactionsRoot')
}

/**
 * Checks a transaction against its hash and signature; returns false if its encoding is unusual.
 * @throws {UntrueAnswer} they do not fit
 */
export async function assertTransaction(one: Transaction): Promise<boolean> {
  const written = findBytes(one, { left: mostHashed })
  if (written.kind === 'unknown') return false
  if (written.kind === 'found') {
    if (written.zeros > 0) return false
    const sender = isUnsigned(one) ? one.from : await recoverSender(written.bytes)
    if (sender === one.from.toLowerCase()) return true
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
