import type { Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { exchange } from '../../../../scripts/dev/rpc.ts'
import { opened } from '../../../support/opened.ts'
import { type Pair, readRecording } from '../../../support/rskj-node/recording.ts'
import { deployEmitter, emit, mined } from '../support/anvil-rpc.ts'
import { startRskjChain } from '../support/nodes.ts'
import type { Json } from '../support/socket-client.ts'

const recorded = readRecording('main-network')
const on = opened(startRskjChain)
let logged: Hex

beforeAll(async () => {
  logged = await emit(on.chain, await deployEmitter(on.chain), 1n, 2n, 3n)
  await mined(on.chain, logged)
})

async function ask(method: string, ...params: unknown[]) {
  const { status, answer } = await exchange(on.node.url, method, params)
  return { status, ...(answer as Pick<Pair, 'result' | 'error'>) }
}

const ofTheNode =
  /^(?:web3_clientVersion|eth_chainId|net_version|\w+_protocolVersion|eth_gasPrice|eth_syncing)$/

/** What does not depend on the chain: the refusals of things that no chain has, and the constants. */
const anywhere = recorded.pairs.filter(({ method, params, error }) => {
  const text = JSON.stringify(params)
  if (ofTheNode.test(method)) return true
  const isOfNothing = /^[^{]*"0x0{64}"|"blockHash":"0x0|"0xffffff"|finalized/.test(text)
  // The block is one of that chain's.
  if (method === 'rsk_getTransactionReceiptNodesByHash' && !error) return false
  // Of bytes that are no list it says what its decoder of RLP says, which the service never passes on.
  const isNoList = /^Invalid input: The RLP/.test(error?.message ?? '')
  if (isNoList) return false
  return isOfNothing || method === 'eth_sendRawTransaction' || error?.code === -32601
})

describe('the node of the tests refuses as a real RSKj 9.0.3', () => {
  for (const { method, params, result, error } of anywhere) {
    test(`${method} ${JSON.stringify(params).slice(0, 90)}`, async () => {
      const answer = await ask(method, ...params)
      // What is there differs: of a range that goes beyond the head it is a list all the same.
      if (Array.isArray(result) && result.length > 0) return expect(answer.result).toEqual([])
      expect(answer.error).toEqual(error)
      expect(answer.result).toEqual(result)
    })
  }

  test('and there are so many of them', () => {
    expect(anywhere.length).toBeGreaterThan(30)
  })
})

describe('the node of the tests prints what RSKj prints, member by member', () => {
  const printed = (method: string, of: (result: Json) => boolean): Json =>
    recorded.pairs
      .filter((pair) => pair.method === method)
      .flatMap(({ result }) => [result].flat() as Json[])
      .find((result) => result !== null && of(result)) ?? {}

  /** Names, and how the values are written. */
  function form(value: unknown): unknown {
    if (Array.isArray(value)) return value.length === 0 ? [] : [form(value[0])]
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, form(one)]))
    }
    if (typeof value !== 'string') return value === null ? null : typeof value
    const digits = value.length - 2
    return /^0x[0-9a-f]*$/.test(value) ? (digits === 0 || digits >= 40 ? 'bytes' : 'hex') : value
  }

  test('a block with its transactions', async () => {
    const { result } = await ask('eth_getBlockByNumber', '0x2', true)
    const own = recorded.blocks.find(({ transactions: [first, second] }) => first?.to && second)
    expect(form(result)).toEqual(form(own))
  })

  test('a pending block', async () => {
    const { result } = await ask('eth_getBlockByNumber', 'pending', false)
    expect(form(result)).toEqual(form(printed('eth_getBlockByNumber', ({ hash }) => hash === null)))
  })

  test('a receipt with a log', async () => {
    const { result } = await ask('eth_getTransactionReceipt', logged)
    const own = printed('eth_getTransactionReceipt', ({ logs, to }) => {
      return (logs as unknown[]).length > 0 && to !== null
    })
    expect(form(result)).toEqual(form(own))
  })

  test('a trace', async () => {
    const { result } = await ask('trace_transaction', logged)
    expect(form(result)).toEqual([form(printed('trace_block', ({ type }) => type === 'call'))])
  })
})

describe('over HTTP', () => {
  const post = (body: string) =>
    fetch(on.node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

  test('a refusal of what was asked is a 400, and one of what was sent a 200', async () => {
    expect((await ask('eth_getBalance', `0x${'12'.repeat(20)}`, '0xffffff')).status).toBe(400)
    expect((await ask('eth_nonsense')).status).toBe(200)
    expect((await ask('eth_sendRawTransaction', '0x1234')).status).toBe(200)
  })

  test('what cannot be read has the text "null" for its id, and a long batch has none', async () => {
    const garbled = await post('{')
    expect(garbled.status).toBe(400)
    expect(await garbled.json()).toMatchObject({ id: 'null', error: { code: -32700 } })
    const one = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
    const long = await post(JSON.stringify(Array(51).fill(one)))
    expect(await long.json()).toEqual({
      error: {
        code: -32600,
        message: expect.stringMatching(/^Cannot dispatch batch requests\. 50/),
      },
    })
    expect(await (await post(JSON.stringify(Array(50).fill(one)))).json()).toHaveLength(50)
  })
})
