import { readFileSync } from 'node:fs'
import type { Log, PrintedBlock } from './chain.ts'
import { remascTrace, type Trace } from './traces.ts'

/** An exchange with a real RSKj 9.0.3: exactly one of `result` and `error`. */
export type Pair = {
  method: string
  params: readonly unknown[]
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

/** What a real RSKj answered, and the chain that its answers show. */
export type Recording = {
  pairs: readonly Pair[]
  /** By number; whole transactions. */
  blocks: readonly PrintedBlock[]
  /** All logs of the chain, oldest first. */
  logs: readonly Log[]
  /** The traces of a block, in the order of its transactions. */
  tracesOf: (block: PrintedBlock) => readonly Trace[]
}

/** Under which header rules of RSKj a chain was recorded. */
export type Rules = 'main-network' | 'regtest'

/** Reads the recording of a whole chain: each block, receipt, proof, trace, and refusals. */
export function readRecording(rules: Rules): Recording {
  const file = new URL(`../../fixtures/rskj-9.0.3-${rules}-rules.json`, import.meta.url)
  const { pairs } = JSON.parse(readFileSync(file, 'utf8')) as { pairs: Pair[] }
  const blocks = pairs
    .filter(({ method, params, result }) => {
      return method === 'eth_getBlockByNumber' && params[0] !== 'pending' && result
    })
    .map(({ result }) => result as PrintedBlock)
    .toSorted((a, b) => Number(a.number) - Number(b.number))
  const logs = pairs
    .filter(({ method, result }) => method === 'eth_getTransactionReceipt' && result)
    .flatMap(({ result }) => (result as { logs: Log[] }).logs)
    .toSorted(
      (a, b) =>
        Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
    )
  return { pairs, blocks, logs, tracesOf: tracesIn(pairs) }
}

/** Blocks whose traces were not recorded hold their REMASC transaction and nothing else. */
function tracesIn(pairs: readonly Pair[]): Recording['tracesOf'] {
  const recorded = new Map(
    pairs
      .filter(({ method, result }) => method === 'trace_block' && result)
      .map(({ params, result }) => [params[0], result as Trace[]]),
  )
  return (block) => {
    const known = recorded.get(block.hash)
    if (known !== undefined) return known
    return block.transactions.map((transaction) => {
      if (Number(transaction.from) !== 0) {
        throw new Error(`the traces of block ${block.number} were not recorded`)
      }
      return remascTrace(transaction)
    })
  }
}
