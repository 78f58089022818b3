import { beforeEach, expect, test } from 'vitest'
import { createHandClock } from '../../support/hand-clock.ts'
import { opened } from '../../support/opened.ts'
import { beforeABlock, emit, mined } from './support/anvil-rpc.ts'
import { openNode } from './support/open.ts'
import { lieAbout } from './support/proxy-node.ts'
import { type Served, serve } from './support/serve.ts'

type Json = Record<string, unknown>

const on = opened(() => openNode())
let served: Served

beforeEach(async () => {
  served = await serve([on.proxy.url])
})

async function result(method: string, ...params: unknown[]): Promise<Json> {
  const { result, error } = await served.rpc(method, params)
  if (error !== undefined) throw new Error(error.message)
  return result as unknown as Json
}

/** Has the emitter log in a block. */
async function emitMined() {
  const hash = await emit(on.direct, on.emitter, 1n, 2n, 3n)
  return { hash, ...(await mined(on.direct, hash)) }
}

/** Counts the node's calls during some work. */
async function countCalls(work: () => Promise<unknown>): Promise<number> {
  const before = on.proxy.seen()
  await work()
  return on.proxy.seen() - before
}

test('a request by block hash reaches the node once', async () => {
  const { hash, blockHash } = await emitMined()
  for (const [method, ...params] of [
    ['eth_getBlockByHash', blockHash],
    ['eth_getBlockByHash', blockHash, true],
    ['eth_getBlockTransactionCountByHash', blockHash],
    ['eth_getUncleCountByBlockHash', blockHash],
    ['eth_getTransactionByBlockHashAndIndex', blockHash, '0x0'],
    ['eth_getLogs', { blockHash }],
    ['eth_getBalance', on.emitter, blockHash],
    ['eth_getCode', on.emitter, blockHash],
    ['eth_getStorageAt', on.emitter, '0x0', blockHash],
    ['eth_getTransactionCount', on.emitter, blockHash],
    ['chain_getRawBlockHeaderByHash', blockHash],
    ['chain_getTransactionReceiptNodesByHash', blockHash, hash],
    ['trace_block', blockHash],
  ] as const) {
    const first = await result(method, ...params)
    const again = async () => expect(await result(method, ...params)).toEqual(first)
    expect(await countCalls(again), method).toBe(0)
  }
})

test('proved answers are cached forever, all others for a minute after the request', async () => {
  const clock = createHandClock()
  served = await serve([on.proxy.url], 31, globalThis.fetch, clock)
  const { blockHash } = await emitMined()
  const kept = async (method: string, params: unknown[], forMs: number) => {
    clock.forward(forMs)
    return (await countCalls(() => result(method, ...params))) === 0
  }
  const questions = [
    { method: 'chain_getRawBlockHeaderByHash', params: [blockHash], forGood: true },
    { method: 'eth_getBlockByHash', params: [blockHash], forGood: false },
    { method: 'eth_getLogs', params: [{ blockHash }], forGood: false },
    { method: 'eth_getBalance', params: [on.emitter, blockHash], forGood: false },
  ]
  for (const { method, params, forGood } of questions) {
    await result(method, ...params)
    expect(await kept(method, params, 30_000), method).toBe(true)
    expect(await kept(method, params, 30_000), method).toBe(forGood)
  }
})

test('a cached part makes no answer look younger', async () => {
  const clock = createHandClock()
  served = await serve([on.proxy.url], 31, globalThis.fetch, clock)
  const { blockHash, blockNumber } = await emitMined()
  const truth = await result('eth_getBlockByHash', blockHash)
  served = await serve([on.proxy.url], 31, globalThis.fetch, clock)
  const spoil = (receipts: Json[]) => receipts.map((receipt) => ({ ...receipt, gasUsed: '0x1' }))
  on.proxy.lie(lieAbout('eth_getBlockReceipts', spoil))
  // Its fees are kept.
  expect(await result('eth_getBlockByNumber', blockNumber)).not.toEqual(truth)
  on.proxy.lie(undefined)
  clock.forward(30_000)
  await result('eth_getBlockByHash', blockHash)
  clock.forward(30_000)
  expect(await result('eth_getBlockByHash', blockHash)).toEqual(truth)
})

