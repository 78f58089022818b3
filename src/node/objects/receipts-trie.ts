import { concatHex, type Hex, toHex, toRlp } from 'viem'
import { UntrueAnswer } from '../../chain/rpc.ts'
import { hashKeccak } from '../../runtime/keccak.ts'
import { computeBinaryRoot } from './binary-trie.ts'
import { isNamespaced, toTypeBytes } from './block.ts'
import { asHex, encodeQuantity, type ProvedHeader } from './header.ts'
import type { RawReceipt } from './receipt.ts'

export type TrieKind = ProvedHeader['trieKind']

export function computeTrieRoot(values: readonly Hex[], trieKind: TrieKind): Hex {
  return trieKind === 'rootstock'
    ? computeBinaryRoot(values)
    : hashKeccak(buildReceiptsTrie(values).rlp)
}

/** Lists the types whose receipts have the four fields of EIP-2718 on Rootstock too. */
const standardTypes: readonly string[] = ['0x1', '0x2', '0x4']

/**
 * Lists how a trie may hold a receipt. A known type has one form: EIP-2718's on Ethereum, RSKj's
 * six fields for a legacy transaction and for Rootstock's namespace, else four (RSKIP-546).
 */
export function listReceiptForms(
  receipt: RawReceipt,
  trieKind: TrieKind,
): readonly [Hex, ...Hex[]] {
  const { status, root, cumulativeGasUsed, gasUsed, logsBloom, logs, type } = receipt
  const encodedStatus = status ? encodeQuantity(status) : asHex(root ?? '0x')
  const fields = [
    encodedStatus,
    encodeQuantity(cumulativeGasUsed),
    asHex(logsBloom),
    logs.map((log) => [asHex(log.address), log.topics.map(asHex), asHex(log.data)]),
  ]
  const prefix = toTypeBytes(type)
  const standard = concatHex([prefix, toRlp(fields)])
  if (trieKind === 'ethereum' || standardTypes.includes(type)) return [standard]
  const own = concatHex([prefix, toRlp([...fields, encodeQuantity(gasUsed), encodedStatus])])
  return prefix === '0x' || isNamespaced(type) ? [own] : [standard, own]
}

/** A Merkle Patricia node (yellow paper, appendix D), and its children by their nibbles. */
export type TrieNode = { rlp: Hex; children: readonly { path: string; node: TrieNode }[] }

/**
 * Encodes a block's receipts as its header proves them. Returns undefined if no form of those with
 * an unknown type fits.
 * @throws {UntrueAnswer} all types are known, and the root is not the one in the header
 */
export function encodeReceipts(
  receipts: readonly RawReceipt[],
  receiptsRoot: string,
  trieKind: TrieKind,
): Hex[] | undefined {
  const all = receipts.map((receipt) => listReceiptForms(receipt, trieKind))
  const isUnknown = all.some(({ length }) => length > 1)
  for (const index of isUnknown ? [0, 1] : [0]) {
    const encoded = all.map((forms) => forms[index] ?? forms[0])
    if (computeTrieRoot(encoded, trieKind) === receiptsRoot) return encoded
  }
  if (isUnknown) return undefined
  throw new UntrueAnswer('the receipts of a block do not fit its receiptsRoot')
}

export function buildReceiptsTrie(values: readonly Hex[]): TrieNode {
  const leaves = values.map((value, index) => ({ path: toPath(index), value }))
  return leaves.length === 0 ? { rlp: toRlp('0x'), children: [] } : buildNode(leaves)
}

export function collectProofNodes({ rlp, children }: TrieNode, index: number): Hex[] {
  return [rlp, ...collectChildNodes(toPath(index), children)]
}

function collectChildNodes(path: string, children: TrieNode['children']): Hex[] {
  const next = children.find((each) => path.startsWith(each.path))
  if (next === undefined) return []
  return [next.node.rlp, ...collectChildNodes(path.slice(next.path.length), next.node.children)]
}

/** Returns a receipt's key in nibbles. No key is a prefix of another: branches hold no values. */
function toPath(index: number): string {
  return toRlp(encodeQuantity(toHex(index))).slice(2)
}

type Leaf = { path: string; value: Hex }

function buildNode(leaves: readonly Leaf[]): TrieNode {
  const [first, ...others] = leaves as [Leaf, ...Leaf[]]
  if (others.length === 0) {
    return { rlp: toRlp([encodePath(first.path, true), first.value]), children: [] }
  }
  let sharedLength = 0
  while (others.every(({ path }) => path[sharedLength] === first.path[sharedLength])) sharedLength++
  if (sharedLength > 0) {
    const path = first.path.slice(0, sharedLength)
    const node = buildNode(dropNibbles(sharedLength, leaves))
    return { rlp: toRlp([encodePath(path, false), getReference(node)]), children: [{ path, node }] }
  }
  const children = [...'0123456789abcdef'].map((path) => {
    const sharing = leaves.filter((leaf) => leaf.path.startsWith(path))
    return sharing.length === 0 ? undefined : { path, node: buildNode(dropNibbles(1, sharing)) }
  })
  const slots = children.map((child) => (child === undefined ? '0x' : getReference(child.node)))
  return { rlp: toRlp([...slots, '0x']), children: children.filter((child) => child !== undefined) }
}

function dropNibbles(nibbles: number, leaves: readonly Leaf[]): Leaf[] {
  return leaves.map(({ path, value }) => ({ path: path.slice(nibbles), value }))
}

/** Returns a child's reference, always its hash, since every receipt is longer than 32 bytes. */
const getReference = ({ rlp }: TrieNode): Hex => hashKeccak(rlp)

/** Encodes nibbles in whole bytes, with a flag for a path's end (yellow paper, appendix C). */
function encodePath(path: string, isEnd: boolean): Hex {
  const flag = (isEnd ? 2 : 0) + (path.length % 2)
  return `0x${flag}${path.length % 2 === 0 ? '0' : ''}${path}`
}
