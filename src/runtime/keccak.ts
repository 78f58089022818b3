import { hexToBytes } from '@noble/hashes/utils.js'
import sha3 from 'js-sha3'
import type { Hex } from 'viem'

/** Computes Keccak-256 as viem's `keccak256` does, in a third of the time. */
export const hashKeccak = (value: Hex | Uint8Array): Hex =>
  `0x${sha3.keccak256(typeof value === 'string' ? parseHex(value) : value)}`

/** Computes Keccak-256 as bytes. */
export const hashKeccakBytes = (value: Hex | Uint8Array): Uint8Array =>
  new Uint8Array(sha3.keccak256.arrayBuffer(typeof value === 'string' ? parseHex(value) : value))

/** Parses hex as viem does: before an odd number of digits stands a zero. */
function parseHex(hex: Hex): Uint8Array {
  const digits = hex.slice(2)
  return hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`)
}
