import { expect, test } from 'vitest'
import {
  createPlatformAnswers,
  createRedisAnswers,
  type SharedAnswers,
} from '../../../src/node/shared-answers.ts'
import { serve } from '../../chain/node/support/serve.ts'
import { answeringNode, changeResult } from '../../support/fake-node.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { describeOnRedis } from '../../support/redis/on-redis.ts'
import { readFullBlock, readRecording } from '../../support/rskj-node/recording.ts'
import { replay } from '../../support/rskj-node/replay.ts'

const { hash, transactions } = readFullBlock()
const address = '0xda7ce79725418f4f6e13bf5f520c89cec5f6a974'

/** Creates a shared cache of two processes, and counts their node's calls. */
function createPlace(shared: SharedAnswers = inMemory()) {
  const clock = createHandClock()
  const node = replay(readRecording('main-network'))
  const place = { clock, asked: 0, isLying: false }
  const counted = answeringNode((call) => {
    if (!/chainId|clientVersion/.test(call.method)) place.asked += 1
    return changeResult(node.say(call), (result: Record<string, unknown>) =>
      place.isLying && result.status === '0x0' ? { ...result, status: '0x1' } : result,
    )
  })
  const open = () => serve(['http://rskj.test/'], 31, counted, clock, { shared })
  return Object.assign(place, { open })
}

function inMemory(): SharedAnswers {
  const all = new Map<string, string>()
  return {
    find: async (key) => JSON.parse(all.get(key) ?? 'null') ?? undefined,
    store: async (key, kept) => void all.set(key, JSON.stringify(kept)),
  }
}

test('a final answer of one process is not requested again by another', async () => {
  const place = createPlace()
  const questions: [string, unknown[]][] = [
    ['chain_getRawBlockHeaderByHash', [hash]],
    ['eth_getBlockByHash', [hash, false]],
    ['eth_getBalance', [address, hash]],
  ]
  const [one, other] = [await place.open(), await place.open()]
  for (const [method, params] of questions) {
    const told = await one.rpc(method, params)
    const asked = place.asked
    expect(await other.rpc(method, params)).toEqual(told)
    expect(place.asked, method).toBe(asked)
  }
})

test('an unproved answer is trusted by others for a minute, and not after a lie', async () => {
  const place = createPlace()
  const balance = ['eth_getBalance', [address, hash]] as const
  await (await place.open()).rpc(...balance)
  const before = place.asked
  const other = await place.open()
  place.clock.forward(59_000)
  await other.rpc(...balance)
  expect(place.asked).toBe(before)
  place.clock.forward(2_000)
  await (await place.open()).rpc(...balance)
  expect(place.asked).toBeGreaterThan(before)

  const lied = await place.open()
  place.isLying = true
  expect((await lied.rpc('eth_getTransactionReceipt', [transactions[0]?.hash])).error).toBeDefined()
  place.isLying = false
  const asked = place.asked
  await lied.rpc(...balance)
  expect(place.asked).toBeGreaterThan(asked)
})

test('a block by number is cached once it is twelve blocks deep', async () => {
  const place = createPlace()
  const one = await place.open()
  expect((await one.rpc('eth_blockNumber')).result).toBe('0x2b')
  for (const [number, again] of [
    ['0x1f', 0],
    ['0x20', 1],
  ] as const) {
    await one.rpc('eth_getBlockByNumber', [number])
    const asked = place.asked
    await one.rpc('eth_getBlockByNumber', [number])
    expect(place.asked - asked, number).toBe(again)
  }
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
