import { readFileSync } from 'node:fs'

export type Transaction = Record<'hash' | 'from' | 'to' | 'blockHash' | 'transactionIndex', string>

/** A block as `eth_getBlockByNumber` prints it, with whole transactions. */
export type Block = Record<string, unknown> & {
  number: string
  hash: string
  transactions: Transaction[]
}

type Log = Record<'logIndex' | 'blockHash' | 'blockNumber' | 'address', string>
type Trace = { transactionHash: string; [member: string]: unknown }

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
  blocks: readonly Block[]
  /** All logs of the chain, oldest first. */
  logs: readonly Log[]
  /** The traces of a block, in the order of its transactions. */
  tracesOf: (block: Block) => readonly Trace[]
}

/** Under which header rules of RSKj a chain was recorded. */
export type Rules = 'main-network' | 'regtest'

/** Reads the exchanges of a fixture. */
export function readPairs<One = Pair>(fixture: string): One[] {
  const file = new URL(`../../fixtures/rskj-${fixture}.json`, import.meta.url)
  const { pairs } = JSON.parse(readFileSync(file, 'utf8')) as { pairs: One[] }
  return pairs
}

/** Reads the recording of a whole chain: each block, receipt, proof, trace, and refusals. */
export function readRecording(rules: Rules): Recording {
  const pairs = readPairs(`9.0.3-${rules}-rules`)
  const blocks = pairs
    .filter(({ method, params, result }) => {
      return method === 'eth_getBlockByNumber' && params[0] !== 'pending' && result
    })
    .map(({ result }) => result as Block)
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

/** The recorded block that holds most: first a call that reverts, then one that logs. */
export function readFullBlock(): Block {
  const block = readRecording('main-network').blocks[0x2a]
  if (block === undefined) throw new Error('the recording has no block 42')
  return block
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
      return remascTrace(transaction, block)
    })
  }
}

/** The trace of the transaction that ends each block, which nobody signed. */
function remascTrace({ from, to, hash, transactionIndex }: Transaction, block: Block): Trace {
  return {
    action: { callType: 'call', from, to, gas: '0x0', input: '0x', value: '0x0' },
    ...{ blockHash: block.hash, blockNumber: Number(block.number), transactionHash: hash },
    ...{ transactionPosition: Number(transactionIndex), type: 'call', subtraces: 0 },
    ...{ traceAddress: [], result: { gasUsed: '0x0', output: '0x' } },
  }
}
