import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../scripts/dev/random.ts'
import { createNodeService } from '../../../../src/node/service.ts'
import { createUpstreamBudget } from '../../../../src/node/upstream/budget.ts'
import { sampleOf } from '../../../support/sample.ts'
import { connectTo, followNodes } from './listener.ts'
import { createModelNode } from './model-node.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const blockMs = 25_000

/** Returns each block's time after another: always the same, or random, as with mining. */
const paces = { regular: () => blockMs, 'by chance': chance(blockMs) }

function chance(meanMs: number): () => number {
  const random = createRandom(25)
  return () => Math.ceil(-meanMs * Math.log(1 - random.next()))
}

/** Opens a chain with older blocks, and a feed on its node. */
function open({ gap = paces.regular, serves = true, callsADay = 0 } = {}) {
  const earlier: number[] = []
  for (let passed = 0; earlier.length < 100; earlier.unshift(passed)) passed += gap()
  const node = createModelNode({ earlier, serves })
  const { clock, fetch, scheduler } = node
  const shared = { clock, log: () => {}, waitUntil: () => {} }
  const limits = { callsADay, relayReserve: 0 }
  const store = { count: async () => ({ relay: 0, callers: 0, resetAt: Number.POSITIVE_INFINITY }) }
  const budget = createUpstreamBudget({ store: () => store, limits, ...shared })
  const urls = ['http://node.test/']
  const feed = followNodes({
    clock,
    service: createNodeService({ chainId: 31, urls, fetch, ...shared }),
    socketUrls: ['ws://node.test/'],
    openSocket: (url) => new node.Socket(url),
    budget: callsADay === 0 ? undefined : budget.createFeedBudget(),
  })
  const mineNext = (): void => {
    node.mine()
    scheduler.at(scheduler.now() + gap(), mineNext)
  }
  scheduler.at(scheduler.now() + gap(), mineNext)

  return {
    node,
    feed,
    /** Subscribes a client at once, which notes each head's delay in ms and its closing. */
    async listen(type = 'newHeads') {
      const late: number[] = []
      const client = connectTo(feed, {
        onSent(text) {
          const [, timestamp] = /"timestamp":"(0x[0-9a-f]+)"/.exec(text) ?? []
          if (timestamp !== undefined) late.push(scheduler.now() - 1_000 * Number(timestamp))
        },
      })
      const subscribing = client.subscribe(type).then(feed.follow)
      await scheduler.runUntil(scheduler.now() + 1_000)
      await subscribing
      return { ...client, late }
    },
    pass: (ms: number) => scheduler.runUntil(scheduler.now() + ms),
  }
}

/** Timestamps are whole seconds. */
const second = 1_000

describe('a day of heads on a chain of 25 s', () => {
  const days = [
    ['regular', 'a connection tells of them', true, 5_000],
    ['regular', 'no node takes a connection', false, 8_000],
    ['by chance', 'a connection tells of them', true, 5_000],
    ['by chance', 'no node takes a connection', false, 8_000],
  ] as const
  const drawn = sampleOf(1, days, 'days')
  test.for(drawn)('that come %s takes few calls if %s, and none is 20 s late', async (day) => {
    const [pace, , serves, most] = day
    const { node, listen, pass } = open({ gap: paces[pace], serves })
    const { late } = await listen()
    const [before, head] = [node.calls(), node.blocks.length]
    await pass(dayMs)
    expect(node.calls() - before).toBeLessThan(most)
    expect(late.length).toBeGreaterThan(node.blocks.length - head - 3)
    expect(Math.max(...late)).toBeLessThan(20_000 + second)
  })

  test('needs as many calls for 500 listeners as for one', async () => {
    const calls = []
    for (const listeners of [1, 500]) {
      const { node, listen, pass } = open()
      const all = []
      while (all.length < listeners) all.push(await listen())
      await pass(hourMs - (node.clock.now() % hourMs))
      const before = node.calls()
      await pass(2 * hourMs)
      calls.push(node.calls() - before)
      expect(Math.min(...all.map(({ late }) => late.length))).toBeGreaterThan(280)
    }
    expect(calls[1]).toBe(calls[0])
  })

  test('asks nothing before the first listener, and nothing after the last', async () => {
    const { node, listen, pass } = open()
    await pass(hourMs)
    expect([node.calls(), node.upgradesAt.length]).toEqual([0, 0])
    const { leave } = await listen()
    await pass(hourMs)
    leave()
    await pass(second)
    const before = node.calls()
    await pass(hourMs)
    expect([node.calls(), node.upgradesAt.length]).toEqual([before, 1])
  })

  test('is reported even if a connection is silent and seems open', async () => {
    const { node, listen, pass } = open()
    const { late } = await listen()
    await pass(hourMs)
    node.state.tells = false
    await pass(6 * hourMs)
    expect(late.length).toBeGreaterThan((7 * hourMs) / blockMs - 3)
    expect(Math.max(...late)).toBeLessThan(20_000 + second)
    expect(node.upgradesAt.length).toBeGreaterThan(1)
  })
})

