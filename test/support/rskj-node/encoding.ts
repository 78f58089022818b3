import { type Hex, keccak256, numberToHex, toRlp } from 'viem'

/** What a header is made of, in the words of `eth_getBlockByNumber`. */
export type HeaderFields = {
  parentHash: Hex
  sha3Uncles: Hex
  miner: Hex
  stateRoot: Hex
  transactionsRoot: Hex
  receiptsRoot: Hex
  logsBloom: Hex
  difficulty: Hex
  number: Hex
  gasLimit: Hex
  gasUsed: Hex
  timestamp: Hex
  extraData: Hex
  paidFees: Hex
  minimumGasPrice: Hex
  uncles: readonly unknown[]
  bitcoinMergedMiningHeader: Hex
}

/**
 * The header as `rsk_getRawBlockHeaderBy…` prints it: version 0, up to RSKIP351, as the main network
 * has it (`BlockHeader.getEncoded`). Its keccak is the block's hash.
 */
export function encodeHeader(block: HeaderFields): Hex {
  return toRlp([...headerFields(block), block.bitcoinMergedMiningHeader])
}

/** What is mined in Bitcoin's blocks (`BlockHeader.getHashForMergedMining`). */
export function hashForMergedMining(block: HeaderFields): Hex {
  return keccak256(toRlp(headerFields(block)))
}

function headerFields(block: HeaderFields): Hex[] {
  return [
    block.parentHash,
    block.sha3Uncles,
    block.miner,
    block.stateRoot,
    block.transactionsRoot,
    block.receiptsRoot,
    block.logsBloom,
    number(block.difficulty),
    number(block.number),
    number(block.gasLimit),
    number(block.gasUsed),
    number(block.timestamp),
    block.extraData,
    number(block.paidFees),
    signed(block.minimumGasPrice),
    number(numberToHex(block.uncles.length)),
    // The root of RSKIP110's merged mining, which nobody fills.
    '0x',
  ]
}

export type ReceiptFields = {
  status: Hex
  cumulativeGasUsed: Hex
  gasUsed: Hex
  logsBloom: Hex
  logs: readonly { address: Hex; topics: readonly Hex[]; data: Hex }[]
}

/** `[postTxState, cumulativeGas, bloom, logs, gasUsed, status]` (`TransactionReceipt.getEncoded`). */
export function encodeReceipt(receipt: ReceiptFields): Hex {
  const status = number(receipt.status)
  return toRlp([
    status,
    number(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map(({ address, topics, data }) => [address, [...topics], data]),
    number(receipt.gasUsed),
    status,
  ])
}

export type TransactionFields = Record<
  'nonce' | 'gasPrice' | 'gas' | 'from' | 'value' | 'input' | 'v' | 'r' | 's',
  Hex
> & { to: Hex | null }

/** The bytes of a transaction that a block holds (`Transaction.rlpEncode`), REMASC's too. */
export function encodeTransaction(one: TransactionFields): Hex {
  const { nonce, gasPrice, gas, from, to, value, input, v, r, s } = one
  // REMASC's transaction has its zeros as bytes, all but those of its value (`RemascTransaction`).
  const isRemasc = Number(from) === 0
  const price = isRemasc ? '0x00' : number(gasPrice)
  const limit = isRemasc ? '0x00' : number(gas)
  const signature = [v, r, s].map(number)
  return toRlp([number(nonce), price, limit, to ?? '0x', number(value), input, ...signature])
}

/** A number without leading zeros, zero as no bytes. */
function number(value: Hex): Hex {
  const digits = value.slice(2).replace(/^0+/, '')
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}

/** `RLP.encodeSignedCoinNonNullZero`: two's complement, zero as one byte. */
function signed(value: Hex): Hex {
  const bytes = number(value)
  return Number.parseInt(bytes.slice(2, 4) || '80', 16) >= 0x80 ? `0x00${bytes.slice(2)}` : bytes
}
