import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../../../scripts/dev/sqlite.ts'
import { until } from '../../../../scripts/dev/wait.ts'
import { TransportError } from '../../../../src/chain/rpc.ts'
import {
  createFeedChain,
  createFeedSource,
  type FeedSource,
} from '../../../../src/node/feed/chain.ts'
import { createFeed } from '../../../../src/node/feed/network-feed.ts'
import { toSyncStatus } from '../../../../src/node/feed/notifier.ts'
import { type FeedOptions, feedLimits } from '../../../../src/node/feed/options.ts'
import { createFeedStore, type FeedStore } from '../../../../src/node/feed/store.ts'
import { estimateFilterBytes } from '../../../../src/node/objects/log.ts'
import type { HeaderBlock } from '../../../../src/node/reads/mined-block.ts'
import { createNodeService } from '../../../../src/node/service.ts'
import { systemClock } from '../../../../src/runtime/clock.ts'
import { serve } from '../../../chain/node/support/serve.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { holds } from '../../../support/properties.ts'
import { readRecording } from '../../../support/rskj-node/recording.ts'
import { replay } from '../../../support/rskj-node/replay.ts'
import { granted } from '../scripted-node.ts'
import { connectTo, type Listener, writeCall } from './listener.ts'

const hex = (text: string): string => `0x${Buffer.from(text).toString('hex').padStart(64, '0')}`

