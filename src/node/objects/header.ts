import { SHA256, sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, fromRlp, type Hex, hexToBytes, toRlp } from 'viem'
import type { MiningRules } from '../../chain/chains.ts'
import { MalformedAnswer, UntrueAnswer } from '../../chain/rpc.ts'
import { hashKeccak } from '../../runtime/keccak.ts'

type Fields = Readonly<Record<string, unknown>>
type Encoder = (value: string) => Hex

/** Describes what a block's hash proves: the raw header, and the kind of its tries. */
export type ProvedHeader = { raw: Hex; trieKind: 'rootstock' | 'ethereum' }

export const asHex: Encoder = (value) => value as Hex

/** Lists the fields that both chains' headers begin with, in their order (yellow paper). */
const firstFields = {
  parentHash: asHex,
  sha3Uncles: asHex,
  miner: asHex,
  stateRoot: asHex,
  transactionsRoot: asHex,
  receiptsRoot: asHex,
  logsBloom: asHex,
  difficulty: encodeQuantity,
  number: encodeQuantity,
  gasLimit: encodeQuantity,
  gasUsed: encodeQuantity,
  timestamp: encodeQuantity,
  extraData: asHex,
}

/** Lists the header fields that Ethereum added, in order (EIP-1559, 4895, 4844, 4788, 7685). */
const laterFields = {
  baseFeePerGas: encodeQuantity,
  withdrawalsRoot: asHex,
  blobGasUsed: encodeQuantity,
  excessBlobGas: encodeQuantity,
  parentBeaconBlockRoot: asHex,
  requestsHash: asHex,
}

/** Lists Rootstock's fields; three are signed numbers (RSKj's `BlockHeader.getEncoded`). */
const rootstockFields = {
  ...firstFields,
  difficulty: encodeSigned,
  gasLimit: encodeSigned,
  paidFees: encodeQuantity,
  minimumGasPrice: encodeSigned,
}

/**
 * Proves a header by its hash; undefined if the header may have an unknown form.
 * @throws {UntrueAnswer} the hash is not the header's, or nobody mined it
 */
export function proveHeader(
  block: Fields,
  mining: MiningRules | undefined,
): ProvedHeader | undefined {
  if (mining === undefined && typeof block.minimumGasPrice !== 'string') {
    return { raw: encodeEthereumHeader(block), trieKind: 'ethereum' }
  }
  if (Number(block.number) < (mining?.from ?? 1)) return undefined
  const form = encodeRootstockForms(block).find(({ hashed }) => hashKeccak(hashed) === block.hash)
  if (form === undefined) return undefined
  if (mining !== undefined) assertMined(block, form.mined, mining)
  return { raw: form.raw, trieKind: 'rootstock' }
}

function encodeEthereumHeader(block: Fields): Hex {
  const later = Object.entries(laterFields).filter(([name]) => typeof block[name] === 'string')
  const raw = toRlp(
    encodeFields(block, {
      ...firstFields,
      mixHash: asHex,
      nonce: asHex,
      ...Object.fromEntries(later),
    }),
  )
  if (hashKeccak(raw) !== block.hash) throw new UntrueAnswer('a block does not fit its own hash')
  return raw
}

/** The bytes of the block's hash, those that are mined, and the header as RSKj returns it raw. */
type HeaderForm = { hashed: Hex; mined: Hex; raw: Hex }

/** Encodes a header as of version 0, 1 and 2 (RSKIP92, 110, 144, 351, 535). */
export function encodeRootstockForms(block: Fields): HeaderForm[] {
  const uncles = Array.isArray(block.uncles) ? block.uncles.length : 0
  const uncleCount = encodeQuantity(`0x${uncles.toString(16)}`)
  const plain: Hex[] = [...encodeFields(block, rootstockFields), uncleCount, '0x']
  const edges = Array.isArray(block.rskPteEdges) ? [encodeEdges(block.rskPteEdges)] : []
  const baseEvent = typeof block.baseEvent === 'string' ? asHex(block.baseEvent) : '0x'
  const bitcoinHeader = encodeField(block, 'bitcoinMergedMiningHeader', asHex)
  const endings: Hex[][] = [[], ['0x01', ...edges], ['0x02', ...edges, baseEvent]]
  // Headers before the Papyrus upgrade do not end with an empty root.
  const all = [...endings.map((ending) => [...plain, ...ending]), plain.slice(0, -1)]
  return all.map((parts) => toForm([...parts, bitcoinHeader]))
}

