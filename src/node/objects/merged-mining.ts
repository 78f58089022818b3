import { SHA256, sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, type Hex, hexToBytes, keccak256 } from 'viem'
import type { MiningRules } from '../../chain/chains.ts'
import { UntrueAnswer } from './bad-answers.ts'

type Fields = Readonly<Record<string, unknown>>

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
    hasHashOnce(coinbase, hexToBytes(keccak256(minedBytes)).subarray(0, prefixBytes)) &&
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
    const words = Array.from({ length: 8 }, (_, index) => view.getInt32(4 * index)) as Words
    this.set(...words)
    this.length = length
  }
}

type Words = [number, number, number, number, number, number, number, number]

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
