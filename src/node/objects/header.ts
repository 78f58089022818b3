import { type Hex, keccak256, toRlp } from 'viem'
import { MalformedAnswer, UntrueAnswer } from './bad-answers.ts'

type Fields = Readonly<Record<string, unknown>>

/** Header fields in their order on the wire (yellow paper). */
const fields = [
  ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot'],
  ...['logsBloom', 'difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'extraData'],
  ...['mixHash', 'nonce'],
]

/** What later blocks have besides, in this order (EIP-1559, 4895, 4844, 4788, 7685). */
const laterFields = [
  ...['baseFeePerGas', 'withdrawalsRoot', 'blobGasUsed', 'excessBlobGas'],
  ...['parentBeaconBlockRoot', 'requestsHash'],
]

/** Fields that are numbers; the others are bytes. */
const numbers = new Set([
  ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'baseFeePerGas'],
  ...['blobGasUsed', 'excessBlobGas'],
])

/** The RLP of an Ethereum block's header, rebuilt from the block as JSON. */
function encodeHeader(block: Fields): Hex {
  const present = laterFields.filter((name) => typeof block[name] === 'string')
  return toRlp([...fields, ...present].map((name) => encodeField(block[name], numbers.has(name))))
}

/** Gives the raw header of an Ethereum block; refuses one that is not the block's hash. */
export function verifiedHeader(block: Fields): Hex {
  const raw = encodeHeader(block)
  if (keccak256(raw) !== block.hash) throw new UntrueAnswer('a block does not fit its own hash')
  return raw
}

function encodeField(value: unknown, isNumber: boolean): Hex {
  if (typeof value !== 'string') throw new MalformedAnswer('a block lacks a field of its header')
  return isNumber ? quantityHex(value) : (value as Hex)
}

/** A number as RLP has it: big-endian, without leading zeros, zero as nothing. */
export function quantityHex(value: string): Hex {
  const digits = value.slice(2).replace(/^0+/, '')
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}
