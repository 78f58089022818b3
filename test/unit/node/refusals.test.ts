import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { serve } from '../../chain/node/support/serve.ts'
import { error, type Said, scriptedNode } from '../../support/fake-node.ts'
import { printed, printedBy } from './portal.ts'
import { serveScripted } from './scripted-node.ts'

const address = `0x${'ab'.repeat(20)}`
const hash = `0x${'cd'.repeat(32)}`
const [printedLog] = printedBy<object[]>('eth_getLogs')
const [printedTrace] = printedBy<object[]>('trace_transaction')

/** Creates a node with one answer to one method, and the printed block as its latest. */
const nodeThatSays = (method: string, said: Said) =>
  serveScripted((request) => {
    if (request.method === method) return said
    if (request.method === 'eth_blockNumber') return { result: printed.number }
    const [selector] = request.params
    if (!request.method.startsWith('eth_getBlockBy') || selector === hash) return undefined
    const byNumber = `${selector}`.length < 66 && selector !== 'latest'
    return { result: byNumber ? { ...printed, number: selector } : printed }
  })

/** Returns the client's answer if the node gives this one; counts are taken from the block. */
async function told(said: Said, method: string, ...params: unknown[]) {
  const asked = method.replace(/(?:BlockTransaction|Uncle)CountBy(?:Block)?/, 'BlockBy')
  return await (await nodeThatSays(asked, said)).rpc(method, params)
}

const whole = (said: object) => ({ jsonrpc: '2.0', id: 1, ...said })

const headerNotFound = error(-32000, 'header not found')
const failed = error(-32603, 'Internal server error')

describe('an error of a node is never an empty answer', () => {
  test.for<[method: string, ...params: unknown[]]>([
    ['eth_getLogs', { fromBlock: '0x1', toBlock: '0x2' }],
    ['eth_getLogs', { fromBlock: '0x1', toBlock: 'latest' }],
    ['eth_getLogs', { fromBlock: '0x1', toBlock: '0x1' }],
    ['eth_getLogs', { fromBlock: 'latest' }],
    ['eth_getBlockByNumber', '0x1'],
    ['eth_getTransactionByHash', hash],
    ['eth_getTransactionReceipt', hash],
    ['eth_getTransactionByBlockNumberAndIndex', '0x1', '0x0'],
    ['eth_getBlockTransactionCountByNumber', '0x1'],
    ['trace_block', '0x1'],
    ['trace_transaction', hash],
    ['trace_filter', { fromBlock: '0x1', toBlock: '0x2' }],
  ])('%s %j', async (question) => {
    expect(await told(headerNotFound, ...question)).toMatchObject({
      error: { code: -32000, message: expect.stringMatching(/header not found|unknown block/) },
    })
  })
})

test("an error about a block's receipts is no empty list of its logs", async () => {
  const served = await nodeThatSays('eth_getBlockReceipts', headerNotFound)
  const error = { code: -32000, message: 'header not found' }
  expect(await served.rpc('eth_getLogs', [{}])).toMatchObject({ error })
})

test("a node's error reaches the client without the node's address", async () => {
  const message = 'limit of http://rskj.test/ reached at rskj.test'
  const refusal = { code: -32000, message, data: { at: 'http://rskj.test/' } }
  const answer = await told({ error: refusal }, 'eth_gasPrice')
  expect(answer).toMatchObject({ error: { code: -32000 } })
  expect(JSON.stringify(answer)).not.toContain('rskj.test')
})

test('logs of a block that the node lacks are unknown, not empty', async () => {
  // Not what was asked for: the block has to tell which of its logs are.
  const strange = { ...printedLog, blockHash: hash, blockNumber: '0x1' }
  const range = { fromBlock: '0x1', toBlock: '0x2', address }
  expect(await told({ result: [strange] }, 'eth_getLogs', range)).toMatchObject({ error: {} })
})

