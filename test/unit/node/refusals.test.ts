import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { exampleLogs, exampleTraces } from '../../../src/node/methods/examples.ts'
import { serve } from '../../chain/node/support/serve.ts'
import { printed } from './portal.ts'
import { type Said, scriptedNode } from './scripted-node.ts'

const address = `0x${'ab'.repeat(20)}`
const hash = `0x${'cd'.repeat(32)}`
const rskj = 'RskJ/9.0.3/Linux/Java17/VETIVER-dev'

/** A node that says one thing to one method, and shows the printed block as its latest. */
async function nodeThatSays(method: string, said: Said, client = rskj) {
  const node = scriptedNode(client, (request) => {
    if (request.method === method) return said
    if (request.method === 'eth_blockNumber') return { result: printed.number }
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
    test(`${method} ${JSON.stringify(params)}`, async () => {
      const served = await nodeThatSays(method, headerNotFound)
      expect(await served.rpc(method, params)).toMatchObject({
        error: { code: -32000, message: expect.stringMatching(/header not found|unknown block/) },
      })
    })
  }
})

test('logs of a block that the node does not have are unknown, and not none', async () => {
  // Not what was asked for: the block has to tell which of its logs are.
  const [strange] = exampleLogs.map((log) => ({ ...log, blockHash: hash, blockNumber: '0x1' }))
  const served = await nodeThatSays('eth_getLogs', { result: [strange] })
  const range = { fromBlock: '0x1', toBlock: '0x2', address }
  expect(await served.rpc('eth_getLogs', [range])).toMatchObject({ error: {} })
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
    test(`${method}: ${message.slice(0, 40)}`, async () => {
      const served = await nodeThatSays(method, { error: { code, message } })
      expect(await served.rpc(method, params)).toEqual({ jsonrpc: '2.0', id: 1, result: null })
    })
  }

  test('and the same words of another method are an error', async () => {
    const error = { code: -32001, message: 'Resource not found' }
    const served = await nodeThatSays('eth_gasPrice', { error })
    expect((await served.rpc('eth_gasPrice')).error).toEqual(error)
  })

  test('a proof in a block that RSKj does not have, where it fails inside', async () => {
    const failed = { error: { code: -32603, message: 'Internal server error' } }
    const served = await nodeThatSays('rsk_getTransactionReceiptNodesByHash', failed)
    const ask = (block: unknown) =>
      served.rpc('chain_getTransactionReceiptNodesByHash', [block, hash])
    expect(await ask(hash)).toEqual({ jsonrpc: '2.0', id: 1, result: null })
    expect((await ask(printed.hash)).error).toEqual(failed.error)
  })

  test('state at a block that is not there is one error', async () => {
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
    test(method, async () => {
      for (const [said, error] of cases) {
        const served = await nodeThatSays(method, said)
        expect((await served.rpc(method, [{ to: address }, 'latest'])).error).toEqual(error)
      }
    })
  }
})

describe('RSKj fails inside, and the sender is told in words', () => {
  const failed = { error: { code: -32603, message: 'Internal server error' } }
  const invalid = 'invalid parameter "transaction": '

  test('on a transaction of a type that it does not know', async () => {
    const served = await nodeThatSays('eth_sendRawTransaction', failed)
    const raw = await privateKeyToAccount(generatePrivateKey()).signTransaction({
      type: 'eip1559',
      chainId: 31,
      maxFeePerGas: 1n,
      gas: 21_000n,
    })
    expect((await served.rpc('eth_sendRawTransaction', [raw])).error).toEqual({
      code: -32602,
      message: `${invalid}type 2 is refused: Rootstock takes legacy transactions (EIP-155)`,
    })
  })

  test('on a signature that no key made', async () => {
    const served = await nodeThatSays('eth_sendRawTransaction', failed)
    const raw =
      '0xf84301840393870082520894a0ee7a142d267c1f36714e4a8f75612f20a7972080806205a02061fc844935e15ea36e8568aa3a344b150a336c99be3b7eb3bc1fb4284f5739'
    expect((await served.rpc('eth_sendRawTransaction', [raw])).error).toEqual({
      code: -32602,
      message: `${invalid}these bytes are not a signed transaction: no key made its signature`,
    })
  })

  test('on a call whose gas is out of bounds', async () => {
    for (const method of ['eth_call', 'eth_estimateGas']) {
      const served = await nodeThatSays(method, failed)
      expect((await served.rpc(method, [{ to: address, gas: '0x1' }, 'latest'])).error).toEqual({
        code: -32000,
        message: 'the node cannot run the call with gas 0x1',
      })
    }
  })
})

