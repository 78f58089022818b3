import * as z from 'zod/mini'
import { rawTransaction, shapeTransaction, transaction } from './transaction.ts'
import { address, data, hash, quantity, withDefault } from './values.ts'

/** Parses a block in the form of an answer; unknown fields pass. */
export const block = z.looseObject({
  number: z.nullable(quantity),
  hash: z.nullable(hash),
  parentHash: hash,
  sha3Uncles: hash,
  logsBloom: z.nullable(data),
  transactionsRoot: hash,
  stateRoot: hash,
  receiptsRoot: hash,
  miner: address,
  difficulty: quantity,
  /** Is `null` where the node leaves it out, as newer Ethereum nodes do. */
  totalDifficulty: z.nullable(quantity),
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
  bitcoinMergedMiningHeader: z.nullable(data),
  bitcoinMergedMiningCoinbaseTransaction: z.nullable(data),
  bitcoinMergedMiningMerkleProof: z.nullable(data),
  hashForMergedMining: z.nullable(data),
  /** Is `null` for a pending block, and for a block whose receipts are missing. */
  paidFees: z.nullable(quantity),
  /** Adds the difficulties of this block and its uncles, as RSKj does. */
  cumulativeDifficulty: z.nullable(quantity),
})

export type Block = z.output<typeof block>

/** Parses a block as nodes return it, with missing fields. */
export const rawBlock = z.extend(block, {
  number: withDefault(null, quantity),
  hash: withDefault(null, hash),
  logsBloom: withDefault(null, data),
  miner: withDefault(`0x${'0'.repeat(40)}`, address),
  totalDifficulty: withDefault(null, quantity),
  transactions: z.union([z.array(hash), z.array(rawTransaction)]),
  minimumGasPrice: z.nullish(quantity),
  bitcoinMergedMiningHeader: withDefault(null, data),
  bitcoinMergedMiningCoinbaseTransaction: withDefault(null, data),
  bitcoinMergedMiningMerkleProof: withDefault(null, data),
  hashForMergedMining: withDefault(null, data),
  paidFees: withDefault(null, quantity),
  cumulativeDifficulty: withDefault(null, quantity),
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

export function getTransactionHash(
  entry: RawBlock['transactions'][number] | undefined,
): string | undefined {
  return typeof entry === 'string' ? entry : entry?.hash
}