describe('what is not there is null, in the words of each node', () => {
  const [byNumber, byHash] = ['eth_getUncleCountByBlockNumber', 'eth_getUncleCountByBlockHash']
  const beyond = 'BlockOutOfRangeError: block height is 0 but requested was 65535'

  test.for<[method: string, block: string, code: number, message: string]>([
    ['eth_getBlockTransactionCountByNumber', '0xffff', -32600, 'Block 0xffff not found'],
    [byHash, hash, -32600, `Block with hash ${hash.slice(2)} not found`],
    ['eth_getBlockTransactionCountByNumber', '0xffff', -32602, beyond],
    [byNumber, '0xffff', -32001, 'Resource not found'],
    ['eth_getBlockTransactionCountByHash', hash, -32602, 'Unknown block'],
    [byNumber, '0xffff', -32602, 'specified block greater than current height'],
    ['eth_getTransactionReceipt', hash, -32000, 'transaction not found'],
  ])('%s %s: %i %s', async ([method, block, code, message]) => {
    const answer = await told(error(code, message), method, block)
    expect(answer).toEqual(whole({ result: null }))
  })

  test('and the same words of another method are an error', async () => {
    const said = error(-32001, 'Resource not found')
    expect(await told(said, 'eth_gasPrice')).toEqual(whole(said))
  })

  test('a proof in a block that RSKj has is an error where it fails inside', async () => {
    const served = await nodeThatSays('rsk_getTransactionReceiptNodesByHash', failed)
    const proof = [printed.hash, hash]
    const answer = await served.rpc('chain_getTransactionReceiptNodesByHash', proof)
    expect(answer).toEqual(whole(failed))
  })

  test.for<[said: Said, method: string, of: unknown]>([
    [error(-32600, 'Block 0xffffff not found'), 'eth_getBalance', address],
    [{ result: null }, 'eth_getCode', address],
    [error(-32602, 'Invalid block number 16777215'), 'eth_call', { to: address }],
  ])('state at a block that is not there is one error', async ([said, method, of]) => {
    const answer = await told(said, method, of, '0xffffff')
    expect(answer).toEqual(whole(error(-32000, 'unknown block')))
  })
})

const calls = ['eth_call', 'eth_estimateGas']

/** Returns the error for a parameter of the wrong kind. */
const wrong = (name: string, kind: string) => `invalid parameter "${name}": must be ${kind}`

const vm = 'VM Exception while processing transaction: '

test.for(calls)(
  'a revert has code 3 and its data, as every client decodes it: %s',
  async (method) => {
    for (const [said, data, wanted, bytes] of [
      ['transaction reverted', '0x', 'execution reverted', '0x'],
      ['transaction reverted', undefined, 'execution reverted', '0x'],
      ['revert no money left', '0x08c379a0', 'execution reverted: no money left', '0x08c379a0'],
    ] as const) {
      const answer = { error: { code: -32015, message: vm + said, ...(data ? { data } : {}) } }
      expect(await told(answer, method, { to: address }, 'latest')).toEqual(
        whole({ error: { code: 3, message: wanted, data: bytes } }),
      )
    }
    const other = error(-32015, `${vm}out of gas`)
    expect(await told(other, method, { to: address }, 'latest')).toEqual(whole(other))
  },
)

/** RSKj 9.0.3 answers "Internal server error" to this one. */
const unsigned =
  '0xf84301840393870082520894a0ee7a142d267c1f36714e4a8f75612f20a7972080806205a02061fc844935e15ea36e8568aa3a344b150a336c99be3b7eb3bc1fb4284f5739'

test('an internal failure of RSKj is explained to the sender', async () => {
  const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
  const typed = { type: 'eip1559', chainId: 31, gas: 21_000n, ...fees } as const
  const raw = await privateKeyToAccount(generatePrivateKey()).signTransaction(typed)
  const invalid = 'invalid parameter "transaction": '
  for (const [bytes, words] of [
    [raw, 'type 2 is refused without a reason: nodes before RSKIP-546 take legacy ones alone'],
    [unsigned, 'these bytes are not a signed transaction: no key made its signature'],
  ] as const) {
    const answer = await told(failed, 'eth_sendRawTransaction', bytes)
    expect(answer).toEqual(whole(error(-32602, invalid + words)))
  }
  for (const method of calls) {
    const answer = await told(failed, method, { to: address, gas: '0x1' }, 'latest')
    expect(answer).toEqual(whole(error(-32000, 'the node cannot run the call with gas 0x1')))
  }
})

test('an estimate of nothing, or of a whole block, is not one', async () => {
  for (const result of ['0x0', `${printed.gasLimit}`]) {
    const answer = await told({ result }, 'eth_estimateGas', { to: address })
    expect(answer, result).toEqual(whole(error(-32000, 'gas required exceeds allowance')))
  }
})

const listed = '0x7986b3df570230288501eea3d890bd66948c9b79'
const storageKeys = [`0x${'1'.padStart(64, '0')}`]