test('a chain of 2 s is followed within a second without a connection', async () => {
  const { listen, pass } = open({ gap: () => 2_000, serves: false })
  const { late } = await listen()
  await pass(60_000)
  expect(late.length).toBeGreaterThan(28)
  expect(Math.max(...late)).toBeLessThanOrEqual(1_000 + second)
})

test('a node that accepts no connection is tried less and less, finally every ten minutes', async () => {
  const { node, listen, pass } = open({ serves: false })
  await listen()
  await pass(3 * hourMs)
  const { upgradesAt } = node
  const gaps = upgradesAt.slice(1).map((at, index) => at - (upgradesAt[index] ?? 0))
  expect(gaps[0]).toBeGreaterThanOrEqual(3_000)
  expect(Math.min(...gaps.slice(8))).toBeGreaterThanOrEqual(600_000)
  expect(upgradesAt.length).toBeLessThan(30)
})

test('the pending block is requested once, and then only the filter', async () => {
  const { node, listen, pass } = open({ serves: false })
  const asked = (method: string) => node.asked.get(`eth_${method}`) ?? 0
  await listen('newPendingTransactions')
  const [before, blocks] = [asked('getFilterChanges'), asked('getBlockByNumber')]
  await listen('newPendingTransactions')
  await pass(hourMs)
  expect(asked('newPendingTransactionFilter')).toBe(1)
  // Each look reads the latest block: none is left for the pending one.
  expect(asked('getBlockByNumber') - blocks).toBe(asked('getFilterChanges') - before)
})

describe("the day's limit of calls for subscriptions", () => {
  test('is spread over the day if it would not last', async () => {
    const { node, listen, pass } = open({ serves: false, callsADay: 6_000 })
    const { late, closings } = await listen()
    await pass(dayMs - 2 * second)
    expect(node.calls()).toBeLessThan(4_010)
    expect([closings, late.length]).toEqual([[], expect.closeTo(3_455, -1)])
    expect(Math.max(...late)).toBeLessThan(40_000 + second)
  })

  test('ends with a reason for all present and new listeners, until the next day', async () => {
    const { node, listen, pass } = open({ serves: false, callsADay: 1_500 })
    const listeners = [await listen(), await listen()]
    await pass(dayMs - 10 * second)
    expect(node.calls()).toBeLessThan(1_010)
    const words =
      "the day's calls to the nodes for subscriptions are used up: subscribe again at 2026-01-06T00:00:00.000Z"
    for (const { closings, reasons } of listeners)
      expect([closings, reasons]).toEqual([[1013], [words]])
    const refused = await listen()
    const error = { code: -32005, message: words }
    expect(JSON.parse(refused.sent[0] ?? '')).toMatchObject({ error })
    await pass(10 * second)
    const { late } = await listen()
    await pass(hourMs)
    expect(late.length).toBeGreaterThan(140)
  })
})
