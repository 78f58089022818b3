import { type Hex, keccak256, numberToHex } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { methods } from '../../../../src/node/methods/list.ts'
import { type SecondClient, startSecondClient } from '../support/second-client.ts'
import { type MadeChain, makeChain, maker } from '../support/second-client-chain.ts'
import { type Served, serve } from '../support/serve.ts'

type Json = Record<string, unknown>

let chain: MadeChain
let client: SecondClient
let served: Served

beforeAll(async () => {
  chain = await makeChain()
  client = await startSecondClient(chain)
  served = await serve([client.url])
  return client.stop
})

/** The result, in the shape that the method promises. */
async function result<T = Json>(method: string, ...params: unknown[]): Promise<T> {
  const answer = await served.rpc(method, params)
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
  methods.find(({ name }) => name === method)?.result.parse(answer.result)
  return answer.result as T
}

const transactionOf = (number: number, index = 0): Hex => {
  const hash = chain.transactions[number - 1]?.[index]
  if (hash === undefined) throw new Error('there is no such transaction')
  return hash
}

const word = (value: number): Hex => numberToHex(value, { size: 32 })

test('is another client than anvil', async () => {
  for (const [method, answer] of [
    ['web3_clientVersion', expect.stringMatching(/^EthereumJS/)],
    ['eth_chainId', '0x1f'],
    ['net_version', '31'],
    ['eth_blockNumber', numberToHex(chain.head)],
    ['eth_gasPrice', expect.stringMatching(/^0x/)],
    ['eth_protocolVersion', '0x44'],
    ['chain_protocolVersion', '0x44'],
    ['eth_accounts', []],
  ]) {
    expect(await result(method), method).toEqual(answer)
  }
})

test('shows blocks with every field, each fitting its own hash', async () => {
  for (let number = 0; number <= chain.head; number += 1) {
    const selector = numberToHex(number)
    const block = await result('eth_getBlockByNumber', selector)
    const made = chain.transactions[number - 1] ?? []
    expect(block.transactions).toEqual(made)
    for (const [by, where] of Object.entries({ Number: selector, Hash: block.hash })) {
      expect(await result(`eth_getBlockBy${by}`, where)).toEqual(block)
      const header = await result<Hex>(`chain_getRawBlockHeaderBy${by}`, where)
      expect(keccak256(header)).toBe(block.hash)
      const count = await result(`eth_getBlockTransactionCountBy${by}`, where)
      expect(count).toBe(numberToHex(made.length))
      expect(await result(`eth_getUncleCountByBlock${by}`, where)).toBe('0x0')
    }
  }
  const full = await result('eth_getBlockByNumber', '0x4', true)
  const [first, second] = full.transactions as Json[]
  expect(first).toEqual(await result('eth_getTransactionByHash', transactionOf(4)))
  expect(second).toEqual(await result('eth_getTransactionByBlockNumberAndIndex', '0x4', '0x1'))
  expect(second).toEqual(await result('eth_getTransactionByBlockHashAndIndex', full.hash, '0x1'))
  expect((await result('eth_getBlockByNumber', 'latest')).number).toBe(numberToHex(chain.head))
})

test('shows receipts, paid fees and proofs that fit the receipts root', async () => {
  const deployed = await result('eth_getTransactionReceipt', transactionOf(1))
  expect(deployed).toMatchObject({ contractAddress: chain.emitter, to: null, status: '0x1' })
  expect(await result('eth_getTransactionReceipt', transactionOf(4))).toMatchObject({
    status: '0x0',
    logs: [],
  })
  let fees = 0n
  const block = await result('eth_getBlockByNumber', '0x4')
  for (const index of [0, 1]) {
    const hash = transactionOf(4, index)
    const receipt = await result('eth_getTransactionReceipt', hash)
    fees += BigInt(receipt.gasUsed as Hex) * BigInt(receipt.effectiveGasPrice as Hex)
    const nodes = await result<Hex[]>('chain_getTransactionReceiptNodesByHash', block.hash, hash)
    expect(keccak256(nodes[0] ?? '0x')).toBe(block.receiptsRoot)
    const raw = await result<Hex>('chain_getRawTransactionReceiptByHash', hash)
    expect(nodes.at(-1)).toContain(raw.slice(2))
  }
  expect(block.paidFees).toBe(numberToHex(fees))
})

test('finds logs by block, range, address and topic', async () => {
  const all = await result<Json[]>('eth_getLogs', { fromBlock: 'earliest', toBlock: 'latest' })
  expect(all.map(({ data, blockNumber }) => [data, blockNumber])).toEqual([
    [word(3), '0x2'],
    [word(6), '0x4'],
  ])
  const [first, second] = all
  expect(first).not.toHaveProperty('removed')
  expect(await result('eth_getLogs', { blockHash: first?.blockHash })).toEqual([first])
  expect(await result('eth_getLogs', { fromBlock: '0x4', toBlock: '0x4' })).toEqual([second])
  const range = { fromBlock: '0x0', toBlock: '0x9' }
  expect(await result('eth_getLogs', { ...range, topics: [null, [word(5), word(9)]] })).toEqual([
    second,
  ])
  expect(await result('eth_getLogs', { ...range, address: [chain.emitter] })).toEqual(all)
  expect(await result('eth_getLogs', { ...range, address: maker })).toEqual([])
  expect(await result('eth_getLogs', {})).toEqual([])
})

test('reads state at a number, a tag and a hash', async () => {
  const { hash } = await result('eth_getBlockByNumber', '0x2')
  for (const block of ['0x2', hash]) {
    expect(await result('eth_getTransactionCount', maker, block)).toBe('0x2')
    expect(await result('eth_getCode', chain.emitter, block)).toMatch(/^0x3615/)
    expect(await result('eth_getStorageAt', chain.emitter, '0x0', block)).toBe(word(0))
    expect(await result('eth_getBalance', `0x${'ab'.repeat(20)}`, block)).toBe('0x0')
  }
  expect(await result('eth_getBalance', `0x${'ab'.repeat(20)}`)).toBe('0x5')
  expect(await result('eth_getTransactionCount', maker, 'earliest')).toBe('0x0')
  const data = `0x${[1, 2, 7].map((value) => word(value).slice(2)).join('')}`
  expect(await result('eth_call', { to: chain.emitter, data }, 'latest')).toBe(word(7))
  expect(Number(await result('eth_estimateGas', { to: chain.emitter, data }))).toBeGreaterThan(
    21_000,
  )
  const { error } = await served.rpc('eth_call', [{ to: chain.emitter }, 'latest'])
  expect(error).toMatchObject({ code: 3, data: '0x' })
})

test('answers null for what is not there, and says what it cannot do', async () => {
  const nowhere = `0x${'99'.repeat(32)}`
  for (const [method, ...params] of [
    ['eth_getBlockByHash', nowhere],
    ['eth_getBlockByNumber', '0xffff'],
    ['eth_getTransactionByHash', nowhere],
    ['eth_getTransactionReceipt', nowhere],
    ['eth_getBlockTransactionCountByHash', nowhere],
    ['eth_getUncleCountByBlockHash', nowhere],
    ['chain_getRawBlockHeaderByHash', nowhere],
    ['chain_getRawTransactionReceiptByHash', nowhere],
    ['chain_getTransactionReceiptNodesByHash', nowhere, nowhere],
  ] as const) {
    expect(await result(method, ...params), method).toBeNull()
  }
  const { error } = await served.rpc('trace_transaction', [transactionOf(2)])
  expect(error).toMatchObject({ code: -32601 })
  expect((await served.rpc('eth_getBalance', [maker, nowhere])).error).toBeDefined()
})