test.for([
  [undefined, '0x5208'],
  [[], '0x5208'],
  // What a node with RSKIP-546 used for this list, in the recording of typed transactions.
  [[{ address: listed, storageKeys }], '0x6428'],
  [[{ address: listed }], '0x5988'],
  [[{ address: listed, storageKeys }, { address }], undefined],
] as const)('an estimate is enough for the access list, which RSKj leaves out: %j', async (row) => {
  const [accessList, gas] = row
  const call = { to: address, gas: '0x6428', accessList }
  const answer = await told({ result: '0x5208' }, 'eth_estimateGas', call)
  const tooMuch = error(-32000, 'gas required exceeds allowance')
  expect(answer).toEqual(whole(gas === undefined ? tooMuch : { result: gas }))
})

test('a block number of 64 digits is a number where no hash may stand', async () => {
  const asked: unknown[] = []
  const served = await serveScripted(({ method, params }) => {
    if (method.startsWith('eth_getBlockBy') || method === 'eth_call') asked.push(params)
    return method === 'eth_call' ? { result: '0x' } : undefined
  })
  const five = `0x${'5'.padStart(64, '0')}`
  expect((await served.rpc('eth_getBlockByNumber', [five])).result).toBeNull()
  await served.rpc('eth_call', [{ to: address }, five])
  expect(asked.map((one) => JSON.stringify(one))).toEqual([
    '["0x5",false]',
    `[{"to":"${address}"},"0x5"]`,
  ])
})

describe('with several nodes', () => {
  /** Serves two nodes at their own heights, with a log in every block. */
  async function twoNodes(heightOf: (host: string) => number, failing = '') {
    const log = { ...printedLog, blockHash: hash }
    const nodes = scriptedNode(({ method, params }, host) => {
      const height = heightOf(host)
      const numberOf = (value: unknown) => (`${value}`.startsWith('0x') ? Number(value) : height)
      const [first] = params as [Record<string, unknown>]
      const isBlock = method === 'eth_getBlockByNumber'
      if (method === 'eth_blockNumber') return { result: `0x${height.toString(16)}` }
      if (host === failing && !(isBlock && ['latest', '0x64'].includes(`${params[0]}`)))
        return headerNotFound
      if (method === 'eth_getLogs') {
        const [from, to] = [numberOf(first.fromBlock), Math.min(height, numberOf(first.toBlock))]
        const count = Math.max(0, to - from + 1)
        const blocks = Array.from({ length: count }, (_, at) => `0x${(from + at).toString(16)}`)
        return { result: blocks.map((blockNumber) => ({ ...log, blockNumber })) }
      }
      const number = numberOf(params[0])
      if (!isBlock || number > height) return undefined
      return { result: { ...printed, number: `0x${number.toString(16)}` } }
    })
    return await serve(['http://first.test/', 'http://second.test/'], 31, nodes)
  }

  test('logs of a block that came a moment ago are found', async () => {
    let height = 100
    const served = await twoNodes(() => height)
    expect((await served.rpc('eth_blockNumber')).result).toBe('0x64')
    height = 101
    for (const [fromBlock, toBlock, count] of [
      ['0x65', '0x65', 1],
      ['0x65', undefined, 1],
      ['0x65', 'latest', 1],
      ['0x64', '0x65', 2],
      ['0x64', '0xffffff', 2],
      ['0x66', '0x70', 0],
    ] as const) {
      const { result } = await served.rpc('eth_getLogs', [{ fromBlock, toBlock }])
      expect(result, `${fromBlock} to ${toBlock}`).toHaveLength(count)
    }
  })

  test('a refusal by one node and a missing answer of one that is behind are an error', async () => {
    const served = await twoNodes((name) => (name === 'first.test' ? 100 : 90), 'first.test')
    expect((await served.rpc('eth_blockNumber')).result).toBe('0x64')
    for (const [method, question] of [
      ['eth_getLogs', { fromBlock: '0x5f', toBlock: '0x5f' }],
      ['eth_getLogs', { fromBlock: '0x55', toBlock: '0x64' }],
      ['eth_getLogs', { fromBlock: '0x55', toBlock: 'latest' }],
      ['eth_getBlockByNumber', '0x5f'],
      ['eth_getTransactionReceipt', hash],
      ['eth_getTransactionByHash', hash],
    ] as const) {
      const answer = await served.rpc(method, [question])
      expect(answer, `${method} ${JSON.stringify(question)}`).toMatchObject(headerNotFound)
    }
  })
})

