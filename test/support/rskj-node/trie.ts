import {
  bytesToHex,
  concatBytes,
  type Hex,
  hexToBytes,
  keccak256,
  numberToBytes,
  toRlp,
} from 'viem'

/** RSKj's binary trie as RSKIP107 serializes a block's transactions and receipts. */
export type Trie = {
  readonly root: Hex
  /** From the leaf up to the root: RSKj's own order (`Trie.findNodes`). */
  readonly proof: (index: number) => Hex[]
}

type Entry = { bits: readonly number[]; value: Uint8Array }

type Node = {
  path: readonly number[]
  value: Uint8Array | undefined
  children: readonly [Node | undefined, Node | undefined]
  message: Uint8Array
  /** What it and all below it take, long values included. */
  size: number
}

/** Larger values are held by their hash, larger leaves by theirs (`Trie`'s constants). */
const longValueBytes = 32
const embeddableBytes = 44

/** `Keccak256(RLP.encodeElement(EMPTY_BYTE_ARRAY))`, the root of nothing. */
const emptyRoot: Hex = keccak256('0x80')

/** The trie of values whose keys are the RLP of their positions (`BlockHashesHelper`). */
export function trieOf(values: readonly Hex[]): Trie {
  const entries = values.map((value, index) => ({
    bits: bitsOf(keyOf(index)),
    value: hexToBytes(value),
  }))
  const top = entries.length === 0 ? undefined : nodeOf(entries, 0)
  return {
    root: top === undefined ? emptyRoot : keccak256(top.message),
    proof(index) {
      const bits = bitsOf(keyOf(index))
      return (top === undefined ? [] : wayTo(top, bits)).map(({ message }) => bytesToHex(message))
    },
  }
}

/** `RLP.encodeInt`. */
function keyOf(index: number): Uint8Array {
  return toRlp(index === 0 ? new Uint8Array() : numberToBytes(index), 'bytes')
}

function bitsOf(bytes: Uint8Array): number[] {
  return [...bytes].flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1))
}

function nodeOf(entries: readonly Entry[], depth: number): Node {
  const [first] = entries
  if (first === undefined) throw new Error('a node of the trie holds something')
  let end = depth
  while (end < first.bits.length && entries.every(({ bits }) => bits[end] === first.bits[end])) {
    end += 1
  }
  const value = entries.find(({ bits }) => bits.length === end)?.value
  const below = [0, 1].map((side) => {
    const own = entries.filter(({ bits }) => bits.length > end && bits[end] === side)
    return own.length === 0 ? undefined : nodeOf(own, end + 1)
  })
  return serialized(first.bits.slice(depth, end), value, [below[0], below[1]])
}

function serialized(path: Node['path'], value: Node['value'], children: Node['children']): Node {
  const present = children.filter((child) => child !== undefined)
  const isLong = value !== undefined && value.length > longValueBytes
  const flags = [
    1,
    isLong,
    path.length > 0,
    children[0] !== undefined,
    children[1] !== undefined,
    isEmbedded(children[0]),
    isEmbedded(children[1]),
  ]
  const below = present.reduce((sum, { size }) => sum + size, 0)
  const message = concatBytes([
    Uint8Array.of(flags.reduce<number>((byte, flag) => (byte << 1) | Number(flag), 0)),
    pathBytes(path),
    ...present.map(reference),
    ...(present.length > 0 ? [varInt(below)] : []),
    ...(value === undefined ? [] : isLong ? [longValue(value)] : [value]),
  ])
  const size = below + message.length + (isLong ? value.length : 0)
  return { path, value, children, message, size }
}

function isEmbedded(node: Node | undefined): boolean {
  if (node === undefined) return false
  return (
    node.children.every((child) => child === undefined) && node.message.length <= embeddableBytes
  )
}

function reference(node: Node): Uint8Array {
  return isEmbedded(node)
    ? concatBytes([Uint8Array.of(node.message.length), node.message])
    : keccak256(node.message, 'bytes')
}

/** `SharedPathSerializer`; the paths here have at most 32 bits. */
function pathBytes(path: readonly number[]): Uint8Array {
  if (path.length === 0) return new Uint8Array()
  const bytes = new Uint8Array(1 + Math.ceil(path.length / 8))
  bytes[0] = path.length - 1
  for (const [index, bit] of path.entries()) {
    const at = 1 + (index >> 3)
    bytes[at] = (bytes[at] ?? 0) | (bit << (7 - (index & 7)))
  }
  return bytes
}

function longValue(value: Uint8Array): Uint8Array {
  return concatBytes([keccak256(value, 'bytes'), numberToBytes(value.length, { size: 3 })])
}

/** bitcoinj's `VarInt`. */
function varInt(value: number): Uint8Array {
  if (value < 0xfd) return Uint8Array.of(value)
  const [mark, size] = value <= 0xffff ? [0xfd, 2] : [0xfe, 4]
  return concatBytes([Uint8Array.of(mark), numberToBytes(value, { size }).toReversed()])
}

function wayTo(node: Node, bits: readonly number[]): Node[] {
  const rest = bits.slice(node.path.length)
  const [side] = rest
  if (side === undefined) return [node]
  const child = node.children[side === 0 ? 0 : 1]
  return child === undefined ? [] : [...wayTo(child, rest.slice(1)), node]
}