test('an estimate of nothing, or of a whole block, is not one', async () => {
  const limit = `${printed.gasLimit}`
  for (const estimate of ['0x0', limit]) {
    const served = await nodeThatSays('eth_estimateGas', { result: estimate })
    expect((await served.rpc('eth_estimateGas', [{ to: address }])).error, estimate).toEqual({
      code: -32000,
      message: 'gas required exceeds allowance',
    })
  }
})

test('a block number of 64 digits is a number where no hash may stand', async () => {
  const asked: unknown[] = []
  const node = scriptedNode(rskj, ({ method, params }) => {
    if (method.startsWith('eth_getBlockBy') || method === 'eth_call') asked.push(params)
    return method === 'eth_call' ? { result: '0x' } : undefined
  })
  const served = await serve(['http://rskj.test/'], 31, node)
  const five = `0x${'5'.padStart(64, '0')}`
  expect((await served.rpc('eth_getBlockByNumber', [five])).result).toBeNull()
  await served.rpc('eth_call', [{ to: address }, five])
  expect(asked).toEqual([
    ['0x5', false],
    [{ to: address }, '0x5'],
  ])
})

describe('with several nodes', () => {
  /** Two of them at their own heights, each with a log in every block that it has. */
  async function twoNodes(heightOf: (name: string) => number, failing = '') {
    const one = (number: number) => ({
      logIndex: '0x0',
      transactionIndex: '0x0',
      transactionHash: hash,
      blockHash: hash,
      blockNumber: `0x${number.toString(16)}`,
      address,
      data: '0x',
      topics: [],
    })
    return await serve(['http://first.test/', 'http://second.test/'], 31, async (input, init) => {
      const name = new URL(`${input}`).hostname
      const height = heightOf(name)
      const numberOf = (value: unknown) => (`${value}`.startsWith('0x') ? Number(value) : height)
      const node = scriptedNode(rskj, ({ method, params }) => {
        const [first] = params as [Record<string, unknown>]
        const isHead =
          method === 'eth_getBlockByNumber' && ['latest', '0x64'].includes(`${params[0]}`)
        if (method === 'eth_blockNumber') return { result: `0x${height.toString(16)}` }
        if (name === failing && !isHead) return headerNotFound
        if (method === 'eth_getLogs') {
          const [from, to] = [numberOf(first.fromBlock), Math.min(height, numberOf(first.toBlock))]
          const length = Math.max(0, to - from + 1)
          return { result: Array.from({ length }, (_, index) => one(from + index)) }
        }
        const number = numberOf(params[0])
        const known = method === 'eth_getBlockByNumber' && number <= height
        return known ? { result: { ...printed, number: `0x${number.toString(16)}` } } : undefined
      })
      return await node(input, init)
    })
  }

  test('logs of a block that came a moment ago are found', async () => {
    let height = 100
    const served = await twoNodes(() => height)
    expect((await served.rpc('eth_blockNumber')).result).toBe('0x64')
    height = 101
    const found = async (filter: object) =>
      ((await served.rpc('eth_getLogs', [filter])).result as unknown as unknown[] | undefined)
        ?.length
    expect(await found({ fromBlock: '0x65', toBlock: '0x65' })).toBe(1)
    expect(await found({ fromBlock: '0x65' })).toBe(1)
    expect(await found({ fromBlock: '0x65', toBlock: 'latest' })).toBe(1)
    expect(await found({ fromBlock: '0x64', toBlock: '0x65' })).toBe(2)
    expect(await found({ fromBlock: '0x64', toBlock: '0xffffff' })).toBe(2)
    expect(await found({ fromBlock: '0x66', toBlock: '0x70' })).toBe(0)
  })

  test('what one refuses to tell, and another that is behind does not have, is an error', async () => {
    const served = await twoNodes((name) => (name === 'first.test' ? 100 : 90), 'first.test')
    expect((await served.rpc('eth_blockNumber')).result).toBe('0x64')
    const questions: [string, unknown[]][] = [
      ['eth_getLogs', [{ fromBlock: '0x5f', toBlock: '0x5f' }]],
      ['eth_getLogs', [{ fromBlock: '0x55', toBlock: '0x64' }]],
      ['eth_getLogs', [{ fromBlock: '0x55', toBlock: 'latest' }]],
      ['eth_getBlockByNumber', ['0x5f']],
      ['eth_getTransactionReceipt', [hash]],
      ['eth_getTransactionByHash', [hash]],
    ]
    for (const [method, params] of questions) {
      const { error } = await served.rpc(method, params)
      expect(error, `${method} ${JSON.stringify(params)}`).toMatchObject(headerNotFound.error)
    }
  })
})