test('a transaction and its receipt are kept from twelve blocks on', async () => {
  const { hash } = await emitMined()
  const all = ['eth_getTransactionByHash', 'eth_getTransactionReceipt', 'trace_transaction']
  for (const [blocks, asked] of [
    ['0xb', 1],
    ['0x1', 0],
  ] as const) {
    await on.direct('anvil_mine', [blocks])
    await result('eth_blockNumber')
    for (const method of all) {
      await result(method, hash)
      expect(await countCalls(() => result(method, hash)), method).toBe(asked)
    }
  }
})

test('a missing answer is not cached', async () => {
  const hash = await beforeABlock(on.direct, async () => {
    const sent = await emit(on.direct, on.emitter, 9n, 9n, 9n)
    expect(await result('eth_getTransactionReceipt', sent)).toBeNull()
    return sent
  })
  expect(await result('eth_getTransactionReceipt', hash)).toMatchObject({ transactionHash: hash })
})

test('an answer that may change is requested again', async () => {
  for (const [method, ...params] of [
    ['eth_blockNumber'],
    ['eth_gasPrice'],
    ['eth_getBalance', on.emitter, 'latest'],
    ['eth_getBlockByNumber', 'latest'],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: '0x1' }],
    ['eth_call', { to: on.emitter, data: '0x11' }, 'latest'],
  ] as const) {
    await result(method, ...params)
    expect(await countCalls(() => result(method, ...params)), method).toBeGreaterThan(0)
  }
})

test('equal requests in flight are one, others are not', async () => {
  await result('eth_chainId')
  const before = on.proxy.seen('eth_getBalance')
  const numbers = Array.from({ length: 20 }, (_, index) => index.toString(16))
  await Promise.all(numbers.map(() => result('eth_getBalance', on.emitter, 'latest')))
  expect(on.proxy.seen('eth_getBalance') - before).toBe(1)
  const others = numbers.map((number) => `0x${number.padStart(40, '0')}`)
  await Promise.all(others.map((account) => result('eth_getBalance', account)))
  expect(on.proxy.seen('eth_getBalance') - before).toBe(21)
})

test("concurrent requests for one block's receipts read the block and its receipts once", async () => {
  const hashes: string[] = []
  await beforeABlock(on.direct, async () => {
    const { direct, emitter } = on
    for (const data of [1n, 2n, 3n, 4n]) hashes.push(await emit(direct, emitter, 1n, 2n, data))
  })
  const looks = ['eth_getBlockByHash', 'eth_getBlockReceipts'] as const
  const before = looks.map(on.proxy.seen)
  await Promise.all(hashes.map((hash) => result('eth_getTransactionReceipt', hash)))
  expect(looks.map((method, index) => on.proxy.seen(method) - (before[index] ?? 0))).toEqual([1, 1])
})

test('a fresh request uses no cached answer and no open request', async () => {
  const { hash } = (await on.direct('eth_getBlockByNumber', ['latest', false])) as Json
  await result('eth_getBlockByHash', hash)
  const { signal } = new AbortController()
  const fresh = (): Promise<unknown> =>
    served.service.request('eth_getBlockByHash', [hash], { signal, fresh: true })
  const before = on.proxy.seen('eth_getBlockByHash')
  await Promise.all([fresh(), fresh()])
  expect(on.proxy.seen('eth_getBlockByHash') - before).toBe(2)
  const kept = await served.service.request('eth_getBlockByHash', [hash], { signal })
  expect(kept).toMatchObject({ hash })
  expect(on.proxy.seen('eth_getBlockByHash') - before).toBe(2)
})