test('logs up to a block beyond the head are answered up to the head at once', async () => {
  const asked: unknown[] = []
  const served = await serveScripted(({ method, params }) => {
    if (method === 'eth_blockNumber') return { result: '0x2a' }
    if (method !== 'eth_getLogs') return undefined
    asked.push(params[0])
    return { result: [] }
  })
  const range = (fromBlock: string, toBlock: string) => ({ fromBlock, toBlock })
  const far = [range('0x2', '0xffffffff'), range('0x2b', '0xffffffff'), range('0x2b', 'latest')]
  for (const one of far) {
    expect(await served.rpc('eth_getLogs', [one])).toMatchObject({ result: [] })
  }
  expect(asked).toEqual([range('0x2', '0x2a'), range('0x2b', 'latest')])
})

test('the pending block has as many transactions as it shows, though RSKj counts its pool', async () => {
  const own = { hash, nonce: '0x0', from: address, to: address, value: '0x0', input: '0x' }
  const place = { blockHash: printed.hash, blockNumber: '0x2a', transactionIndex: '0x0' }
  const transaction = { ...own, ...place, gas: '0x0', gasPrice: '0x0' }
  const served = await serveScripted(({ method, params }) => {
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'pending')
      return method.endsWith('ByNumber') ? { result: '0x0' } : undefined
    const transactions = params[1] === true ? [transaction] : [hash]
    const unmined = { number: null, hash: null, miner: null, uncles: [] }
    return { result: { ...printed, ...unmined, transactions } }
  })
  const ask = async (method: string, ...params: unknown[]) =>
    (await served.rpc(method, ['pending', ...params])).result
  expect(await ask('eth_getBlockTransactionCountByNumber')).toBe('0x1')
  expect(await ask('eth_getUncleCountByBlockNumber')).toBe('0x0')
  const unmined = { hash, blockHash: null, blockNumber: null, transactionIndex: null, type: '0x0' }
  expect(await ask('eth_getTransactionByBlockNumberAndIndex', '0x0')).toMatchObject(unmined)
  expect(await ask('eth_getTransactionByBlockNumberAndIndex', '0x1')).toBeNull()
})

test('a block of state is named to RSKj so that it means that block', async () => {
  const asked: unknown[] = []
  const served = await serveScripted(({ method, params }) => {
    if (method.startsWith('eth_getBlock')) return { result: printed }
    asked.push(params[params.length - 1])
    return method === 'eth_estimateGas' && typeof params[1] === 'object'
      ? error(-32602, "Invalid block identifier '{'")
      : { result: method === 'eth_estimateGas' ? '0x5208' : '0x01' }
  })
  const own = printed.hash
  const [call, canonical] = [{ to: address }, { blockHash: own, requireCanonical: 'true' }]
  await served.rpc('eth_getCode', [address, own])
  await served.rpc('eth_getBalance', [address, own])
  await served.rpc('eth_getBalance', [address, { blockHash: own, requireCanonical: true }])
  await served.rpc('eth_call', [call, { blockHash: own }])
  expect(asked).toEqual([canonical, own, canonical, canonical])
  expect((await served.rpc('eth_estimateGas', [call, { blockHash: own }])).result).toBe('0x5208')
  expect(asked.at(-1)).toBe(printed.number)
})

test("traces beyond RSKj's limit of skipped ones are skipped here, and no others are requested", async () => {
  const asked: unknown[] = []
  const traceAt = (index: number) => ({ ...printedTrace, traceAddress: [index] })
  const served = await serveScripted(({ method, params }) => {
    if (method !== 'trace_filter') return undefined
    const { after, count } = params[0] as { after: number; count: number }
    asked.push(`${count} after ${after}`)
    return { result: Array.from({ length: count }, (_, index) => traceAt(after + index)) }
  })
  const ask = (after: number, count: number) =>
    served.rpc('trace_filter', [{ fromBlock: '0x1', toBlock: '0x7d1', after, count }])
  expect((await ask(9_999, 2)).result).toMatchObject([9_999, 10_000].map(traceAt))
  expect((await ask(10_001, 2)).result).toMatchObject([10_001, 10_002].map(traceAt))
  expect((await ask(19_999, 1)).result).toMatchObject([traceAt(19_999)])
  const words = 'after and count reach at most 20000 traces far: ask for fewer blocks'
  expect(await ask(20_000, 1)).toEqual(whole(error(-32602, words)))
  expect(asked).toEqual(['2 after 9999', '3 after 10000', '10000 after 10000'])
})

const noReceiver = 'invalid parameter "call.to": must be a 20-byte address'
const noCode =
  'invalid parameter "call": needs "to", or in "data" or "input" the code of a contract to create'