test('logs up to a block beyond the head are those up to the head, at once', async () => {
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
  expect(asked).toEqual([
    { fromBlock: '0x2', toBlock: '0x2a' },
    { fromBlock: '0x2b', toBlock: 'latest' },
  ])
})

test('the pending block has as many transactions as it shows, though RSKj counts its pool', async () => {
  const transaction = {
    hash,
    nonce: '0x0',
    blockHash: printed.hash,
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

test('a block of state is named to RSKj so that it means that block', async () => {
  const asked: unknown[] = []
  const node = scriptedNode(rskj, ({ method, params }) => {
    if (method.startsWith('eth_getBlock')) return { result: printed }
    asked.push(params[params.length - 1])
    return method === 'eth_estimateGas' && typeof params[1] === 'object'
      ? { error: { code: -32602, message: "Invalid block identifier '{'" } }
      : { result: method === 'eth_estimateGas' ? '0x5208' : '0x01' }
  })
  const served = await serve(['http://rskj.test/'], 31, node)
  const own = printed.hash
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
  expect((await served.rpc('eth_estimateGas', [call, { blockHash: own }])).result).toBe('0x5208')
  expect(asked.at(-1)).toBe(printed.number)
})

test('traces behind more than RSKj skips are skipped here, and no others are asked for', async () => {
  const asked: unknown[] = []
  const traceAt = (index: number) => ({ ...exampleTraces[0], traceAddress: [index] })
  const node = scriptedNode(rskj, ({ method, params }) => {
    if (method !== 'trace_filter') return undefined
    const { after, count } = params[0] as { after: number; count: number }
    asked.push([after, count])
    return { result: Array.from({ length: count }, (_, index) => traceAt(after + index)) }
  })
  const served = await serve(['http://rskj.test/'], 31, node)
  const ask = (after: number, count: number) =>
    served.rpc('trace_filter', [{ fromBlock: '0x1', toBlock: '0x7d1', after, count }])
  expect((await ask(9_999, 2)).result).toMatchObject([9_999, 10_000].map(traceAt))
  expect((await ask(10_001, 2)).result).toMatchObject([10_001, 10_002].map(traceAt))
  expect((await ask(19_999, 1)).result).toMatchObject([traceAt(19_999)])
  expect((await ask(20_000, 1)).error).toEqual({
    code: -32602,
    message: 'after and count reach at most 20000 traces far: ask for fewer blocks',
  })
  expect(asked).toEqual([
    [9_999, 2],
    [10_000, 3],
    [10_000, 10_000],
  ])
})
