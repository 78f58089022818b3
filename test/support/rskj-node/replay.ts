import type { Block, Log, Pair, Recording, Trace } from './recording.ts'

type Request = { id: unknown; method: string; params: readonly unknown[] }
type Answer = Pick<Pair, 'result' | 'error'>

/** A node that answers from a recording. */
export type ReplayNode = {
  fetch: typeof fetch
  /** What it was asked and can neither find in the recording nor tell from the chain in it. */
  unknown: string[]
}

/**
 * Answers what was recorded as it was recorded, and what the recorded chain implies: the same block
 * by its hash, its logs and traces in another range.
 */
export function replay(recording: Recording): ReplayNode {
  const recorded = new Map(
    recording.pairs.map(({ method, params, result, error }): [string, Answer] => [
      keyOf(method, params),
      error === undefined ? { result } : { error },
    ]),
  )
  const unknown: string[] = []
  const implied = impliedBy(recording)

  function answer({ id, method, params }: Request) {
    const found = recorded.get(keyOf(method, params)) ?? implied(method, params)
    if (found === undefined) unknown.push(keyOf(method, params))
    return { jsonrpc: '2.0', id, ...(found ?? { error: { code: -32603, message: 'unrecorded' } }) }
  }

  return {
    unknown,
    fetch: async (_, init) => {
      const asked = JSON.parse(`${init?.body}`) as Request | Request[]
      return Response.json(Array.isArray(asked) ? asked.map(answer) : answer(asked))
    },
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

/** What follows from the blocks, receipts and traces of the recording. */
function impliedBy({ pairs, blocks, logs, tracesOf }: Recording) {
  const head = blocks.length - 1

  function blockAt(selector: unknown): Block | undefined {
    if (selector === 'latest') return blocks[head]
    if (selector === 'earliest') return blocks[0]
    return blocks.find(({ number, hash }) => number === selector || hash === selector)
  }

  /** State that was recorded under a block's hash is its state under the block's number too. */
  function stateAt(method: string, params: readonly unknown[]): Answer | undefined {
    const wanted = blockAt(blockIn(params.at(-1)))
    const same = pairs.find(
      (pair) =>
        pair.method === method &&
        pair.result !== undefined &&
        pair.result !== null &&
        pair.params.length === params.length &&
        JSON.stringify(pair.params.slice(0, -1)) === JSON.stringify(params.slice(0, -1)) &&
        wanted !== undefined &&
        blockAt(blockIn(pair.params.at(-1))) === wanted,
    )
    if (same !== undefined) return { result: same.result }
    return method === 'eth_getBalance' && isStranger(params[0]) ? { result: '0x0' } : undefined
  }

  /** Nobody ever paid such an account. */
  function isStranger(account: unknown): boolean {
    return !JSON.stringify(blocks).includes(`${account}`)
  }

  return (method: string, params: readonly unknown[]): Answer | undefined => {
    const [first] = params
    switch (method) {
      case 'eth_blockNumber':
        return { result: blocks[head]?.number }
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash': {
        const block = blockAt(first)
        return block && { result: params[1] === true ? block : withHashes(block) }
      }
      case 'eth_getCode':
      case 'eth_getBalance':
      case 'eth_getStorageAt':
      case 'eth_getTransactionCount':
        return stateAt(method, params)
      case 'eth_getLogs':
        return { result: logsIn(logs, head, first as LogFilter) }
      case 'trace_block': {
        const block = blockAt(first)
        return block && { result: tracesOf(block) }
      }
      case 'trace_filter':
        return tracesIn(blocks, tracesOf, first as TraceFilter)
      default:
        return undefined
    }
  }
}

function blockIn(selector: unknown): unknown {
  return typeof selector === 'object' && selector !== null && 'blockHash' in selector
    ? selector.blockHash
    : selector
}

function withHashes(block: Block) {
  return { ...block, transactions: block.transactions.map(({ hash }) => hash) }
}

type LogFilter = { blockHash?: string; fromBlock?: string; toBlock?: string }

/** Without conditions on address and topics: nothing recorded asks for them. */
function logsIn(logs: readonly Log[], head: number, filter: LogFilter): readonly Log[] {
  const { blockHash, fromBlock, toBlock } = filter
  if (blockHash !== undefined) return logs.filter((log) => log.blockHash === blockHash)
  const [from, to] = [fromBlock, toBlock].map((tag) =>
    tag?.startsWith('0x') ? Number(tag) : tag === 'earliest' ? 0 : head,
  )
  return logs.filter(
    ({ blockNumber }) => Number(blockNumber) >= (from ?? 0) && Number(blockNumber) <= (to ?? head),
  )
}

type TraceFilter = {
  fromBlock: string
  toBlock: string
  fromAddress?: string | string[]
  toAddress?: string | string[]
  after?: number
  count?: number
}

/** RSKj's bound of the offset (`rpc.trace.maxTracesPerRequest`). */
const mostTraces = 10_000

/** RSKj's `trace_filter`: whole transactions, by their sender and receiver. */
function tracesIn(
  blocks: readonly Block[],
  tracesOf: (block: Block) => readonly Trace[],
  { fromBlock, toBlock, fromAddress, toAddress, after = 0, count }: TraceFilter,
): Answer {
  if (after > mostTraces) {
    const message = `After value too big. Maximum ${mostTraces} traces allowed.`
    return { error: { code: -32602, message } }
  }
  const takes = (wanted: string | string[] | undefined, address: string | null) => {
    const any = [wanted ?? []].flat()
    return any.length === 0 || (address !== null && any.includes(address))
  }
  const found = blocks
    .filter(({ number }) => {
      return Number(number) >= Number(fromBlock) && Number(number) <= Number(toBlock)
    })
    .flatMap((block) => {
      const selected = new Set(
        block.transactions
          .filter(({ from, to }) => takes(fromAddress, from) && takes(toAddress, to))
          .map(({ hash }) => hash),
      )
      return tracesOf(block).filter(({ transactionHash }) => selected.has(transactionHash))
    })
  return { result: found.slice(after, count === undefined ? undefined : after + count) }
}
