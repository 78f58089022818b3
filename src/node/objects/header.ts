import { type Hex, keccak256, toRlp } from 'viem'
import { MalformedAnswer, UntrueAnswer } from './bad-answers.ts'

type Fields = Readonly<Record<string, unknown>>

/** Header fields in their order on the wire (yellow paper; EIP-1559, 4895, 4844, 4788, 7685). */
const fields = [
  ['parentHash', 'bytes'],
  ['sha3Uncles', 'bytes'],
  ['miner', 'bytes'],
  ['stateRoot', 'bytes'],
  ['transactionsRoot', 'bytes'],
  ['receiptsRoot', 'bytes'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'number'],
  ['number', 'number'],
  ['gasLimit', 'number'],
  ['gasUsed', 'number'],
  ['timestamp', 'number'],
  ['extraData', 'bytes'],
  ['mixHash', 'bytes'],
  ['nonce', 'bytes'],
] as const

const laterFields = [
  ['baseFeePerGas', 'number'],
  ['withdrawalsRoot', 'bytes'],
  ['blobGasUsed', 'number'],
  ['excessBlobGas', 'number'],
  ['parentBeaconBlockRoot', 'bytes'],
  ['requestsHash', 'bytes'],
] as const

/** The RLP of an Ethereum block's header, rebuilt from the block as JSON. */
function encodeHeader(block: Fields): Hex {
  const present = laterFields.filter(([name]) => typeof block[name] === 'string')
  return toRlp([...fields, ...present].map(([name, kind]) => encodeField(block[name], kind)))
}

/** Gives the raw header of an Ethereum block; refuses one that is not the block's hash. */
export function verifiedHeader(block: Fields): Hex {
  const raw = encodeHeader(block)
  if (keccak256(raw) !== block.hash) throw new UntrueAnswer('a block does not fit its own hash')
  return raw
}

function encodeField(value: unknown, kind: 'bytes' | 'number'): Hex {
  if (typeof value !== 'string') throw new MalformedAnswer('a block lacks a field of its header')
  return kind === 'bytes' ? (value as Hex) : quantityHex(value)
}

/** A number as RLP has it: big-endian, without leading zeros, zero as nothing. */
export function quantityHex(value: string): Hex {
  const digits = value.slice(2).replace(/^0+/, '')
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}
