import { readFileSync } from 'node:fs'
import { toRlp } from 'viem'
import { describe, test } from 'vitest'
import { serve } from '../../chain/node/serve.ts'
import { type Said, scriptedNode } from './scripted-node.ts'

const { pairs } = JSON.parse(
  readFileSync(new URL('../../fixtures/rootstock-rpc.json', import.meta.url), 'utf8'),
) as { pairs: { method: string; result: { number: string; hash: string } }[] }
const printed = pairs.find(({ method }) => method === 'eth_getBlockByHash')?.result
const address = `0x${'ab'.repeat(20)}`
const hash = `0x${'cd'.repeat(32)}`
const rskj = 'RskJ/9.0.3/Linux/Java17/VETIVER-dev'

/** A node that says one thing to one method, and shows the printed block as its latest. */
async function nodeThatSays(method: string, said: Said, client = rskj) {
  const node = scriptedNode(client, (request) => {
    if (request.method === method) return said
    if (request.method === 'eth_blockNumber') return { result: printed?.number }
    const [selector] = request.params
    if (!request.method.startsWith('eth_getBlockBy') || selector === hash) return undefined
    const byNumber = `${selector}`.length < 66 && selector !== 'latest'
    return { result: byNumber ? { ...printed, number: selector } : printed }
  })
  return await serve(['http://rskj.test/'], 31, node)
}

const headerNotFound = { error: { code: -32000, message: 'header not found' } }

describe('an error of a node is never an empty answer', () => {
  const questions: [method: string, params: unknown[]][] = [
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }]],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }]],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x1' }]],
    ['eth_getLogs', [{ fromBlock: 'latest' }]],
    ['eth_getLogs', [{}]],
    ['eth_getBlockByNumber', ['0x1']],
    ['eth_getTransactionByHash', [hash]],
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x0']],
    ['eth_getBlockTransactionCountByNumber', ['0x1']],
    ['trace_block', ['0x1']],
    ['trace_transaction', [hash]],
    ['trace_filter', [{ fromBlock: '0x1', toBlock: '0x2' }]],
  ]
  for (const [method, params] of questions) {
    test(`${method} ${JSON.stringify(params)}`, async ({ expect }) => {
      const served = await nodeThatSays(method, headerNotFound)
      expect(await served.rpc(method, params)).toMatchObject({
        error: { code: -32000, message: expect.stringMatching(/header not found|unknown block/) },
      })
    })
  }
})

describe('what is not there is null, in the words of each node', () => {
  const words: [method: string, params: unknown[], code: number, message: string][] = [
    ['eth_getBlockTransactionCountByNumber', ['0xffffff'], -32600, 'Block 0xffffff not found'],
    ['eth_getUncleCountByBlockHash', [hash], -32600, `Block with hash ${hash.slice(2)} not found`],
    [
      'eth_getBlockTransactionCountByNumber',
      ['0xffff'],
      -32602,
      'BlockOutOfRangeError: block height is 0 but requested was 65535',
    ],
    ['eth_getUncleCountByBlockNumber', ['0xffff'], -32001, 'Resource not found'],
    ['eth_getBlockTransactionCountByHash', [hash], -32602, 'Unknown block'],
    [
      'eth_getUncleCountByBlockNumber',
      ['0xffff'],
      -32602,
      'specified block greater than current height',
    ],
  ]
  for (const [method, params, code, message] of words) {
    test(`${method}: ${message.slice(0, 40)}`, async ({ expect }) => {
      const served = await nodeThatSays(method, { error: { code, message } })
      expect(await served.rpc(method, params)).toEqual({ jsonrpc: '2.0', id: 1, result: null })
    })
  }

  test('and the same words of another method are an error', async ({ expect }) => {
    const error = { code: -32001, message: 'Resource not found' }
    const served = await nodeThatSays('eth_gasPrice', { error })
    expect((await served.rpc('eth_gasPrice')).error).toEqual(error)
  })

  test('a proof in a block that RSKj does not have, where it fails inside', async ({ expect }) => {
    const failed = { error: { code: -32603, message: 'Internal server error' } }
    const served = await nodeThatSays('rsk_getTransactionReceiptNodesByHash', failed)
    const ask = (block: unknown) =>
      served.rpc('chain_getTransactionReceiptNodesByHash', [block, hash])
    expect(await ask(hash)).toEqual({ jsonrpc: '2.0', id: 1, result: null })
    expect((await ask(printed?.hash)).error).toEqual(failed.error)
  })

  test('state at a block that is not there is one error', async ({ expect }) => {
    const said: [string, Said][] = [
      ['eth_getBalance', { error: { code: -32600, message: 'Block 0xffffff not found' } }],
      ['eth_getCode', { result: null }],
      ['eth_call', { error: { code: -32602, message: 'Invalid block number 16777215' } }],
    ]
    for (const [method, answer] of said) {
      const served = await nodeThatSays(method, answer)
      const first = method === 'eth_call' ? { to: address } : address
      expect((await served.rpc(method, [first, '0xffffff'])).error, method).toEqual({
        code: -32000,
        message: 'unknown block',
      })
    }
  })
})

describe('a revert has code 3 and its data, as every client decodes it', () => {
  const reverted = (message: string, data?: string): Said => ({
    error: {
      code: -32015,
      message: `VM Exception while processing transaction: ${message}`,
      ...(data ? { data } : {}),
    },
  })
  const cases: [said: Said, error: object][] = [
    [
      reverted('transaction reverted', '0x'),
      { code: 3, message: 'execution reverted', data: '0x' },
    ],
    [reverted('transaction reverted'), { code: 3, message: 'execution reverted', data: '0x' }],
    [
      reverted('revert no money left', '0x08c379a0'),
      { code: 3, message: 'execution reverted: no money left', data: '0x08c379a0' },
    ],
    [
      reverted('out of gas'),
      { code: -32015, message: 'VM Exception while processing transaction: out of gas' },
    ],
  ]
  for (const method of ['eth_call', 'eth_estimateGas']) {
    test(method, async ({ expect }) => {
      for (const [said, error] of cases) {
        const served = await nodeThatSays(method, said)
        expect((await served.rpc(method, [{ to: address }, 'latest'])).error).toEqual(error)
      }
    })
  }
})

