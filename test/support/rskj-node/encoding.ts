import { type Hex, keccak256, numberToHex, toRlp } from 'viem'

/** What a header is made of, in the words of `eth_getBlockByNumber`. */
export type HeaderFields = Record<(typeof named)[number], Hex> & {
  uncles: readonly unknown[]
  bitcoinMergedMiningHeader: Hex
}

const bytes = (value: Hex): Hex => value

/** How each field is written, in their order. */
const fields = {
  parentHash: bytes,
  sha3Uncles: bytes,
  miner: bytes,
  stateRoot: bytes,
  transactionsRoot: bytes,
  receiptsRoot: bytes,
  logsBloom: bytes,
  difficulty: number,
  number,
  gasLimit: number,
  gasUsed: number,
  timestamp: number,
  extraData: bytes,
  paidFees: number,
  minimumGasPrice: signed,
} as const
const named = Object.keys(fields) as (keyof typeof fields)[]

/** Encodes a header of version 0, up to RSKIP351 (`BlockHeader.getEncoded`); its keccak is the hash. */
export function encodeHeader(block: HeaderFields): Hex {
  return toRlp([...headerFields(block), block.bitcoinMergedMiningHeader])
}

/** What is mined in Bitcoin's blocks (`BlockHeader.getHashForMergedMining`). */
export function hashForMergedMining(block: HeaderFields): Hex {
  return keccak256(toRlp(headerFields(block)))
}

function headerFields(block: HeaderFields): Hex[] {
  // The last is the root of RSKIP110's merged mining, which nobody fills.
  const uncles = number(numberToHex(block.uncles.length))
  return [...named.map((name) => fields[name](block[name])), uncles, '0x']
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