const [loud, quiet] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`]
const quietBloom = `0x${'0'.repeat(512)}`

/** Creates a chain in memory; a block's name and number are its hash. */
function createModelChain(named = '') {
  let blocks: HeaderBlock[] = []
  const unmined = { transactionHash: null, transactionIndex: null }
  const log = { ...unmined, logIndex: '0x0', data: '0x', topics: [] }
  const model = {
    extend(...names: string[]): void {
      for (const name of names) {
        const number = blocks.length
        const own = { number: `0x${number.toString(16)}`, hash: hex(`${name} ${number}`) }
        const parentHash = blocks.at(-1)?.hash ?? hex('none')
        const empty = { bloom: null, transactions: [], uncles: [] }
        blocks.push({ ...own, parentHash, ...empty } as unknown as HeaderBlock)
      }
    },
    mine(...transactions: string[]): HeaderBlock {
      model.extend('m')
      return Object.assign(blocks.at(-1) as HeaderBlock, { transactions })
    },
    getBlocks: () => blocks,
    rewind(count: number): void {
      blocks = blocks.slice(0, blocks.length - count)
    },
    source: {
      readLatest: async () => blocks.at(-1) as HeaderBlock,
      readBlock: async (selector) =>
        blocks.find(({ hash, number }) => hash === selector || number === selector) ?? null,
      async readLogs(of) {
        const block = typeof of === 'string' ? blocks.find(({ hash }) => hash === of) : of
        if (block === undefined) throw new TransportError('the block left the chain')
        const place = { blockHash: block.hash, blockNumber: block.number }
        return [{ ...log, ...place, address: block.bloom === quietBloom ? quiet : loud }]
      },
      areLogsWanted: () => true,
    } satisfies FeedSource,
  }
  model.extend(...named)
  return model
}

test('the recent chain reports a gap instead of leaving something out', async () => {
  const model = createModelChain('abc')
  const chain = createFeedChain(model.source)
  await chain.restart()
  model.extend(...Array.from({ length: 1_001 }, (_, index) => `n${index}`))
  expect(await chain.advance()).toEqual({ kind: 'lost' })
  const moved = createFeedChain(createModelChain('ABCDEF').source, chain.getBlocks())
  expect(await moved.advance()).toEqual({ kind: 'lost' })
})

test('the chain of a real RSKj is reported unchanged, without the transaction that nobody sent', async () => {
  const recording = readRecording('main-network')
  const node = replay(recording)
  const { service } = await serve(['http://rskj.test/'], 31, node.fetch)
  const { withSignal, recordHead } = service.nodes
  const { ask } = withSignal(new AbortController().signal)
  const chain = createFeedChain(createFeedSource(ask, recordHead, () => true))
  node.height = 1
  await chain.restart()
  for (const height of [2, 15, 43]) {
    const first = node.height + 1
    node.height = height
    const change = await chain.advance()
    const blocks = recording.blocks.slice(first, height + 1)
    expect(change).toMatchObject({ kind: 'moved', removedBlocks: [] })
    const wanted = blocks.map(
      ({ number, hash, parentHash, timestamp, logsBloom, transactions }) => ({
        ...{ number: Number(number), hash, timestamp: Number(timestamp) },
        head: expect.stringContaining(`"parentHash":"${parentHash}"`),
        ...{ bloom: logsBloom, areLogsDue: true },
        transactions: transactions.slice(0, -1).map((one) => one.hash),
      }),
    )
    const addedBlocks = change.kind === 'moved' ? change.addedBlocks : []
    expect(addedBlocks).toEqual(wanted)
    const logs = await Promise.all(addedBlocks.map(chain.readLogs))
    const isAdded = (log: { blockHash: string }) =>
      blocks.some(({ hash }) => hash === log.blockHash)
    expect<unknown>(logs.flat()).toEqual(recording.logs.filter(isAdded))
  }
})

/** Opens a feed that reads logs only if a client wants some; `read` has these blocks. */
function openThrifty() {
  const model = createModelChain('abc')
  const read: string[] = []
  const opened = openFeed({
    ...model.source,
    areLogsWanted: (bloom) => opened.feed.areLogsWanted(bloom),
    async readLogs(of) {
      const logs = await model.source.readLogs(of)
      read.push(`${logs[0]?.blockNumber}`)
      return logs
    },
  })
  return { ...opened, model, read }
}

test('logs are read only while a client wants some, including those that could be removed', async () => {
  const { model, read, feed, socket } = openThrifty()
  await socket.subscribe('newHeads')
  feed.follow()
  model.extend('d')
  await until(() => socket.sent.length === 2)
  expect(read).toEqual([])
  const other = connectTo(feed)
  await other.subscribe('logs')
  expect(read.toSorted()).toEqual(['0x0', '0x1', '0x2', '0x3'])
  model.rewind(1)
  model.extend(...'DE')
  await until(() => other.sent.length === 4)
  const told = other.told().map(({ removed, blockNumber }) => `${blockNumber} ${removed}`)
  expect(told).toEqual(['0x3 true', '0x3 false', '0x4 false'])
  for (const one of [socket, other]) one.leave()
})

test("logs are read only from blocks whose bloom matches a client's filter", async () => {
  const { model, read, feed, socket, store } = openThrifty()
  await socket.subscribe('logs', { address: `0x${'ab'.repeat(20)}` })
  feed.follow()
  const before = read.length
  for (const [index, digit] of ['0', 'f'].entries()) {
    model.extend('d')
    Object.assign(await model.source.readLatest(), { bloom: `0x${digit.repeat(512)}` })
    await until(() => store.readBlocks().length === 4 + index)
  }
  expect(read.slice(before)).toEqual(['0x4'])
  socket.leave()
})

test('following continues if few blocks were missed', async () => {
  const model = createModelChain('abcdefgh')
  let asked = 0
  const chain = createFeedChain({
    ...model.source,
    readBlock(selector) {
      asked += 1
      return model.source.readBlock(selector)
    },
  })
  await chain.restart()
  const first = asked
  model.rewind(1)
  model.extend(...'HI')
  await chain.restart()
  expect([first, asked - first]).toEqual([7, 1])
  expect(chain.getBlocks().map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
})

const drawnSteps = fc.array(
  fc.record({
    rewound: fc.constantFrom(0, 0, 0, 1, 2, 5, 10),
    added: fc.constantFrom(1, 2, 3, 17),
    /** How often the logs of each block cannot be read; -1 for a reading that takes long. */
    failures: fc.constantFrom(0, 0, 1, 3, 12, -1),
    bloom: fc.constantFrom(null, quietBloom),
  }),
  { minLength: 3, maxLength: 12 },
)

test('logs that cannot be read hold up no head, and are told in order or end with a code', async () => {
  const property = fc.asyncProperty(drawnSteps, async (steps) => {
    const model = createModelChain('ab')
    const failures = new Map<string, number>()
    const released = Promise.withResolvers<void>()
    const waiting: (() => void)[] = []
    const { feed, socket: heads } = openFeed({
      ...model.source,
      // Logs come while the next head is asked for.
      async readLatest() {
        for (const resume of waiting.splice(0)) resume()
        await new Promise(setImmediate)
        return await model.source.readLatest()
      },
      async readLogs(of) {
        await new Promise<void>((resume) => void waiting.push(resume))
        const logs = await model.source.readLogs(of)
        const left = failures.get(`${logs[0]?.blockHash}`) ?? 0
        failures.set(`${logs[0]?.blockHash}`, left - 1)
        if (left > 0) throw new TransportError('no node has the receipts')
        if (left === -100) await released.promise
        return logs
      },
    })
    const [all, some] = [connectTo(feed), connectTo(feed)]
    await heads.subscribe('newHeads')
    feed.follow()
    await all.subscribe('logs')
    await some.subscribe('logs', { address: loud })
    const isTold = () => heads.sent.at(-1)?.includes(`${model.getBlocks().at(-1)?.hash}`) ?? false
    let mined = 0
    for (const { rewound, added, ...step } of steps) {
      model.rewind(Math.min(rewound, model.getBlocks().length - 2))
      for (let count = 0; count < added + rewound; count += 1) {
        const block = model.mine()
        mined += 1
        Object.assign(block, { bloom: step.bloom, hash: hex(`n ${mined}`) })
        failures.set(block.hash, step.failures < 0 ? -100 : step.failures)
      }
      feed.wake()
      await until(isTold, { everyMs: 1 })
    }
    released.resolve()
    for (let count = 0; count < 12; count += 1) {
      model.extend('c')
      await until(isTold, { everyMs: 1 })
    }
    const chain = model.getBlocks().slice(2)
    expect(foldHeads(heads.told())).toEqual(chain.map(({ hash }) => hash))
    for (const [{ sent, closings }, socket, blooms] of [
      [all, all, [null, quietBloom]],
      [some, some, [null]],
    ] as const) {
      const wanted = chain.filter(({ bloom }) => blooms.some((one) => one === bloom))
      const told = () => foldLogs(socket.told())
      await until(() => closings.length > 0 || told().length === wanted.length, { everyMs: 1 })
      if (closings.length === 0) expect(told()).toEqual(wanted.map(({ hash }) => hash))
      else expect([closings, steps.some((step) => step.failures > 9)]).toEqual([[1013], true])
      expect(sent.length).toBeGreaterThan(0)
    }
    for (const socket of [heads, all, some]) socket.leave()
  })
  await holds(property, { sampled: 15, full: 300 })
})

test('a feed that lost its memory continues for the connections that are still open', async () => {
  const model = createModelChain('abc')
  const { feed: first, socket, store } = openFeed(model.source)
  await socket.subscribe('newHeads')
  await socket.subscribe('logs')
  first.follow()
  model.extend('d')
  first.wake()
  await until(() => socket.sent.length === 4)

  // Nobody told the first one to stop: it is as if it had never been.
  const kept = store.listSubscriptions()
  socket.leave()
  for (const each of kept) store.addSubscription(each)
  model.rewind(2)
  model.extend(...'CDE')
  const second = feedOn(model.source, store)
  second.restore([socket])
  expect(second.isFollowed()).toBe(true)
  const before = socket.sent.length
  second.follow()
  await until(() => socket.sent.length >= before + 8)
  const told = socket
    .told(before)
    .map(({ removed, number, blockNumber }) =>
      [removed === undefined ? 'head' : removed ? 'gone' : 'log', number ?? blockNumber].join(' '),
    )
  const added = ['head', 'log'].flatMap((what) => [2, 3, 4].map((number) => `${what} 0x${number}`))
  expect(told).toEqual(['gone 0x3', 'gone 0x2', ...added])
  socket.leave()
})

const codeOf = (answer: { error?: { code: number } }): number | undefined => answer.error?.code
const code = (text = '{}'): number | undefined => codeOf(JSON.parse(text))
const codes = (text = '[]'): (number | undefined)[] => JSON.parse(text).map(codeOf)

describe('one client that asks for much', () => {
  const long = { topics: [Array<string>(1_000).fill(hex('t'))] }
  const bytes = estimateFilterBytes(long)
  const model = createModelChain('abc')

  test('has limited bytes of filters, as all clients together, and closing frees them', async () => {
    const filters = { perKey: 3 * bytes, total: 5 * bytes }
    const { feed, socket: one } = openFeed(model.source, { limits: { ...feedLimits, filters } })
    const [same, other, third] = [
      connectTo(feed),
      connectTo(feed, { keyHash: 'b' }),
      connectTo(feed, { keyHash: 'c' }),
    ]
    /** Undefined, or the code of the refusal. */
    async function add(socket: Listener, type = 'logs', ...more: object[]) {
      await socket.subscribe(type, ...more)
      return code(socket.sent.at(-1))
    }
    const limited = -32005
    for (const [socket, refused] of [
      ...[[one], [same], [one], [same, limited], [other], [other], [other, limited]],
      [third, limited],
    ] as [Listener, number?][]) {
      expect(await add(socket, 'logs', long)).toBe(refused)
    }
    expect(await add(third, 'newHeads')).toBeUndefined()
    const { result } = JSON.parse(one.sent[0] ?? '') as { result: string }
    await one.ask('eth_unsubscribe', result)
    for (const refused of [undefined, limited]) expect(await add(third, 'logs', long)).toBe(refused)
    other.leave()
    for (const _ of [1, 2]) expect(await add(third, 'logs', long)).toBeUndefined()
  })

  test('gets no more bytes of filters by one batch, before any event', async () => {
    for (const filters of [
      { perKey: 3 * bytes, total: 50 * bytes },
      { perKey: 50 * bytes, total: 3 * bytes },
    ]) {
      const { socket } = openFeed(model.source, { limits: { ...feedLimits, filters } })
      await socket.say(
        `[${Array(5)
          .fill(writeCall('eth_subscribe', 'logs', long))
          .join(',')}]`,
      )
      expect(codes(socket.sent[0])).toEqual([undefined, undefined, undefined, -32005, -32005])
    }
  })

  test("has the connection's limit of open requests, even if all arrive at once", async () => {
    const { socket } = openFeed(model.source, { clock: createHandClock(0.05) })
    const batch = (count: number, more = ''): string =>
      JSON.stringify(Array.from({ length: count }, (_, id) => ({ ...chainIdCall, id, more })))
    await Promise.all([batch(60), batch(60), batch(40)].map((text) => socket.say(text)))
    const answers = socket.sent.map((text) => new Set(codes(text)))
    expect(answers.filter((each) => each.has(-32005))).toEqual([new Set([-32005])])
    const large = batch(1, 'x'.repeat(2_000_000))
    for (let times = 0; times < 3; times += 1) {
      socket.sent.length = 0
      await Promise.all(Array.from({ length: 3 }, () => socket.say(large)))
      // At once, and before those that came first.
      expect(code(socket.sent[0])).toBe(-32005)
      await socket.say(large)
      expect(socket.sent.slice(1).flatMap(codes)).toEqual(Array(3).fill(undefined))
    }
  })

  test('gets back the bytes of answered requests while another is still open', async () => {
    const held = Promise.withResolvers<void>()
    let asked = 0
    const { socket } = openFeed(model.source, {
      clock: createHandClock(0.05),
      findKey: async () => {
        if (asked++ === 0) await held.promise
        return granted
      },
    })
    const open = socket.ask('eth_chainId')
    const large = JSON.stringify({ ...chainIdCall, id: 1, more: 'x'.repeat(2_000_000) })
    for (let times = 0; times < 4; times += 1) await socket.say(large)
    expect(socket.sent.map(code)).toEqual(Array(4).fill(undefined))
    held.resolve()
    await open
  })

  test('pays for unreadable messages, and gets an answer if its key cannot be checked', async () => {
    let [spent, isAway] = [0, false]
    const { socket } = openFeed(model.source, {
      async findKey() {
        if (isAway) throw new Error('the keys are away')
        const spend = async (calls: number): Promise<undefined> => {
          spent += calls
        }
        return { ...granted, spend }
      },
    })
    await socket.say('{')
    expect([spent, code(socket.sent[0])]).toEqual([1, -32700])
    isAway = true
    for (let times = 0; times <= feedLimits.requestsPerSocket; times += 1) {
      await socket.say(JSON.stringify({ ...chainIdCall, id: 'x' }))
      const answer = JSON.parse(socket.sent.at(-1) ?? '')
      expect(answer).toMatchObject({ id: 'x', error: { code: -32603 } })
    }
    isAway = false
    await socket.say('€'.repeat(feedLimits.messageBytes / 3 + 1))
    expect(socket.closings).toEqual([1009])
  })

  test('makes the service store only the conditions of a filter', async () => {
    const { socket, store } = openFeed(model.source)
    await socket.subscribe('logs', { topics: [hex('t')], more: 'x'.repeat(99) })
    expect(store.listSubscriptions().map(({ topic }) => topic)).toEqual([
      { kind: 'logs', filter: { topics: [hex('t')] } },
    ])
  })

  test('may subscribe and leave in a loop: the chain is read once', async () => {
    let reads = 0
    const source: FeedSource = {
      ...model.source,
      readLogs(block) {
        reads += 1
        return model.source.readLogs(block)
      },
    }
    const rests: number[] = []
    const events = { ...noEvents, close: () => void rests.push(reads) }
    const feed = feedOn(source, createFeedStore(openSqlite()), { events })
    for (let round = 0; round < 20; round += 1) {
      const socket = connectTo(feed)
      await socket.subscribe('logs')
      feed.follow()
      socket.leave()
      await until(() => rests.length === round + 1)
    }
    expect(reads).toBe(3)
  })
})

test('a transaction that enters the pool is reported when it is mined if it was missed before, and never twice', async () => {
  const model = createModelChain('abc')
  // A connection that is lost, and that this side still takes for open, tells nothing.
  let unseen = true
  const { feed, socket } = openFeed(model.source, {
    events: { ...noEvents, takePending: async () => (unseen ? [] : [hex('2'), hex('3')]) },
  })
  await socket.subscribe('newPendingTransactions')
  feed.follow()
  model.mine(hex('1'), hex('2'))
  feed.wake()
  await until(() => socket.sent.length === 3)
  unseen = false
  feed.wake()
  await until(() => socket.sent.length === 4)
  expect(socket.told()).toEqual([hex('1'), hex('2'), hex('3')])
  socket.leave()
})

const shaped = { startingBlock: '0x1', currentBlock: '0x10', highestBlock: '0x20' }
const numbered = { startingBlock: 1, currentBlock: 16, highestBlock: 32 }

describe('syncing', () => {
  test.for<[said: unknown, told: unknown]>([
    [false, false],
    [null, false],
    [shaped, shaped],
    [{ ...numbered, currentBlock: '16', more: 1 }, shaped],
    [{ syncing: true, status: numbered }, shaped],
  ])('is told in the shape of the specification, however the node words it: %j', ([said, told]) => {
    expect(toSyncStatus(said)).toEqual(told)
  })

  test('is reported when it starts and when it stops', async () => {
    const said = [false, numbered, numbered, false]
    const events = { ...noEvents, readSyncStatus: async () => said.shift() ?? false }
    const { feed, socket } = openFeed(createModelChain('abc').source, { clock: hurried, events })
    await socket.subscribe('syncing')
    feed.follow()
    await until(() => socket.sent.length === 3)
    expect(socket.told()).toEqual([shaped, false])
    socket.leave()
  })
})

test('a revoked key ends within 60 s, for listeners and for callers', async () => {
  let [isRevoked, now] = [false, 0]
  const findKey = async () => (isRevoked ? ({ kind: 'unknown' } as const) : granted)
  const options = { clock: { ...systemClock, now: () => now }, findKey }
  const { feed, socket: listener } = openFeed(createModelChain('abc').source, options)
  await listener.subscribe('logs')
  const { socket: asker } = openFeed(createModelChain('abc').source, options)
  isRevoked = true
  now += 10_000
  feed.follow()
  await until(() => listener.closings.length === 1)
  await asker.ask('eth_chainId')
  expect([listener.closings, asker.closings]).toEqual([[1008], [1008]])
})

/** Time passes so fast that what is due every two seconds is due at every look. */
const hurried = { ...systemClock, now: () => 500 * systemClock.now() }

const noEvents: FeedOptions['events'] = {
  takePending: async () => [],
  takeReceived: () => [],
  readSyncStatus: async () => false,
  dropHashes: () => {},
  close: () => {},
}

function openFeed(source: FeedSource, more: Partial<FeedOptions> = {}) {
  const store = createFeedStore(openSqlite())
  const feed = feedOn(source, store, more)
  return { feed, socket: connectTo(feed), store }
}

function feedOn(source: FeedSource, store: FeedStore, more: Partial<FeedOptions> = {}) {
  const shared = { clock: systemClock, log: () => {} }
  const urls = ['http://127.0.0.1:9']
  return createFeed({
    ...shared,
    chain: createFeedChain(source, store.readBlocks()),
    events: noEvents,
    store,
    limits: feedLimits,
    findKey: async () => granted,
    service: createNodeService({ chainId: 31, urls, fetch, waitUntil: () => {}, ...shared }),
    budget: undefined,
    nextWaitMs: () => 10,
    onMissedHead: () => {},
    ...more,
  })
}

const chainIdCall = { jsonrpc: '2.0', method: 'eth_chainId', params: [] }

type Told = { hash: string; parentHash: string; blockHash: string; removed: boolean }

/** Returns the chain of the heads, each of which replaces what was above its parent. */
function foldHeads(heads: readonly Told[]): string[] {
  const chain: string[] = []
  for (const { hash, parentHash } of heads) {
    chain.length = chain.indexOf(parentHash) + 1
    chain.push(hash)
  }
  return chain
}

/** Returns the blocks of the remaining logs; a removal takes back the last one. */
function foldLogs(logs: readonly Told[]): string[] {
  const blocks: string[] = []
  for (const { blockHash, removed } of logs) {
    if (!removed) blocks.push(blockHash)
    else expect(blocks.pop()).toBe(blockHash)
  }
  return blocks
}
