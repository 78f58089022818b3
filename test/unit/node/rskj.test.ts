import { beforeAll, describe, expect, test } from 'vitest'
import { type Served, serve } from '../../chain/node/support/serve.ts'
import {
  type Pair,
  type Recording,
  type Rules,
  readRecording,
} from '../../support/rskj-node/recording.ts'
import { type ReplayNode, replay } from '../../support/rskj-node/replay.ts'

/** Describes an answer that differs from the node's: another result, or an error. */
type Wanted = { result: unknown } | { code: number; words: RegExp; data?: unknown }

type Block = { blockHash: string }

type Exception = {
  what: string
  /** Tells whether the exception is about this exchange. */
  of: (pair: Pair) => boolean
  wanted: (pair: Pair, recording: Recording) => Wanted
  why: string
}

const textOf = (value: unknown) => JSON.stringify(value)
const none = /^0x0{64}$/

/** Expects the answer of another recorded call. */
const asTo =
  (paramsOf: (params: readonly unknown[]) => unknown[]): Exception['wanted'] =>
  ({ method, params }, { pairs }) => {
    const wanted = textOf(paramsOf(params))
    const same = pairs.find((one) => one.method === method && textOf(one.params) === wanted)
    return { result: same?.result }
  }

/** Expects an error of this code, in a sentence and not as a fault's name. */
const refused =
  (code: number, words = /^(?!.*internal (server )?error).*\w+ \w+/i): Exception['wanted'] =>
  () => ({ code, words })

const proofs = 'rsk_getTransactionReceiptNodesByHash'

/** Lists where the specification, or our table, differs from RSKj; the first that fits counts. */
const exceptions: readonly Exception[] = [
  {
    what: 'proofs of receipts',
    of: ({ method, result }) => method === proofs && Boolean(result),
    wanted: ({ result }) => ({ result: (result as string[]).toReversed() }),
    why: 'from the root to the receipt; RSKj gives the leaf first',
  },
  {
    what: 'a proof from an unknown block',
    of: ({ method, params }) => method === proofs && none.test(`${params[0]}`),
    wanted: () => ({ result: null }),
    why: 'null if the transaction is not in that block; RSKj faults (-32603)',
  },
  {
    what: 'counts of an unknown block',
    of: ({ method, error }) => /Count(By|s)/.test(method) && error?.code === -32600,
    wanted: () => ({ result: null }),
    why: 'a look-up of a missing block is null',
  },
  {
    what: 'state of an unknown block',
    of: ({ method, error }) =>
      /^eth_get(Balance|TransactionCount)$/.test(method) && error?.code === -32600,
    wanted: refused(-32000, /unknown block|not found/),
    why: 'the request is valid, and what Ethereum nodes say of unknown blocks is -32000',
  },
  {
    what: 'a call at an unknown block',
    of: ({ method, error }) =>
      method === 'eth_call' && /Invalid block number/.test(`${error?.message}`),
    wanted: refused(-32000, /unknown block|not found|Invalid block number/),
    why: 'the same',
  },
  {
    what: 'code at the hash of a block',
    of: ({ method, result }) => method === 'eth_getCode' && result === null,
    wanted: asTo(([address, blockHash]) => [address, { blockHash }]),
    why: 'the code; RSKj answers null to a bare hash',
  },
  {
    what: 'requireCanonical',
    of: ({ params }) => textOf(params).includes('requireCanonical'),
    wanted: asTo(([of, selector]) => [of, { blockHash: (selector as Block).blockHash }]),
    why: 'EIP-1898, as viem sends it; RSKj faults (-32603)',
  },
  {
    what: 'a call at the bare hash of a block',
    of: ({ method, params }) => method === 'eth_call' && `${params[1]}`.length === 66,
    wanted: refused(-32602, /"block"/),
    why: 'a number or a tag only; RSKj faults (-32603)',
  },
  {
    what: 'reverts',
    of: ({ error }) => error?.code === -32015,
    wanted: ({ error }) => ({ code: 3, words: /revert/, data: error?.data }),
    why: 'as every client reads it; none decodes -32015',
  },
  {
    what: 'an estimate that the sender cannot pay for',
    of: ({ method, params }) => method === 'eth_estimateGas' && /"0x(12){20}"/.test(textOf(params)),
    wanted: refused(-32000, /insufficient funds for transfer/),
    why: 'from release 6.5.0 an error; this RSKj, with its settings of regtest, gives an estimate',
  },
  {
    what: 'logs of an unknown block',
    of: ({ method, params }) =>
      method === 'eth_getLogs' && /"blockHash":"0x0{64}"/.test(textOf(params)),
    wanted: refused(-32000, /unknown block/),
    why: 'EIP-234: not to be taken for a block without logs',
  },
  {
    what: 'logs of a range that ends before it starts',
    of: ({ method, params }) =>
      method === 'eth_getLogs' && textOf(params) === '[{"fromBlock":"0x5","toBlock":"0x2"}]',
    wanted: () => ({ result: [] }),
    why: 'nothing matches; RSKj gives those of the block that it ends with',
  },
  {
    what: 'more than 100 traces at a time',
    of: ({ method, params }) => method === 'trace_filter' && textOf(params).includes('"count":101'),
    wanted: refused(-32602, /from 0 to 100/),
    why: 'at most 100',
  },
  {
    what: 'traces after more than RSKj counts',
    of: ({ method, error }) => method === 'trace_filter' && error?.code === -32602,
    wanted: () => ({ result: [] }),
    why: 'the offset has no bound, and the range holds fewer',
  },
  {
    what: 'bytes that are no transaction',
    of: ({ method, error }) => method === 'eth_sendRawTransaction' && error !== undefined,
    wanted: refused(-32602),
    why: 'refused in words; RSKj says "Internal server error", or speaks of its decoder',
  },
  {
    what: 'the pending block',
    of: ({ params }) => params[0] === 'pending',
    wanted: ({ result }) => ({
      result: { ...(result as object), miner: `0x${'0'.repeat(40)}`, paidFees: null },
    }),
    why: 'nobody mined it yet and nothing is paid; `miner` is an address',
  },
  {
    what: 'all receipts of a block',
    of: ({ method }) => method === 'eth_getBlockReceipts',
    wanted(_, { pairs, blocks }) {
      const receipts = pairs.filter(({ method }) => method === 'eth_getTransactionReceipt')
      const isLast = (one: unknown) => Object(one).blockHash === blocks.at(-1)?.hash
      return { result: receipts.map(({ result }) => result).filter(isLast) }
    },
    why: 'this RSKj does not serve it: each is asked for',
  },
  {
    what: 'methods that are not offered',
    of: ({ method, error }) => error?.code === -32601 || method === 'eth_syncing',
    wanted: refused(-32601, /not (found|available)/),
    why: 'in words that clients know',
  },
  {
    what: 'tags that Rootstock does not have',
    of: ({ params }) => params[0] === 'finalized',
    wanted: refused(-32602, /"block"/),
    why: 'the parameter is named',
  },
]

