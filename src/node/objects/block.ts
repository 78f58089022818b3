import type { Hex } from 'viem'
import * as z from 'zod/mini'
import { address, data, hash, orMissing, quantity, transactionType, withDefault } from './values.ts'

/** Parses a transaction in the form of an answer; unknown fields pass. */
export const transaction = z.looseObject({
  hash,
  nonce: quantity,
  blockHash: orMissing(hash),
  blockNumber: orMissing(quantity),
  transactionIndex: orMissing(quantity),
  from: address,
  to: orMissing(address),
  gas: quantity,
  gasPrice: quantity,
  value: quantity,
  input: data,
  v: quantity,
  r: data,
  s: data,
  type: transactionType,
})

export type Transaction = z.output<typeof transaction>

const pendingPosition = { blockHash: null, blockNumber: null, transactionIndex: null }

/** Parses a transaction as nodes return it: older RSKj omits the type, REMASC the signature. */
export const rawTransaction = z.extend(transaction, {
  v: withDefault('0x0', quantity),
  r: withDefault('0x0', data),
  s: withDefault('0x0', data),
  type: withDefault('0x0', transactionType),
})

/** Sets a pending transaction's position in its block to `null`. */
export function shapeTransaction(raw: Transaction, isPending = !raw.blockHash): Transaction {
  return isPending ? { ...raw, ...pendingPosition } : raw
}

/** Tells whether a type is of Rootstock's namespace: `0x02 || 00..7f` (RSKIP-543, RSKIP-546). */
export const isNamespaced = (type: string): boolean => /^0x02[0-7][0-9a-f]$/.test(type)

/** Returns the bytes that a type puts before the RLP (EIP-2718): none for a legacy transaction. */
export function toTypeBytes(type: string): Hex {
  if (isNamespaced(type)) return type as Hex
  const digits = BigInt(type).toString(16)
  return digits === '0' ? '0x' : `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`
}

/** Splits the bytes of a transaction or a receipt into their type and their RLP. */
export function splitType(raw: Hex): { type: string; rlp: Hex } {
  const [first, second] = [Number(raw.slice(0, 4)), Number(`0x${raw.slice(4, 6)}`)]
  // A list in RLP begins at 0xc0.
  if (first >= 0x80) return { type: '0x0', rlp: raw }
  if (first === 2 && second < 0x80) return { type: raw.slice(0, 6), rlp: `0x${raw.slice(6)}` }
  return { type: `0x${first.toString(16)}`, rlp: `0x${raw.slice(4)}` }
}

/** Names a type in words: as a number, or as the two bytes of Rootstock's namespace. */
export const nameType = (type: string): string => (isNamespaced(type) ? type : `${Number(type)}`)

/** Parses a block in the form of an answer; unknown fields pass. */
export const block = z.looseObject({
  number: orMissing(quantity),
  hash: orMissing(hash),
  parentHash: hash,
  sha3Uncles: hash,
  logsBloom: orMissing(data),
  transactionsRoot: hash,
  stateRoot: hash,
  receiptsRoot: hash,
  miner: address,
  difficulty: quantity,
  /** Is `null` where the node leaves it out, as newer Ethereum nodes do. */
  totalDifficulty: orMissing(quantity),
  extraData: data,
  size: quantity,
  gasLimit: quantity,
  gasUsed: quantity,
  timestamp: quantity,
  transactions: z.union([z.array(hash), z.array(transaction)]),
  uncles: z.array(hash),
  /** Equals the base fee on an Ethereum chain. */
  minimumGasPrice: quantity,
  /** Belongs to Rootstock's merged mining; these four are `null` on other chains. */
  bitcoinMergedMiningHeader: orMissing(data),
  bitcoinMergedMiningCoinbaseTransaction: orMissing(data),
  bitcoinMergedMiningMerkleProof: orMissing(data),
  hashForMergedMining: orMissing(data),
  /** Is `null` for a pending block, and for a block whose receipts are missing. */
  paidFees: orMissing(quantity),
  /** Adds the difficulties of this block and its uncles, as RSKj does. */
  cumulativeDifficulty: orMissing(quantity),
})

export type Block = z.output<typeof block>

/** Parses a block as nodes return it, with missing fields. */
export const rawBlock = z.extend(block, {
  miner: withDefault(`0x${'0'.repeat(40)}`, address),
  transactions: z.union([z.array(hash), z.array(rawTransaction)]),
  minimumGasPrice: z.nullish(quantity),
})

export type RawBlock = z.output<typeof rawBlock>

/** Describes a mined block as a node prints it, with a number and a hash. */
export type MinedBlock = RawBlock & { number: string; hash: string }

export function shapeBlock(raw: RawBlock, isPending: boolean): Block {
  const { baseFeePerGas } = raw
  const baseFee = typeof baseFeePerGas === 'string' ? baseFeePerGas : '0x0'
  return {
    ...raw,
    transactions: raw.transactions.map((entry) =>
      typeof entry === 'string' ? entry : shapeTransaction(entry, isPending),
    ) as Block['transactions'],
    minimumGasPrice: raw.minimumGasPrice ?? baseFee,
  }
}

/** Returns a pending block: number, hash, bloom and transactions' positions are `null`. */
export function shapePendingBlock(raw: RawBlock): Block {
  return {
    ...shapeBlock(raw, true),
    number: null,
    hash: null,
    logsBloom: null,
    paidFees: null,
    cumulativeDifficulty: raw.cumulativeDifficulty ?? raw.difficulty,
  }
}

/** Returns the hashes of signed transactions, without Rootstock's REMASC at a block's end. */
export function listSignedTransactions({ transactions, minimumGasPrice }: RawBlock): string[] {
  const isRootstock = typeof minimumGasPrice === 'string'
  const signed = isRootstock ? transactions.slice(0, -1) : transactions
  return signed.flatMap((entry) => getTransactionHash(entry) ?? [])
}

export function getTransactionHash(entry: RawBlock['transactions'][number] | undefined) {
  return typeof entry === 'string' ? entry : entry?.hash
}
