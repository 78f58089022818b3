import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, type Hex, hexToBytes, keccak256 } from 'viem'
import { encodeRootstockForms } from '../../../src/node/objects/header.ts'
import type { RawReceipt } from '../../../src/node/objects/receipt.ts'
import { computeTrieRoot, listReceiptForms } from '../../../src/node/objects/receipts-trie.ts'
import type { Block } from './recording.ts'

/** What SHA-256 begins with (FIPS 180-4), after a length of nothing. */
const fresh = '0x00000000000000006a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19'

const double = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes))

/** Gives a block other receipts, and a root, a header and a hash that fit them. */
export function rebuilt(block: Block, receipts: readonly RawReceipt[], mines: boolean): Block {
  const encoded = receipts.map((receipt) => listReceiptForms(receipt, 'rootstock')[0])
  const changed = { ...block, receiptsRoot: computeTrieRoot(encoded, 'rootstock') }
  const sealed = mines ? { ...changed, ...sealOf(changed) } : changed
  return { ...sealed, hash: keccak256(encodeRootstockForms(sealed)[0]?.hashed ?? '0x') }
}

/** Mines a Bitcoin block for a header: its difficulty has to be small. */
function sealOf(block: Block) {
  const named = hexToBytes(keccak256(encodeRootstockForms(block)[0]?.mined ?? '0x'))
  const tail = concatBytes([new Uint8Array(34), new TextEncoder().encode('RSKBLOCK:'), named])
  const header = new Uint8Array(80)
  header.set(double(tail), 36)
  const difficulty = BigInt(`${block.difficulty}`)
  const target = 2n ** 256n / (difficulty < 3n ? 3n : difficulty)
  const nonce = new DataView(header.buffer, 76)
  while (BigInt(bytesToHex(double(header).toReversed())) > target) {
    nonce.setUint32(0, nonce.getUint32(0) + 1)
  }
  return {
    bitcoinMergedMiningHeader: bytesToHex(header),
    bitcoinMergedMiningCoinbaseTransaction: `${fresh}${bytesToHex(tail).slice(2)}` as Hex,
    bitcoinMergedMiningMerkleProof: '0x',
  }
}
