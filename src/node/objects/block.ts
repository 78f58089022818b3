import * as z from 'zod/mini'
import { rawTransaction, shapeTransaction, transaction } from './transaction.ts'
import { address, data, fillIn, forEach, hash, quantity } from './values.ts'

/** A block as it is answered; fields beyond these pass. */
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
  /** `null` where the node does not say, as Ethereum's no longer do. */
  totalDifficulty: z.nullable(quantity),
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
  bitcoinMergedMiningHeader: z.nullable(data),
  bitcoinMergedMiningCoinbaseTransaction: z.nullable(data),
  bitcoinMergedMiningMerkleProof: z.nullable(data),
  hashForMergedMining: z.nullable(data),
  /** `null` while the block is pending, and where its receipts cannot be had. */
  paidFees: z.nullable(quantity),
  /** This block's difficulty and its uncles', as RSKj counts it. */
  cumulativeDifficulty: z.nullable(quantity),
})

export type Block = z.output<typeof block>

/** What nodes may leave out of a block: it is `null` in the answer then. */
const leftOut = [
  ...(['number', 'hash', 'logsBloom', 'totalDifficulty', 'hashForMergedMining'] as const),
  ...(['bitcoinMergedMiningHeader', 'bitcoinMergedMiningCoinbaseTransaction'] as const),
  ...(['bitcoinMergedMiningMerkleProof', 'paidFees', 'cumulativeDifficulty'] as const),
]

export const rawBlock = z.extend(z.partial(block, forEach(leftOut, true)), {
  miner: z.nullish(address),
  transactions: z.union([z.array(hash), z.array(rawTransaction)]),
  minimumGasPrice: z.nullish(quantity),
})

export type RawBlock = z.output<typeof rawBlock>

/** A mined block as a node prints it: it has a number and a hash. */
export type MinedBlock = RawBlock & { number: string; hash: string }

export function shapeBlock(raw: RawBlock, pending: boolean): Block {
  return {
    ...fillIn(raw, leftOut),
    miner: raw.miner ?? `0x${'0'.repeat(40)}`,
    transactions: raw.transactions.map((entry) =>
      typeof entry === 'string' ? entry : shapeTransaction(entry, pending),
    ),
    minimumGasPrice: raw.minimumGasPrice ?? baseFee(raw) ?? '0x0',
  } as Block
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

/** Gives the hashes of what was signed: Rootstock ends each block with REMASC's transaction. */
export function sentTransactions({ transactions, minimumGasPrice }: RawBlock): string[] {
  const isRootstock = typeof minimumGasPrice === 'string'
  const sent = isRootstock ? transactions.slice(0, -1) : transactions
  return sent.flatMap((entry) => hashOf(entry) ?? [])
}

/** The hash of a transaction that a block holds as its hash or as a whole. */
export function hashOf(entry: RawBlock['transactions'][number] | undefined): string | undefined {
  return typeof entry === 'string' ? entry : entry?.hash
}

function baseFee({ baseFeePerGas }: RawBlock): string | undefined {
  return typeof baseFeePerGas === 'string' ? baseFeePerGas : undefined
}