const either = 'invalid parameter "filter": Cannot specify both blockHash and fromBlock/toBlock'
const anyNumber = 'must be a block number in hex, latest, earliest or pending'
const anyBlock = anyNumber.replace('hex,', 'hex, a block hash,')
const call = { to: address }
const otherChain =
  '0xf85f8001825208941212121212121212121212121212121212121212808060a03a6e4f84b0c3b1b5d7f35b0c7dfe54ed9c1a02a3d9d07a1a4ad5e0b1e5d3c6f7a01111111111111111111111111111111111111111111111111111111111111111'

describe('what is asked wrongly is refused, and named', () => {
  const differ = 'invalid parameter "call": has both data and input, and they differ'
  const elsewhere =
    'invalid parameter "transaction": it is signed for chain 30, and this is chain 31'
  const tooWide = 'a range has at most 2000 blocks: try blocks 0x0 to 0x7d0'
  const topic = 'a 32-byte topic, an array of such topics, or null'
  const mined = wrong('block', 'a block number in hex, a block hash, latest or earliest')
  const [manyAddresses, manyTopics] = [address, hash].map((value) => Array(1_001).fill(value))
  const tooMany = (name: string, what: string) =>
    `invalid parameter "filter.${name}": must have at most 1000 ${what}`
  const topics = 'one of newHeads, logs, newPendingTransactions, syncing'
  test.for<[method: string, params: unknown[], message: string]>([
    ['eth_call', [{ data: '0x' }, 'latest'], noReceiver],
    ['eth_call', [{ data: '0x6000' }, 'latest'], noReceiver],
    ['eth_call', [{ to: null, data: '0x6000' }, 'latest'], noReceiver],
    ['eth_call', [call], 'missing parameter "block"'],
    ['eth_call', [call, hash], `invalid parameter "block": ${anyNumber}`],
    ['eth_estimateGas', [{}], noCode],
    ['eth_estimateGas', [{ to: null }], noCode],
    ['eth_estimateGas', [{ data: '0x' }], noCode],
    ['eth_estimateGas', [{ to: null, data: null, input: '0x' }], noCode],
    ['eth_estimateGas', [{ data: '0x6000', input: '0x00' }], differ],
    ['eth_estimateGas', [{ to: '', data: '0x6000' }], noReceiver],
    ['eth_sendRawTransaction', [otherChain], elsewhere],
    ['eth_sendRawTransaction', ['0x1'], wrong('transaction', 'hex data of whole bytes')],
    ['eth_getLogs', [{ blockHash: hash, fromBlock: '0x1' }], either],
    ['eth_getLogs', [{ blockHash: hash, toBlock: '0x1' }], either],
    ['eth_getLogs', [{ topics: [[['0x']]] }], wrong('filter.topics.0', topic)],
    ['eth_getLogs', [{ address: manyAddresses }], tooMany('address', 'addresses')],
    ['eth_getLogs', [{ topics: [null, manyTopics] }], tooMany('topics.1', 'topics in one place')],
    ['eth_subscribe', ['logs', { address: manyAddresses }], tooMany('address', 'addresses')],
    ['trace_filter', [{ count: 101 }], wrong('filter.count', 'a number from 0 to 100')],
    ['trace_filter', [{ fromBlock: '0x0', toBlock: '0x7d1' }], tooWide],
    ['trace_block', ['pending'], mined],
    ['eth_blockNumber', [1], 'eth_blockNumber takes at most 0 parameters'],
    ['eth_getBalance', [address, 'latest', 1], 'eth_getBalance takes at most 2 parameters'],
    ['eth_getBalance', [], 'missing parameter "address"'],
    ['eth_getBalance', ['0x1'], wrong('address', 'a 20-byte address')],
    ['eth_getBalance', [address, 'safe'], `invalid parameter "block": ${anyBlock}`],
    ['eth_getCode', [address], 'missing parameter "block"'],
    ['eth_getStorageAt', [address, '0x0'], 'missing parameter "block"'],
    ['eth_getStorageAt', [address, 0, 'latest'], wrong('position', 'a hex quantity')],
    ['eth_getBlockByNumber', ['latest', 'yes'], wrong('full', 'true or false')],
    ['eth_getBlockByNumber', [hash], `invalid parameter "block": ${anyNumber}`],
    ['web3_sha3', ['hello'], wrong('data', 'hex data of whole bytes')],
    ['eth_subscribe', ['everything'], wrong('type', topics)],
    ['eth_subscribe', [], 'missing parameter "type"'],
    ['eth_subscribe', ['logs', { address: '0x1' }], wrong('filter.address', 'a 20-byte address')],
  ])('%s %j: %s', async ([method, params, message]) => {
    const served = await serveScripted(() => undefined)
    expect(await served.rpc(method, params)).toEqual(whole(error(-32602, message)))
  })
})