const fieldNames = Object.keys(rootstockFields)
const bloomIndex = fieldNames.indexOf('logsBloom')

/** Encodes the parts of a raw header, of which those of version 0 have neither version nor more. */
function toForm(parts: readonly Hex[]): HeaderForm {
  const raw = toRlp(parts)
  const bitcoinHeader = parts.slice(-1)
  const plain = parts.slice(0, Math.min(fieldNames.length + 2, parts.length - 1))
  const [version, ...after] = parts.slice(plain.length, -1)
  if (version === undefined) return { raw, hashed: raw, mined: toRlp(plain) }
  const extended = version === '0x02' ? [...after.slice(-1), ...after.slice(0, -1)] : after
  const extension = hashKeccak(toRlp([hashKeccak(plain[bloomIndex] ?? '0x'), ...extended]))
  const compressed = plain.with(bloomIndex, toRlp([version, extension]))
  return { raw, hashed: toRlp([...compressed, ...bitcoinHeader]), mined: toRlp(compressed) }
}

/**
 * Decodes Rootstock's raw header into its hash, its mined bytes and a node's fields, zero as `0x0`;
 * undefined if its form is unknown.
 */
export function decodeHeader(raw: Hex): (Fields & { hash: Hex; mined: Hex }) | undefined {
  const parts = [fromRlp(raw, 'hex')].flat()
  const isLong = parts.length >= fieldNames.length + 2
  if (!isLong || !parts.every((part) => typeof part === 'string')) return undefined
  const form = toForm(parts)
  if (form.raw !== raw) return undefined
  const fields = fieldNames.map((name, index) => [name, parts[index]?.replace(/^0x$/, '0x0')])
  const [hash, bitcoinMergedMiningHeader] = [hashKeccak(form.hashed), parts.at(-1)]
  return { ...Object.fromEntries(fields), hash, bitcoinMergedMiningHeader, mined: form.mined }
}

/** Writes the ends of a block's parallel parts (RSKIP144): two bytes each, low byte first. */
function encodeEdges(edges: readonly unknown[]): Hex {
  const shorts = edges.map((edge) => Number(edge).toString(16).padStart(4, '0'))
  return `0x${shorts.map((short) => short.slice(2) + short.slice(0, 2)).join('')}`
}

function encodeFields(block: Fields, fields: Readonly<Record<string, Encoder>>): Hex[] {
  return Object.entries(fields).map(([name, encoder]) => encodeField(block, name, encoder))
}

function encodeField(block: Fields, name: string, encoder: Encoder): Hex {
  const value = block[name]
  if (typeof value === 'string') return encoder(value)
  throw new MalformedAnswer('a block lacks a field of its header')
}

/** Writes a number as RLP has it: big-endian, without leading zeros, zero as nothing. */
export function encodeQuantity(value: string): Hex {
  const digits = value.slice(2).replace(/^0+/, '')
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}

/** Writes a number in two's complement, zero as one byte (`RLP.encodeSignedCoinNonNullZero`). */
function encodeSigned(value: string): Hex {
  const digits = encodeQuantity(value)
  const isNegative = Number.parseInt(digits.slice(2, 4) || '80', 16) >= 0x80
  return isNegative ? `0x00${digits.slice(2)}` : digits
}

const blockTag = new TextEncoder().encode('RSKBLOCK:')

/** Counts the block's own bytes at the start of its hash for miners (RSKIP110 adds the rest). */
const prefixBytes = 20

const maxBytesAfterTag = 128
const maxMerkleHashes = 30

