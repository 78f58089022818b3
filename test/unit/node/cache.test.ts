import { expect, test } from 'vitest'
import {
  createPlatformAnswers,
  createRedisAnswers,
  type SharedAnswers,
} from '../../../src/node/cache.ts'
import { serve } from '../../chain/node/support/serve.ts'
import {
  answeringNode,
  type Call,
  changeResult,
  error,
  type Said,
} from '../../support/fake-node.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { describeOnRedis } from '../../support/redis/on-redis.ts'
import { readFullBlock, readRecording } from '../../support/rskj-node/recording.ts'
import { replay } from '../../support/rskj-node/replay.ts'

const recording = readRecording('main-network')
const { hash, number, transactions } = readFullBlock()
const account = '0xda7ce79725418f4f6e13bf5f520c89cec5f6a974'

type Question = readonly [method: string, ...params: unknown[]]

/** Creates processes of one place, which share answers, and notes their node's calls. */
function createPlace(shared: SharedAnswers = inMemory()) {
  const clock = createHandClock()
  const node = replay(recording)
  const asked: string[] = []
  const place = { clock, change: (said: Said, _call: Call): Said => said }
  /** Answers what was not recorded. */
  const others: Record<string, (param: unknown) => unknown> = {
    eth_getTransactionCount: () => '0x1',
    eth_call: () => '0x',
    trace_transaction: (of) =>
      recording.blocks.flatMap((block) =>
        block.transactions.some((one) => one.hash === of)
          ? recording.tracesOf(block).filter(({ transactionHash }) => transactionHash === of)
          : [],
      ),
  }
  const nodes = answeringNode((call) => {
    if (!/chainId|clientVersion/.test(call.method)) asked.push(call.method)
    const other = others[call.method]
    return place.change(other ? { result: other(call.params[0]) } : node.say(call), call)
  })
  async function open() {
    const { rpc, service } = await serve(['http://rskj.test/'], 31, nodes, clock, { shared })
    async function read(...[method, ...params]: Question): Promise<unknown> {
      const answer = await rpc(method, params)
      expect(answer.error, method).toBeUndefined()
      return answer.result
    }
    return { rpc, service, read }
  }
  /** Counts the node's calls of a method, or of all, during some work. */
  async function countCalls(work: () => Promise<unknown>, method?: string): Promise<number> {
    const before = asked.length
    await work()
    return asked.slice(before).filter((one) => method === undefined || one === method).length
  }
  return Object.assign(place, { open, countCalls })
}

function inMemory(): SharedAnswers {
  const all = new Map<string, string>()
  return {
    find: async (key) => JSON.parse(all.get(key) ?? 'null') ?? undefined,
    store: async (key, kept) => void all.set(key, JSON.stringify(kept)),
  }
}

const balance: Question = ['eth_getBalance', account, hash]

test('an answer by the hash of a block is requested once, by all processes together', async () => {
  const { open, countCalls } = createPlace()
  const [one, other] = [await open(), await open()]
  for (const question of [
    ['eth_getBlockByHash', hash],
    ['eth_getBlockByHash', hash, true],
    ['eth_getBlockTransactionCountByHash', hash],
    ['eth_getUncleCountByBlockHash', hash],
    ['eth_getTransactionByBlockHashAndIndex', hash, '0x0'],
    ['eth_getLogs', { blockHash: hash }],
    balance,
    ['eth_getCode', account, hash],
    ['eth_getStorageAt', account, '0x0', hash],
    ['eth_getTransactionCount', account, hash],
    ['chain_getRawBlockHeaderByHash', hash],
    ['chain_getTransactionReceiptNodesByHash', hash, transactions[0]?.hash],
    ['trace_block', hash],
  ] as Question[]) {
    const first = await one.read(...question)
    for (const { read } of [one, other]) {
      const again = async () => expect(await read(...question)).toEqual(first)
      expect(await countCalls(again), question[0]).toBe(0)
    }
  }
})

test('proved answers are cached forever, all others for a minute after the request', async () => {
  const { clock, open, countCalls } = createPlace()
  const { read } = await open()
  for (const [question, forGood] of [
    [['chain_getRawBlockHeaderByHash', hash], true],
    [['eth_getBlockByHash', hash], false],
    [['eth_getLogs', { blockHash: hash }], false],
    [balance, false],
  ] as [Question, boolean][]) {
    await read(...question)
    for (const isCached of [true, forGood]) {
      clock.forward(30_000)
      const calls = await countCalls(() => read(...question))
      expect(calls === 0, question[0]).toBe(isCached)
    }
  }
})

test('an unproved answer is trusted by others for a minute, and not after a lie', async () => {
  const place = createPlace()
  const { clock, open, countCalls } = place
  const askAnew = async () => {
    const { read } = await open()
    return await countCalls(() => read(...balance))
  }
  await askAnew()
  clock.forward(59_000)
  expect(await askAnew()).toBe(0)
  clock.forward(2_000)
  expect(await askAnew()).toBeGreaterThan(0)

  const { rpc, read } = await open()
  place.change = (said) =>
    changeResult(said, (result: Record<string, unknown>) =>
      result.status === '0x0' ? { ...result, status: '0x1' } : result,
    )
  expect((await rpc('eth_getTransactionReceipt', [transactions[0]?.hash])).error).toBeDefined()
  expect(await countCalls(() => read(...balance))).toBeGreaterThan(0)
})

