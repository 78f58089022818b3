import {
  concatHex,
  formatTransaction,
  fromRlp,
  type Hex,
  keccak256,
  padHex,
  recoverAddress,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerialized,
  toRlp,
} from 'viem'
import { UntrueAnswer } from './bad-answers.ts'
import type { MinedBlock } from './block.ts'
import { encodeQuantity } from './header.ts'
import { computeTrieRoot, type TrieKind } from './receipts-trie.ts'
import { isNamespaced, splitType, type Transaction, toTypeBytes } from './transaction.ts'

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
  const prefix = toTypeBytes(transaction.type)
  if (prefix !== '0x' && !isNamespaced(transaction.type)) {
    const encoding = encodeTyped(transaction)
    if (encoding === undefined) return { kind: 'unknown' }
    return keccak256(encoding) === transaction.hash
      ? { kind: 'found', bytes: encoding, zeros: 0 }
      : { kind: 'none' }
  }
  const prices = listPriceForms(transaction)
  const parities = listParityForms(transaction)
  for (let zeros = 0; zeros < 2 * maxNumberBytes; zeros += 1) {
    for (let nonceZeros = 0; nonceZeros <= zeros; nonceZeros += 1) {
      for (const { price, priceZeros } of prices) {
        for (const v of parities) {
          const fields = { ...transaction, v, gasPrice: price }
          const list = encodeLegacy(fields, nonceZeros, zeros - nonceZeros)
          if (list === undefined) continue
          const bytes = concatHex([prefix, list])
          const allZeros = zeros + priceZeros
          if (keccak256(bytes) === transaction.hash)
            return { kind: 'found', bytes, zeros: allZeros }
          budget.bytesLeft -= bytes.length / 2
          if (budget.bytesLeft < 0) return { kind: 'unknown' }
        }
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

/** Lists what a legacy signature's `v` may be where a node prints its parity alone (RSKIP-546). */
function listParityForms({ v, r }: Transaction): string[] {
  const parity = Number(v)
  if (parity > 1 || Number(r) === 0) return [v]
  const ofChains = [30, 31, 33].map((chainId) => `0x${(2 * chainId + 35 + parity).toString(16)}`)
  return [...ofChains, `0x${(27 + parity).toString(16)}`, v]
}

/** Encodes a transaction with leading zeros in nonce and gas limit; undefined if too long. */
function encodeLegacy(
  transaction: Transaction,
  nonceZeros: number,
  gasZeros: number,
): Hex | undefined {
  const { gas, to, value, input, v, r, s } = transaction
  const nonce = padWithZeros(encodeQuantity(transaction.nonce), nonceZeros)
  const paddedGas = padWithZeros(encodeQuantity(gas), gasZeros)
  if (nonce === undefined || paddedGas === undefined) return undefined
  // REMASC's transaction encodes zeros as a byte, but not in its value (`RemascTransaction`).
  const isPaid = !isUnsigned(transaction)
  const [price, limit] = isPaid ? [transaction.gasPrice, paddedGas] : ['0x00', '0x00']
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
    const { r, s, yParity, yparity, ...fields } = formatTransaction(transaction as never) as Record<
      string,
      unknown
    >
    // RSKj spells it `yparity`.
    const signature = { r, s, yParity: Number(yParity ?? yparity) }
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
    return (await recoverSigner(bytes)).toLowerCase()
  } catch {
    return undefined
  }
}

/**
 * Recovers who signed a transaction. In Rootstock's namespace the type's two bytes come before what
 * EIP-155 signs.
 * @throws {Error} nobody can have signed it
 */
export async function recoverSigner(bytes: Hex): Promise<Hex> {
  const { type, rlp } = splitType(bytes)
  if (!isNamespaced(type))
    return recoverTransactionAddress({ serializedTransaction: bytes as TransactionSerialized })
  const [v = '0x', r = '0x', s = '0x'] = (fromRlp(rlp, 'hex') as Hex[]).slice(-3)
  const parity = Number(v)
  const chainId = Math.floor((parity - 35) / 2)
  const signed = (fromRlp(rlp, 'hex') as Hex[]).slice(0, -3)
  const ofChain: Hex[] =
    parity < 35 ? [] : [encodeQuantity(`0x${chainId.toString(16)}`), '0x', '0x']
  return await recoverAddress({
    hash: keccak256(concatHex([type as Hex, toRlp([...signed, ...ofChain])])),
    signature: {
      r: padHex(r, { size: 32 }),
      s: padHex(s, { size: 32 }),
      yParity: (parity + 1) % 2,
    },
  })
}