test('a transaction of a type that RSKj does not know is refused in words', async ({ expect }) => {
  const failed = { error: { code: -32603, message: 'Internal server error' } }
  const served = await nodeThatSays('eth_sendRawTransaction', failed)
  const fields = ['0x1f', '0x', '0x01', '0x01', '0x5208', address, '0x', '0x', [], '0x01'] as const
  const signature = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`] as const
  const raw = `0x02${toRlp([...fields, ...signature] as never).slice(2)}`
  expect((await served.rpc('eth_sendRawTransaction', [raw])).error).toEqual({
    code: -32602,
    message:
      'invalid parameter "transaction": type 2 is refused (Internal server error): Rootstock takes legacy transactions (EIP-155)',
  })
})

test('logs up to a block beyond the head are those up to the head, at once', async ({ expect }) => {
  const asked: unknown[] = []
  const node = scriptedNode(rskj, ({ method, params }) => {
    if (method === 'eth_blockNumber') return { result: '0x2a' }
    if (method !== 'eth_getLogs') return undefined
    asked.push(params[0])
    return { result: [] }
  })
  const served = await serve(['http://rskj.test/'], 31, node)
  expect(
    await served.rpc('eth_getLogs', [{ fromBlock: '0x2', toBlock: '0xffffffff' }]),
  ).toMatchObject({ result: [] })
  expect(asked).toEqual([{ fromBlock: '0x2', toBlock: '0x2a' }])
  expect(
    await served.rpc('eth_getLogs', [{ fromBlock: '0x2b', toBlock: '0xffffffff' }]),
  ).toMatchObject({ result: [] })
  expect(await served.rpc('eth_getLogs', [{ fromBlock: '0x2b', toBlock: 'latest' }])).toMatchObject(
    { result: [] },
  )
  expect(asked).toHaveLength(1)
})

test('the pending block has as many transactions as it shows, though RSKj counts its pool', async ({
  expect,
}) => {
  const transaction = {
    hash,
    nonce: '0x0',
    blockHash: printed?.hash,
    blockNumber: '0x2a',
    transactionIndex: '0x0',
    from: address,
    to: address,
    gas: '0x0',
    gasPrice: '0x0',
    value: '0x0',
    input: '0x',
  }
  const node = scriptedNode(rskj, ({ method, params }) => {
    if (method === 'eth_getBlockByNumber' && params[0] === 'pending') {
      const transactions = params[1] === true ? [transaction] : [hash]
      return {
        result: { ...printed, number: null, hash: null, miner: null, uncles: [], transactions },
      }
    }
    return method.endsWith('ByNumber') ? { result: '0x0' } : undefined
  })
  const served = await serve(['http://rskj.test/'], 31, node)
  const ask = async (method: string, ...params: unknown[]) =>
    (await served.rpc(method, ['pending', ...params])).result
  expect(await ask('eth_getBlockTransactionCountByNumber')).toBe('0x1')
  expect(await ask('eth_getUncleCountByBlockNumber')).toBe('0x0')
  expect(await ask('eth_getTransactionByBlockNumberAndIndex', '0x0')).toMatchObject({
    hash,
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
  })
  expect(await ask('eth_getTransactionByBlockNumberAndIndex', '0x1')).toBeNull()
})

test('a block of state is named to RSKj so that it means that block', async ({ expect }) => {
  const asked: unknown[] = []
  const node = scriptedNode(rskj, ({ method, params }) => {
    if (method.startsWith('eth_getBlock')) return { result: printed }
    asked.push(params[params.length - 1])
    return method === 'eth_estimateGas' && typeof params[1] === 'object'
      ? { error: { code: -32602, message: "Invalid block identifier '{'" } }
      : { result: '0x01' }
  })
  const served = await serve(['http://rskj.test/'], 31, node)
  const own = printed?.hash
  const call = { to: address }
  await served.rpc('eth_getCode', [address, own])
  await served.rpc('eth_getBalance', [address, own])
  await served.rpc('eth_getBalance', [address, { blockHash: own, requireCanonical: true }])
  await served.rpc('eth_call', [call, { blockHash: own }])
  expect(asked).toEqual([
    { blockHash: own, requireCanonical: 'true' },
    own,
    { blockHash: own, requireCanonical: 'true' },
    { blockHash: own, requireCanonical: 'true' },
  ])
  expect((await served.rpc('eth_estimateGas', [call, { blockHash: own }])).result).toBe('0x1')
  expect(asked.at(-1)).toBe(printed?.number)
})

test('traces behind more than RSKj skips are counted here', async ({ expect }) => {
  const block = { ...printed, number: '0x2a', transactions: [] }
  let filtered = 0
  const node = scriptedNode(rskj, ({ method, params }) => {
    if (method === 'eth_getBlockByNumber') return { result: { ...block, number: params[0] } }
    if (method !== 'trace_filter') return undefined
    filtered += 1
    return {
      error: { code: -32602, message: 'After value too big. Maximum 10000 traces allowed.' },
    }
  })
  const served = await serve(['http://rskj.test/'], 31, node)
  const filter = { fromBlock: '0x1', toBlock: '0x2a', after: 10_001, count: 1 }
  expect((await served.rpc('trace_filter', [filter])).result).toEqual([])
  expect(filtered).toBe(0)
})
