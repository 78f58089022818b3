import { type Hex, keccak256, toHex, toRlp } from 'viem'
import { UntrueAnswer } from './bad-answers.ts'
import { quantityHex } from './header.ts'
import type { RawReceipt } from './receipt.ts'

/** An Ethereum receipt as the receipts trie holds it (EIP-2718 where the transaction is typed). */
export function encodeReceipt(receipt: RawReceipt): Hex {
  const { status, root, cumulativeGasUsed, logsBloom, logs, type } = receipt
  const body = toRlp([
    status ? quantityHex(status) : hex(root ?? '0x'),
    quantityHex(cumulativeGasUsed),
    hex(logsBloom),
    logs.map((log) => [hex(log.address), log.topics.map(hex), hex(log.data)]),
  ])
  return Number(type) === 0 ? body : `${toHex(Number(type), { size: 1 })}${body.slice(2)}`
}

/** A node of a Merkle Patricia trie (yellow paper, appendix D), with those below it and the nibbles that lead there. */
export type TrieNode = { rlp: Hex; below: readonly { path: string; node: TrieNode }[] }

/** Makes a block's receipts trie; refuses one whose root is not the one in its header. */
export function verifiedTrie(receipts: readonly RawReceipt[], receiptsRoot: string): TrieNode {
  const leaves = receipts.map((receipt, index) => ({
    path: pathOf(index),
    value: encodeReceipt(receipt),
  }))
  const trie = leaves.length === 0 ? { rlp: toRlp('0x'), below: [] } : nodeOver(leaves)
  if (keccak256(trie.rlp) !== receiptsRoot) {
    throw new UntrueAnswer('the receipts of a block do not fit its receiptsRoot')
  }
  return trie
}

export function proofNodes({ rlp, below }: TrieNode, index: number): Hex[] {
  return [rlp, ...nodesOn(pathOf(index), below)]
}

function nodesOn(path: string, below: TrieNode['below']): Hex[] {
  const next = below.find((each) => path.startsWith(each.path))
  if (next === undefined) return []
  return [next.node.rlp, ...nodesOn(path.slice(next.path.length), next.node.below)]
}

/** A receipt's key in nibbles. No key is the beginning of another, so no branch holds a value itself. */
function pathOf(index: number): string {
  return toRlp(quantityHex(toHex(index))).slice(2)
}

type Leaf = { path: string; value: Hex }

function nodeOver(leaves: readonly Leaf[]): TrieNode {
  const [first, ...others] = leaves as [Leaf, ...Leaf[]]
  if (others.length === 0) {
    return { rlp: toRlp([compact(first.path, true), first.value]), below: [] }
  }
  let shared = 0
  while (others.every(({ path }) => path[shared] === first.path[shared])) shared++
  if (shared > 0) {
    const path = first.path.slice(0, shared)
    const node = nodeOver(without(shared, leaves))
    return { rlp: toRlp([compact(path, false), referenceTo(node)]), below: [{ path, node }] }
  }
  const below = [...'0123456789abcdef'].flatMap((path) => {
    const here = leaves.filter((leaf) => leaf.path.startsWith(path))
    return here.length === 0 ? [] : [{ path, node: nodeOver(without(1, here)) }]
  })
  const slots = [...'0123456789abcdef'].map((nibble) => {
    const there = below.find(({ path }) => path === nibble)
    return there === undefined ? '0x' : referenceTo(there.node)
  })
  return { rlp: toRlp([...slots, '0x']), below }
}

function without(nibbles: number, leaves: readonly Leaf[]): Leaf[] {
  return leaves.map(({ path, value }) => ({ path: path.slice(nibbles), value }))
}

/** How a node names one below it: by its hash, since every receipt is longer than 32 bytes. */
const referenceTo = ({ rlp }: TrieNode): Hex => keccak256(rlp)

/** Nibbles in whole bytes, with whether they end a path (appendix C of the yellow paper). */
function compact(path: string, isEnd: boolean): Hex {
  const flag = (isEnd ? 2 : 0) + (path.length % 2)
  return `0x${flag}${path.length % 2 === 0 ? '0' : ''}${path}`
}

function hex(bytes: string): Hex {
  return bytes as Hex
}
