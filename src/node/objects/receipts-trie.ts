import { type Hex, keccak256, toHex, toRlp } from 'viem'
import { UntrueAnswer } from './bad-answers.ts'
import { computeBinaryRoot } from './binary-trie.ts'
import { encodeQuantity, type ProvedHeader } from './header.ts'
import type { RawReceipt } from './receipt.ts'

/** Names the kind of tries in which a block holds its transactions and receipts. */
export type Tries = ProvedHeader['tries']

/** Returns the root of the trie of values by their positions. */
export function computeRoot(values: readonly Hex[], tries: Tries): Hex {
  return tries === 'rootstock'
    ? computeBinaryRoot(values)
    : keccak256(buildReceiptsTrie(values).rlp)
}

/** Encodes a receipt as its trie does: typed (EIP-2718), or as RSKj's `TransactionReceipt`. */
export function encodeReceipt(receipt: RawReceipt, tries: Tries): Hex {
  const { status, root, cumulativeGasUsed, gasUsed, logsBloom, logs, type } = receipt
  const outcome = status ? encodeQuantity(status) : asHex(root ?? '0x')
  const fields = [
    outcome,
    encodeQuantity(cumulativeGasUsed),
    asHex(logsBloom),
    logs.map((log) => [asHex(log.address), log.topics.map(asHex), asHex(log.data)]),
  ]
  if (tries === 'rootstock') return toRlp([...fields, encodeQuantity(gasUsed), outcome])
  const body = toRlp(fields)
  return Number(type) === 0 ? body : `${toHex(Number(type), { size: 1 })}${body.slice(2)}`
}

/** A Merkle Patricia node (yellow paper, appendix D), and its children by their nibbles. */
export type TrieNode = { rlp: Hex; below: readonly { path: string; node: TrieNode }[] }

/** Encodes a block's receipts. @throws {UntrueAnswer} their root is not the one in its header */
export function encodeReceipts(
  receipts: readonly RawReceipt[],
  receiptsRoot: string,
  tries: Tries,
): Hex[] {
  const encoded = receipts.map((receipt) => encodeReceipt(receipt, tries))
  if (computeRoot(encoded, tries) === receiptsRoot) return encoded
  throw new UntrueAnswer('the receipts of a block do not fit its receiptsRoot')
}

/** Builds the Merkle Patricia trie of values by their positions. */
export function buildReceiptsTrie(values: readonly Hex[]): TrieNode {
  const leaves = values.map((value, index) => ({ path: toPath(index), value }))
  return leaves.length === 0 ? { rlp: toRlp('0x'), below: [] } : buildNode(leaves)
}

export function collectProofNodes({ rlp, below }: TrieNode, index: number): Hex[] {
  return [rlp, ...collectBelow(toPath(index), below)]
}

function collectBelow(path: string, below: TrieNode['below']): Hex[] {
  const next = below.find((each) => path.startsWith(each.path))
  if (next === undefined) return []
  return [next.node.rlp, ...collectBelow(path.slice(next.path.length), next.node.below)]
}

/** Returns a receipt's key in nibbles. No key is a prefix of another: branches hold no values. */
function toPath(index: number): string {
  return toRlp(encodeQuantity(toHex(index))).slice(2)
}

type Leaf = { path: string; value: Hex }

function buildNode(leaves: readonly Leaf[]): TrieNode {
  const [first, ...others] = leaves as [Leaf, ...Leaf[]]
  if (others.length === 0) {
    return { rlp: toRlp([encodePath(first.path, true), first.value]), below: [] }
  }
  let shared = 0
  while (others.every(({ path }) => path[shared] === first.path[shared])) shared++
  if (shared > 0) {
    const path = first.path.slice(0, shared)
    const node = buildNode(dropNibbles(shared, leaves))
    return { rlp: toRlp([encodePath(path, false), getReference(node)]), below: [{ path, node }] }
  }
  const below = [...'0123456789abcdef'].flatMap((path) => {
    const sharing = leaves.filter((leaf) => leaf.path.startsWith(path))
    return sharing.length === 0 ? [] : [{ path, node: buildNode(dropNibbles(1, sharing)) }]
  })
  const slots = [...'0123456789abcdef'].map((nibble) => {
    const child = below.find(({ path }) => path === nibble)
    return child === undefined ? '0x' : getReference(child.node)
  })
  return { rlp: toRlp([...slots, '0x']), below }
}

function dropNibbles(nibbles: number, leaves: readonly Leaf[]): Leaf[] {
  return leaves.map(({ path, value }) => ({ path: path.slice(nibbles), value }))
}

/** Returns a child's reference, always its hash, since every receipt is longer than 32 bytes. */
const getReference = ({ rlp }: TrieNode): Hex => keccak256(rlp)

/** Encodes nibbles in whole bytes, with a flag for a path's end (yellow paper, appendix C). */
function encodePath(path: string, isEnd: boolean): Hex {
  const flag = (isEnd ? 2 : 0) + (path.length % 2)
  return `0x${flag}${path.length % 2 === 0 ? '0' : ''}${path}`
}

function asHex(bytes: string): Hex {
  return bytes as Hex
}