/**
 * Checks that a Bitcoin block of the header's difficulty was mined for this header
 * (`ProofOfWorkRule`, RSKIP92).
 * @throws {UntrueAnswer} nobody mined it, or its difficulty is below the network's
 */
export function assertMined(block: Fields, minedBytes: Hex, { minDifficulty }: MiningRules): void {
  const difficulty = BigInt(`${block.difficulty}`)
  if (difficulty < minDifficulty) {
    throw new UntrueAnswer("a block's difficulty is below that of its network")
  }
  const [bitcoin, coinbase, merkle] = [
    block.bitcoinMergedMiningHeader,
    block.bitcoinMergedMiningCoinbaseTransaction,
    block.bitcoinMergedMiningMerkleProof,
  ].map((field) => toBytes(field)) as [Uint8Array, Uint8Array, Uint8Array]
  const target = 2n ** 256n / (difficulty < 3n ? 3n : difficulty)
  const hash = BigInt(bytesToHex(sha256(sha256(bitcoin)).toReversed()))
  const isSealed =
    bitcoin.length === 80 &&
    hash <= target &&
    hasHashOnce(coinbase, hexToBytes(hashKeccak(minedBytes)).subarray(0, prefixBytes)) &&
    bytesToHex(computeMerkleRoot(hashCoinbase(coinbase), merkle)) ===
      bytesToHex(bitcoin.slice(36, 68))
  if (!isSealed) throw new UntrueAnswer("nobody mined a block's header")
}

function toBytes(value: unknown): Uint8Array {
  return typeof value === 'string' && value.length % 2 === 0
    ? hexToBytes(value as Hex)
    : new Uint8Array()
}

/** Counts the bytes of length and SHA-256 state at the start of a shortened coinbase. */
const stateBytes = 40

/** Tells whether the coinbase's last tag begins in the tail's first 64 bytes and has this hash. */
function hasHashOnce(coinbase: Uint8Array, prefix: Uint8Array): boolean {
  const tail = bytesToHex(coinbase.slice(stateBytes)).slice(2)
  const tagStart = tail.lastIndexOf(bytesToHex(blockTag).slice(2))
  const expected = bytesToHex(concatBytes([blockTag, prefix])).slice(2)
  const bytesAfter = tail.length / 2 - tagStart / 2 - blockTag.length - 32
  if (tagStart % 2 !== 0 || tagStart >= 128 || !tail.startsWith(expected, tagStart)) return false
  return bytesAfter >= 0 && bytesAfter <= maxBytesAfterTag
}

/** Continues SHA-256 from a state, since miners publish only the end of a long transaction. */
class ResumedSha256 extends SHA256 {
  constructor(state: Uint8Array, length: number) {
    super()
    const view = new DataView(state.buffer, state.byteOffset, state.byteLength)
    const words = Array.from({ length: 8 }, (_, index) => view.getInt32(4 * index))
    this.set(...(words as Parameters<typeof this.set>))
    this.length = length
  }
}

/** Hashes a coinbase transaction, of which only the SHA-256 state and the tail are given. */
function hashCoinbase(coinbase: Uint8Array): Uint8Array {
  if (coinbase.length < stateBytes) return new Uint8Array()
  const view = new DataView(coinbase.buffer, coinbase.byteOffset, coinbase.byteLength)
  const resumed = new ResumedSha256(coinbase.slice(8, stateBytes), Number(view.getBigUint64(0)))
  return sha256(resumed.update(coinbase.slice(stateBytes)).digest())
}

/** Computes a Bitcoin block's Merkle root. The coinbase is first: its siblings are on the right. */
function computeMerkleRoot(coinbaseHash: Uint8Array, proof: Uint8Array): Uint8Array {
  const count = proof.length / 32
  if (!Number.isInteger(count) || count > maxMerkleHashes) return new Uint8Array()
  let root = coinbaseHash
  for (let index = 0; index < count; index += 1) {
    // RSKj writes hashes as Bitcoin shows them, last byte first.
    const sibling = proof.slice(32 * index, 32 * index + 32).toReversed()
    root = sha256(sha256(concatBytes([root, sibling])))
  }
  return root
}