describe.each<[string, Rules]>([
  ["the main network's header rules", 'main-network'],
  ["regtest's header rules", 'regtest'],
])('the answers of RSKj 9.0.3 under %s reach the client', (_, rules) => {
  const recording = readRecording(rules)
  let node: ReplayNode
  let served: Served

  beforeAll(async () => {
    node = replay(recording)
    served = await serve(['http://rskj.test/'], 31, node.fetch)
  })

  for (const [index, pair] of recording.pairs.entries()) {
    const { method, params } = pair
    const exception = exceptions.find(({ of }) => of(pair))
    const name = exception === undefined ? 'as it is' : `${exception.what}: ${exception.why}`
    test(`${index + 1}. ${method} ${JSON.stringify(params).slice(0, 80)} ${name}`, async () => {
      const named = method.replace(/^rsk_/, 'chain_')
      const { result, error } = await served.rpc(named, params)
      const asItIs = pair.error === undefined ? { result: pair.result } : undefined
      const wanted = exception?.wanted(pair, recording) ?? asItIs
      if (wanted === undefined) throw new Error('the table lacks what is wanted of this refusal')
      if ('result' in wanted) {
        expect({ result, error }).toEqual({ result: wanted.result, error: undefined })
        return void expect(JSON.stringify(result)).not.toBe(undefined)
      }
      const { code, words, data } = wanted
      expect(error).toMatchObject({ code, message: expect.stringMatching(words) })
      expect(error?.data).toEqual(data)
    })
  }

  test('and nothing was asked of the node that it did not know', () => {
    expect(node.unknown).toEqual([])
    expect(served.logged).toEqual([])
  })
})

test('each exception is about something that was recorded', () => {
  const pairs = [...readRecording('main-network').pairs, ...readRecording('regtest').pairs]
  expect(pairs).toHaveLength(458 + 165)
  for (const { what, of } of exceptions) expect(pairs.some(of), what).toBe(true)
})
