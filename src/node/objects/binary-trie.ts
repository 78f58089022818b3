import { bytesToHex, concatBytes, type Hex, hexToBytes, numberToBytes, toRlp } from 'viem'
import { hashKeccak, hashKeccakBytes } from '../../runtime/keccak.ts'

type Bits = readonly number[]
type Entry = { bits: Bits; value: Uint8Array }
type Pair<Item> = readonly [Item | undefined, Item | undefined]

/** A trie node as it is hashed; `size` is in bytes and includes all nodes below. */
type TrieNode = {
  encoded: Uint8Array
  path: Bits
  children: Pair<TrieNode>
  isLeaf: boolean
  size: number
}

/** Limits what a node embeds, in bytes; longer values and leaves are hashed (RSKIP107). */
const maxInlineValue = 32
const maxEmbedded = 44

const flagBits = { long: 0x20, path: 0x10, children: [0x08, 0x04], embedded: [0x02, 0x01] } as const
/** Marks nodes in the encoding of RSKIP107. */
const versionBits = 0x40

const emptyRoot = hashKeccak('0x80')

/** Returns the root of RSKj's trie of values, keyed by their positions in RLP (RSKIP107). */
export function computeBinaryRoot(values: readonly Hex[]): Hex {
  return values.length === 0 ? emptyRoot : hashKeccak(buildTrie(values).encoded)
}

/** Returns the nodes of RSKj's trie from its root to the long value at a position. */
export function buildBinaryProof(values: readonly Hex[], index: number): Hex[] {
  const root = buildTrie(values)
  return walkBinaryProof(listNodes(root), hashKeccak(root.encoded), index)?.nodes ?? []
}

const listNodes = ({ encoded, children }: TrieNode): Hex[] => [
  bytesToHex(encoded),
  ...children.flatMap((child) => (child === undefined ? [] : listNodes(child))),
]

const buildTrie = (values: readonly Hex[]): TrieNode =>
  buildNode(
    values.map((value, index) => ({ bits: toKeyBits(index), value: hexToBytes(value) })),
    0,
  )

/** Returns the nodes from the root to a value, and the value's hash; undefined without a path. */
export function walkBinaryProof(nodes: readonly Hex[], root: string, index: number) {
  const byHash = new Map(nodes.map((node): [string, Hex] => [hashKeccak(node), node]))
  const proofNodes: Hex[] = []
  let bits = toKeyBits(index)
  let next = byHash.get(root)
  while (next !== undefined) {
    proofNodes.push(next)
    const { path, children, value } = decodeNode(hexToBytes(next))
    if (path.some((bit, position) => bits[position] !== bit)) return undefined
    bits = bits.slice(path.length)
    const [side] = bits
    if (side === undefined) return value && { nodes: proofNodes, valueHash: value }
    bits = bits.slice(1)
    const child = children[side === 0 ? 0 : 1]
    next = child && (child.kind === 'embedded' ? child.message : byHash.get(child.hash))
  }
  return undefined
}

function toKeyBits(index: number): Bits {
  const key = toRlp(index === 0 ? new Uint8Array() : numberToBytes(index), 'bytes')
  return toBits(key, key.length * 8)
}

function toBits(bytes: Uint8Array, count: number): number[] {
  return Array.from(
    { length: count },
    (_, position) => ((bytes[position >> 3] ?? 0) >> (7 - (position & 7))) & 1,
  )
}

function buildNode(entries: readonly Entry[], depth: number): TrieNode {
  const [first] = entries as [Entry]
  let pathEnd = depth
  const isShared = (bit: number | undefined) => entries.every(({ bits }) => bits[pathEnd] === bit)
  while (pathEnd < first.bits.length && isShared(first.bits[pathEnd])) pathEnd += 1
  const value = entries.find(({ bits }) => bits.length === pathEnd)?.value
  const [left, right] = [0, 1].map((side) => {
    const entriesBelow = entries.filter(({ bits }) => bits[pathEnd] === side)
    return entriesBelow.length === 0 ? undefined : buildNode(entriesBelow, pathEnd + 1)
  })
  return encodeNode(first.bits.slice(depth, pathEnd), value, [left, right])
}