test('a cached part makes no answer look younger', async () => {
  let difficulty = '0x1'
  /** Opens a place of which the node adds no uncles' difficulties to that of their block. */
  async function openAnew() {
    const place = createPlace()
    place.change = (said, { method }) => {
      if (method === 'eth_getUncleByBlockHashAndIndex') return { result: { difficulty } }
      if (!method.startsWith('eth_getBlockBy')) return said
      const added = { uncles: [`0x${'1'.repeat(64)}`], cumulativeDifficulty: undefined }
      return changeResult(said, (block: object) => ({ ...block, ...added }))
    }
    return { ...(await place.open()), clock: place.clock }
  }
  const truth = await (await openAnew()).read('eth_getBlockByHash', hash)
  const { clock, read } = await openAnew()
  difficulty = '0x5'
  // The sum is cached.
  expect(await read('eth_getBlockByNumber', number)).not.toEqual(truth)
  difficulty = '0x1'
  for (const _ of ['after 30 s', 'after 60 s']) {
    clock.forward(30_000)
    await read('eth_getBlockByHash', hash)
  }
  expect(await read('eth_getBlockByHash', hash)).toEqual(truth)
})

test('a block by number, a transaction and its receipt are cached from twelve blocks on', async () => {
  const { open, countCalls } = createPlace()
  const { read } = await open()
  expect(await read('eth_blockNumber')).toBe('0x2b')
  for (const [place, again] of [
    ['0x1f', 0],
    ['0x20', 1],
  ] as const) {
    const [sent] = recording.blocks[Number(place)]?.transactions ?? []
    for (const question of [
      ['eth_getBlockByNumber', place],
      ['eth_getTransactionByHash', sent?.hash],
      ['eth_getTransactionReceipt', sent?.hash],
      ['trace_transaction', sent?.hash],
    ] satisfies Question[]) {
      await read(...question)
      expect(await countCalls(() => read(...question)), question.join()).toBe(again)
    }
  }
})

test('a missing answer is not cached', async () => {
  const place = createPlace()
  const { read } = await place.open()
  const receipt: Question = ['eth_getTransactionReceipt', transactions[0]?.hash]
  place.change = (said, { method }) => (method === receipt[0] ? { result: null } : said)
  expect(await read(...receipt)).toBeNull()
  place.change = (said) => said
  expect(await read(...receipt)).toMatchObject({ blockHash: hash })
})

test('an answer that may change is requested again', async () => {
  const { open, countCalls } = createPlace()
  const { read } = await open()
  for (const question of [
    ['eth_blockNumber'],
    ['eth_gasPrice'],
    ['eth_getBalance', `0x${'ab'.repeat(20)}`, 'latest'],
    ['eth_getBlockByNumber', 'latest'],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: '0x1' }],
    ['eth_call', { to: account, data: '0x11' }, 'latest'],
  ] as Question[]) {
    await read(...question)
    expect(await countCalls(() => read(...question)), question[0]).toBeGreaterThan(0)
  }
})

test('equal requests in flight are one, others are not', async () => {
  const { open, countCalls } = createPlace()
  const { read } = await open()
  const ask = (accounts: string[]) =>
    countCalls(
      () => Promise.all(accounts.map((one) => read('eth_getBalance', one))),
      'eth_getBalance',
    )
  expect(await ask(Array<string>(20).fill(`0x${'ab'.repeat(20)}`))).toBe(1)
  const others = Array.from({ length: 20 }, (_, index) => `0x${`${index}`.padStart(40, 'c')}`)
  expect(await ask(others)).toBe(20)
})

test("concurrent requests for one block's receipts read the block and its receipts once", async () => {
  const place = createPlace()
  const { open, countCalls } = place
  place.change = (said, { method }) =>
    method.startsWith('rsk_') ? error(-32601, 'the method does not exist') : said
  for (const [method, calls] of [
    ['eth_getBlockByHash', 1],
    ['eth_getBlockReceipts', 1],
  ] as const) {
    const { read } = await open()
    const readAll = () =>
      Promise.all(transactions.map((one) => read('eth_getTransactionReceipt', one.hash)))
    expect(await countCalls(readAll, method), method).toBe(calls)
  }
})

test('a request of this process uses no cached answer and no open request', async () => {
  const { open, countCalls } = createPlace()
  const { read, service } = await open()
  await read('eth_getBlockByHash', hash)
  const { signal } = new AbortController()
  const request = () => service.request('eth_getBlockByHash', [hash], { signal })
  expect(await countCalls(() => Promise.all([request(), request()]))).toBe(2)
  const answer = async () => expect(await read('eth_getBlockByHash', hash)).toMatchObject({ hash })
  expect(await countCalls(answer)).toBe(0)
})

const fail = () => Promise.reject(new Error('gone'))

test.for<[what: string, shared: SharedAnswers]>([
  ['fails', { find: fail, store: fail }],
  ['does not answer', { find: () => new Promise(() => {}), store: () => new Promise(() => {}) }],
  [
    'holds something else',
    createPlatformAnswers(() => ({
      match: async () => new Response('{"text":1}'),
      put: async () => {},
    })),
  ],
])('a store that %s changes no answer', async ([, shared]) => {
  const served = await createPlace(shared).open()
  const { result } = await served.rpc('eth_getBlockByHash', [hash, false])
  expect(result).toMatchObject({ hash })
})

describeOnRedis(Date.now, ({ database }) => {
  test('Redis stores answers under digests, as long as they are trusted', async () => {
    const answers = createRedisAnswers(database())
    expect(await answers.find('31 eth_getBalance')).toBe(undefined)
    for (const kept of [
      { text: '"0x1"', unverifiedSince: 5 },
      { text: '"0x2"', unverifiedSince: undefined },
    ]) {
      await answers.store('31 eth_getBalance', kept)
      expect(await answers.find('31 eth_getBalance')).toEqual(kept)
    }
    expect(await answers.find('30 eth_getBalance')).toBe(undefined)
  })
})
