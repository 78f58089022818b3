import { z } from 'zod'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import type { Context } from '../methods/method.ts'
import { ifServed, lookUp } from '../reads/lookup.ts'
import type { Node } from '../upstream/node.ts'
import { verifiedHeader } from './header.ts'
import { type RawReceipt, rawReceipt } from './receipt.ts'
import { rawTransaction, shapeTransaction, transaction } from './transaction.ts'
import { UntrueAnswer } from './untrue-answer.ts'
import { address, data, hash, quantity, toQuantity } from './values.ts'

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

/**
 * A mined block from a node, `null` when there is none.
 *
 * @throws {UntrueAnswer} it is not the block that was asked for, or does not fit its own hash
 */
export async function minedBlock(
  node: Node,
  selector: string,
  full: boolean,
): Promise<MinedBlock | null> {
  const byHash = selector.length === 66
  const method = byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const raw = await lookUp(node, method, [selector, full], rawBlock.nullable())
  if (raw === null) return null
  const { number, hash } = raw
  if (!number || !hash) throw new UntrueAnswer('a mined block lacks its number or its hash')
  const asked = byHash ? hash === selector : !selector.startsWith('0x') || number === selector
  if (!asked) throw new UntrueAnswer('another block came than was asked for')
  // RSKj's header cannot be rebuilt from its JSON, and its hash is not always the header's keccak.
  if (node.profile === 'ethereum') verifiedHeader(raw)
  return { ...raw, number, hash }
}

/** The next block as a node would make it now, `null` where it makes none. */
export async function pendingBlockOf(node: Node, full: boolean): Promise<RawBlock | null> {
  return await node.call('eth_getBlockByNumber', ['pending', full], rawBlock.nullable())
}

/** A mined block with every field of the answer. */
export async function completeBlock(
  node: Node,
  raw: MinedBlock,
  { once }: Pick<Context, 'once'>,
): Promise<Block> {
  return {
    ...shape(raw, false),
    paidFees: raw.paidFees ?? (await once(`paidFees ${raw.hash}`, () => paidFees(node, raw))),
    cumulativeDifficulty:
      raw.cumulativeDifficulty ??
      (raw.uncles.length === 0
        ? raw.difficulty
        : await once(`cumulativeDifficulty ${raw.hash}`, () => withUncles(node, raw))),
  }
}

/** A pending block: its number, hash and bloom are `null`, and so is where its transactions are. */
export function pendingBlock(raw: RawBlock): Block {
  return {
    ...shape(raw, true),
    number: null,
    hash: null,
    logsBloom: null,
    paidFees: null,
    cumulativeDifficulty: raw.cumulativeDifficulty ?? raw.difficulty,
  }
}

/**
 * All receipts of a block, in order.
 *
 * @throws {UntrueAnswer} they are another block's, or not all of them
 */
export async function receiptsOf(node: Node, raw: MinedBlock): Promise<RawReceipt[]> {
  if (raw.transactions.length === 0) return []
  const receipts = await blockReceipts(node, raw)
  const complete =
    receipts.length === raw.transactions.length &&
    receipts.every(
      ({ blockHash, transactionHash }, index) =>
        blockHash === raw.hash && transactionHash === hashOf(raw.transactions[index]),
    )
  if (!complete) throw new UntrueAnswer('the receipts of a block are not its own')
  return receipts
}

/** The hash of a transaction that a block holds as its hash or as a whole. */
export function hashOf(entry: RawBlock['transactions'][number] | undefined): string | undefined {
  return typeof entry === 'string' ? entry : entry?.hash
}

async function blockReceipts(node: Node, raw: MinedBlock): Promise<RawReceipt[]> {
  const together = await ifServed(
    node.call('eth_getBlockReceipts', [raw.hash], z.array(rawReceipt).nullable()),
  )
  // Some nodes serve it for numbers only, and say that there is no such block.
  if (together) return together
  const each = await Promise.all(
    raw.transactions.map((entry) =>
      node.call('eth_getTransactionReceipt', [hashOf(entry)], rawReceipt.nullable()),
    ),
  )
  return each.map((receipt) => receipt ?? gone())
}

/** Nobody lied: the node has left the block for another one. */
function gone(): never {
  throw new TransportError('the block left the chain while it was read')
}

async function paidFees(node: Node, raw: MinedBlock): Promise<string | null> {
  if (raw.transactions.length === 0) return '0x0'
  try {
    const receipts = await receiptsOf(node, raw)
    const fees = receipts.map(({ gasUsed, effectiveGasPrice }) =>
      effectiveGasPrice ? BigInt(gasUsed) * BigInt(effectiveGasPrice) : undefined,
    )
    if (!fees.every((fee) => fee !== undefined)) return null
    return toQuantity(fees.reduce((sum, fee) => sum + fee, 0n))
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

async function withUncles(node: Node, raw: MinedBlock): Promise<string | null> {
  const uncle = z.looseObject({ difficulty: quantity })
  try {
    const uncles = await Promise.all(
      raw.uncles.map((_, index) =>
        node.call('eth_getUncleByBlockHashAndIndex', [raw.hash, toQuantity(index)], uncle),
      ),
    )
    return toQuantity(
      [raw, ...uncles].reduce((sum, { difficulty }) => sum + BigInt(difficulty), 0n),
    )
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

function shape(raw: RawBlock, pending: boolean) {
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

function baseFee({ baseFeePerGas }: RawBlock): string | undefined {
  return typeof baseFeePerGas === 'string' ? baseFeePerGas : undefined
}