function encodeNode(path: Bits, value: Uint8Array | undefined, children: Pair<TrieNode>): TrieNode {
  const presentChildren = children.filter((child) => child !== undefined)
  const isValueLong = value !== undefined && value.length > maxInlineValue
  let first =
    versionBits | (isValueLong ? flagBits.long : 0) | (path.length > 0 ? flagBits.path : 0)
  for (const side of [0, 1] as const) {
    if (children[side]) first |= flagBits.children[side]
    if (isEmbedded(children[side])) first |= flagBits.embedded[side]
  }
  const sizeBelow = presentChildren.reduce((sum, { size }) => sum + size, 0)
  const encoded = concatBytes([
    Uint8Array.of(first),
    encodePath(path),
    ...presentChildren.map(encodeReference),
    ...(presentChildren.length > 0 ? [encodeVarInt(sizeBelow)] : []),
    ...(value === undefined ? [] : isValueLong ? [encodeLongValue(value)] : [value]),
  ])
  const size = sizeBelow + encoded.length + (isValueLong ? value.length : 0)
  return { encoded, path, children, isLeaf: presentChildren.length === 0, size }
}

const isEmbedded = (node: TrieNode | undefined): boolean =>
  node?.isLeaf === true && node.encoded.length <= maxEmbedded

const encodeReference = (node: TrieNode): Uint8Array =>
  isEmbedded(node)
    ? concatBytes([Uint8Array.of(node.encoded.length), node.encoded])
    : hashKeccakBytes(node.encoded)

/** Encodes a path of at most 32 bits, the longest of a block's trie (`SharedPathSerializer`). */
function encodePath(path: Bits): Uint8Array {
  if (path.length === 0) return new Uint8Array()
  const bytes = new Uint8Array(1 + Math.ceil(path.length / 8))
  bytes[0] = path.length - 1
  for (const [position, bit] of path.entries()) {
    const index = 1 + (position >> 3)
    bytes[index] = (bytes[index] ?? 0) | (bit << (7 - (position & 7)))
  }
  return bytes
}

const encodeLongValue = (value: Uint8Array): Uint8Array =>
  concatBytes([hashKeccakBytes(value), numberToBytes(value.length, { size: 3 })])

/** Encodes a number as Bitcoin does (bitcoinj's `VarInt`). */
function encodeVarInt(value: number): Uint8Array {
  if (value < 0xfd) return Uint8Array.of(value)
  const [prefix, size] = value <= 0xffff ? [0xfd, 2] : [0xfe, 4]
  return concatBytes([Uint8Array.of(prefix), numberToBytes(value, { size }).toReversed()])
}

type Child = { kind: 'embedded'; message: Hex } | { kind: 'hashed'; hash: Hex }

/** Decodes a node, with the hash of a long value. A short one is left out: receipts are long. */
function decodeNode(message: Uint8Array): { path: Bits; children: Pair<Child>; value?: Hex } {
  let position = 0
  const takeBytes = (count: number): Uint8Array => {
    position += count
    return message.subarray(position - count, position)
  }
  const [first = 0] = takeBytes(1)
  const length = first & flagBits.path ? (takeBytes(1)[0] ?? 0) + 1 : 0
  const path = toBits(takeBytes(Math.ceil(length / 8)), length)
  const [left, right] = ([0, 1] as const).map((side): Child | undefined => {
    if (!(first & flagBits.children[side])) return undefined
    if (!(first & flagBits.embedded[side]))
      return { kind: 'hashed', hash: bytesToHex(takeBytes(32)) }
    return { kind: 'embedded', message: bytesToHex(takeBytes(takeBytes(1)[0] ?? 0)) }
  })
  if (!(first & flagBits.long)) return { path, children: [left, right] }
  return { path, children: [left, right], value: bytesToHex(message.slice(-35, -3)) }
}
