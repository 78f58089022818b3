import { answeringNode, type Call, error, type Said } from '../fake-node.ts'
import type { Block, Recording } from './recording.ts'

/** A node that answers from a recording. */
export type ReplayNode = {
  fetch: typeof fetch
  /** Answers one call. */
  say: (call: Call) => Said
  /** The most recent block that it shows; the last one of the recording at first. */
  height: number
  /** What it was asked and can neither find in the recording nor tell from the chain in it. */
  unknown: string[]
}

/** Answers what a real RSKj answered, and what the chain that it showed implies. */
export function replay(recording: Recording): ReplayNode {
  const recorded = new Map(
    recording.pairs.map(({ method, params, result, error }): [string, Said] => [
      keyOf(method, params),
      error === undefined ? { result } : { error },
    ]),
  )
  const unserved = new Map(
    recording.pairs.flatMap(({ method, error }): [string, Said][] =>
      error?.code === -32601 ? [[method, { error }]] : [],
    ),
  )
  const implied = impliedBy(recording, () => node.height)
  const node: ReplayNode = {
    height: recording.blocks.length - 1,
    unknown: [],
    say,
    fetch: answeringNode(say),
  }
  return node

  function say({ method, params }: Call): Said {
    const key = keyOf(method, params)
    const shown = implied[method]?.(...params)
    const found =
      shown === undefined ? (recorded.get(key) ?? unserved.get(method)) : { result: shown }
    if (found === undefined) node.unknown.push(key)
    return found ?? error(-32603, 'unrecorded')
  }
}

function keyOf(method: string, params: readonly unknown[]): string {
  return `${method} ${JSON.stringify(params, inOrder).toLowerCase()}`
}

/** An object's members in the order of their names: clients write them in any. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Answers by method as a recording's chain up to a height; undefined leaves it to that. */
function impliedBy({ pairs, blocks, logs, tracesOf }: Recording, height: () => number) {
  const numbers: Record<string, () => number> = { earliest: () => 0, latest: height }
  const numberOf = (selector: unknown) => numbers[`${selector}`]?.() ?? Number(selector)
  /** Undefined for the selectors that the recording alone knows. */
  const numbered = (selector: unknown) => blocks.slice(0, height() + 1)[numberOf(selector)]
  const byHash = (selector: unknown) => blocks.find(({ hash }) => hash === selector)
  const shown = (block: Block | undefined, full: unknown) =>
    block && {
      ...block,
      transactions: full === true ? block.transactions : block.transactions.map(({ hash }) => hash),
    }
  const between = (from: unknown, to: unknown) =>
    blocks.slice(numberOf(from), Math.min(height(), numberOf(to)) + 1)
  const sent = blocks.flatMap(({ transactions }) => transactions)

  /** State that was recorded under one name of a block is its state under the others too. */
  const stateBy = (method: string) => (address: unknown, selector: unknown) => {
    const blockOf = (named: unknown) => {
      const { blockHash = named } = Object(named)
      return byHash(blockHash) ?? numbered(blockHash)
    }
    const same = pairs.find(({ method: own, params: [account, at], result }) => {
      return own === method && account === address && result && blockOf(at) === blockOf(selector)
    })
    // Nobody ever paid such an account.
    const isStranger = !JSON.stringify(blocks).includes(`${address}`)
    const isNamed = `${selector}`.length < 66
    return isNamed
      ? (same?.result ?? (isStranger && numbered(selector) ? '0x0' : undefined))
      : undefined
  }

  const methods: Record<string, (...params: readonly unknown[]) => unknown> = {
    eth_blockNumber: () => `0x${height().toString(16)}`,
    eth_getBlockByNumber: (selector, full) => shown(numbered(selector), full),
    eth_getBlockByHash: (hash, full) => shown(byHash(hash), full) ?? null,
    eth_getTransactionByBlockHashAndIndex: (hash, index) =>
      byHash(hash)?.transactions[Number(index)],
    eth_getTransactionByHash: (hash) => sent.find((one) => one.hash === hash),
    eth_getBalance: stateBy('eth_getBalance'),
    eth_getCode: stateBy('eth_getCode'),
    eth_getLogs(filter) {
      const { address, blockHash, fromBlock, toBlock } = Object(filter)
      if (fromBlock === 'pending') return undefined
      const within: unknown[] = blockHash
        ? [blockHash]
        : between(fromBlock, toBlock).map(({ hash }) => hash)
      const isWanted = (one: { address: string }) => (address ?? one.address) === one.address
      return logs.filter((one) => isWanted(one) && within.includes(one.blockHash))
    },
    trace_filter(filter) {
      const { fromBlock, toBlock, fromAddress, toAddress, after, count } = Object(filter)
      const takes = (wanted: unknown, address: unknown) =>
        wanted === undefined || (Array.isArray(wanted) ? wanted : [wanted]).includes(address)
      const traces = between(fromBlock, toBlock).flatMap((block) => {
        const selected = block.transactions
          .filter(({ from, to }) => takes(fromAddress, from) && takes(toAddress, to))
          .map(({ hash }) => hash)
        if (selected.length === 0) return []
        return tracesOf(block).filter(({ transactionHash }) => selected.includes(transactionHash))
      })
      return after > 10_000 ? undefined : traces.slice(after, after + count)
    },
  }
  return methods
}
