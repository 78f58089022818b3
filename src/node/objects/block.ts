import { z } from 'zod'
import { rawTransaction, shapeTransaction, transaction } from './transaction.ts'
import { address, data, hash, quantity } from './values.ts'

/** A block as it is answered; fields beyond these pass. */
export const block = z.looseObject({
  number: quantity.nullable(),
  hash: hash.nullable(),
  parentHash: hash,
  sha3Uncles: hash,
  logsBloom: data.nullable(),
  transactionsRoot: hash,
  stateRoot: hash,
  receiptsRoot: hash,
  miner: address,
  difficulty: quantity,
  /** `null` where the node does not say, as Ethereum's no longer do. */
  totalDifficulty: quantity.nullable(),
  extraData: data,
  size: quantity,
  gasLimit: quantity,
  gasUsed: quantity,
  timestamp: quantity,
  transactions: z.union([z.array(hash), z.array(transaction)]),
  uncles: z.array(hash),
  /** On an Ethereum chain its nearest kin, the base fee. */
  minimumGasPrice: quantity,
  /** Merged mining is Rootstock's: these four are `null` on other chains. */
  bitcoinMergedMiningHeader: data.nullable(),
  bitcoinMergedMiningCoinbaseTransaction: data.nullable(),
  bitcoinMergedMiningMerkleProof: data.nullable(),
  hashForMergedMining: data.nullable(),
  /** `null` while the block is pending, and where its receipts cannot be had. */
  paidFees: quantity.nullable(),
  /** This block's difficulty and its uncles', as RSKj counts it. */
  cumulativeDifficulty: quantity.nullable(),
})

export type Block = z.output<typeof block>

/** A block as nodes print it. */
export const rawBlock = block.extend({
  number: quantity.nullish(),
  hash: hash.nullish(),
  logsBloom: data.nullish(),
  miner: address.nullish(),
  totalDifficulty: quantity.nullish(),
  transactions: z.union([z.array(hash), z.array(rawTransaction)]),
  minimumGasPrice: quantity.nullish(),
  bitcoinMergedMiningHeader: data.nullish(),
  bitcoinMergedMiningCoinbaseTransaction: data.nullish(),
  bitcoinMergedMiningMerkleProof: data.nullish(),
  hashForMergedMining: data.nullish(),
  paidFees: quantity.nullish(),
  cumulativeDifficulty: quantity.nullish(),
})

export type RawBlock = z.output<typeof rawBlock>

/** A mined block as a node prints it: it has a number and a hash. */
export type MinedBlock = RawBlock & { number: string; hash: string }

/** A block with every field that a node prints; what is left is for its receipts and uncles to tell. */
export function shapeBlock(raw: RawBlock, pending: boolean) {
  return {
    ...raw,
    number: raw.number ?? null,
    hash: raw.hash ?? null,
    logsBloom: raw.logsBloom ?? null,
    miner: raw.miner ?? `0x${'0'.repeat(40)}`,
    totalDifficulty: raw.totalDifficulty ?? null,
    transactions: raw.transactions.map((entry) =>
      typeof entry === 'string' ? entry : shapeTransaction(entry, pending),
    ) as Block['transactions'],
    minimumGasPrice: raw.minimumGasPrice ?? baseFee(raw) ?? '0x0',
    bitcoinMergedMiningHeader: raw.bitcoinMergedMiningHeader ?? null,
    bitcoinMergedMiningCoinbaseTransaction: raw.bitcoinMergedMiningCoinbaseTransaction ?? null,
    bitcoinMergedMiningMerkleProof: raw.bitcoinMergedMiningMerkleProof ?? null,
    hashForMergedMining: raw.hashForMergedMining ?? null,
  }
}

/** A pending block: its number, hash and bloom are `null`, and so is where its transactions are. */
export function pendingBlock(raw: RawBlock): Block {
  return {
    ...shapeBlock(raw, true),
    number: null,
    hash: null,
    logsBloom: null,
    paidFees: null,
    cumulativeDifficulty: raw.cumulativeDifficulty ?? raw.difficulty,
  }
}

/** The hash of a transaction that a block holds as its hash or as a whole. */
export function hashOf(entry: RawBlock['transactions'][number] | undefined): string | undefined {
  return typeof entry === 'string' ? entry : entry?.hash
}

function baseFee({ baseFeePerGas }: RawBlock): string | undefined {
  return typeof baseFeePerGas === 'string' ? baseFeePerGas : undefined
}
