import type { Hex } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exchange } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { inTime } from '../../support/in-time.ts'
import { opened } from '../../support/opened.ts'
import { beforeABlock, emit, mined, topic } from './support/anvil-rpc.ts'
import { openNode } from './support/open.ts'
import { startProxyNode } from './support/proxy-node.ts'
import { startRealWorker } from './support/real-worker.ts'
import { connectSocket, type Json, type Notification } from './support/socket-client.ts'

const on = opened(() => openNode())
const proxy = opened(() => startProxyNode(on.url))
const worker = opened(() => startRealWorker([proxy.url]))

/** Opens a client with one subscription, and collects its notifications. */
async function subscriber(...params: unknown[]) {
  const client = await connectSocket(worker.wsUrl)
  const id = (await client.result('eth_subscribe', params)) as string
  return { client, id, told: () => client.toldOf(id) }
}

function toldTo(length: number) {
  return (told: Notification[]) => told.length >= length
}

/**
 * Emits until a transaction is told of: what enters the pool before the feed's first look is not
 * new. Gives all of their hashes; the last is told of.
 */
async function emitUntilTold(told: () => readonly unknown[]): Promise<Hex[]> {
  const hashes: Hex[] = []
  while (!told().includes(hashes.at(-1))) {
    const hash = await emit(on.direct, on.emitter, 1n, 1n, 1n)
    hashes.push(hash)
    await mined(on.direct, hash)
    await until(() => told().includes(hash), { withinMs: 10_000 }).catch(() => undefined)
  }
  return hashes
}

describe('newHeads', () => {
  test('reports each block once, in order, with exactly the 14 fields', async () => {
    const { client, id, told } = await subscriber('newHeads')
    expect(id).toMatch(/^0x[0-9a-f]{32}$/)
    await on.direct('anvil_mine', ['0x3'])
    await emit(on.direct, on.emitter, 1n, 1n, 1n)
    await client.until(toldTo(4))
    const heads = told()
    const numbers = heads.map(({ number }) => Number(number))
    const first = numbers[0] ?? 0
    expect(numbers).toEqual([first, first + 1, first + 2, first + 3])
    for (const head of heads) {
      const whole = await on.direct('eth_getBlockByNumber', [head.number, false])
      expect(whole).toMatchObject(head)
      expect(Object.keys(head).toSorted()).toEqual(headFields.toSorted())
    }
    client.close()
  })
})

describe('logs', () => {
  test('reports matching logs, with removed being false', async () => {
    const all = await subscriber('logs')
    const some = await subscriber('logs', { address: on.emitter, topics: [null, [topic(2n)]] })
    const none = await subscriber('logs', { address: [`0x${'12'.repeat(20)}`] })
    const hashes = [
      await emit(on.direct, on.emitter, 1n, 1n, 7n),
      await emit(on.direct, on.emitter, 1n, 2n, 8n),
    ]
    await all.client.until(toldTo(2))
    await some.client.until(toldTo(1))
    const [first, second] = all.told()
    const { blockHash, blockNumber } = await mined(on.direct, hashes[0] as Hex)
    expect(first).toMatchObject({
      ...{ address: on.emitter, topics: [topic(1n), topic(1n)], data: topic(7n) },
      ...{ blockHash, blockNumber, logIndex: '0x0', removed: false },
      ...{ transactionHash: hashes[0], transactionIndex: '0x0' },
    })
    expect(some.told()).toEqual([second])
    expect(none.told()).toEqual([])
    for (const { client } of [all, some, none]) client.close()
  })
})

describe('newPendingTransactions', () => {
  test('reports each hash once when it enters the pool, from any sender', async () => {
    const { client, told } = await subscriber('newPendingTransactions')
    await beforeABlock(on.direct, async () => {
      const hash = await emit(on.direct, on.emitter, 1n, 1n, 1n)
      await client.until(toldTo(1))
      await on.direct('evm_mine')
      const next = await emit(on.direct, on.emitter, 2n, 2n, 2n)
      await client.until(toldTo(2))
      expect(told()).toEqual([hash, next])
    })
    client.close()
  })

  test('does not report earlier transactions of the pool', async () => {
    await beforeABlock(on.direct, async () => {
      await emit(on.direct, on.emitter, 1n, 1n, 1n)
      const { client, told } = await subscriber('newPendingTransactions')
      const next = await emit(on.direct, on.emitter, 2n, 2n, 2n)
      await client.until(toldTo(1))
      expect(told()).toEqual([next])
      client.close()
    })
  })

  test('reports a hash again after a reorganization removed its block, its log and the new head', async () => {
    const { client, told } = await subscriber('newPendingTransactions')
    const heads = await subscriber('newHeads')
    const logs = await subscriber('logs')
    const hash = await emit(on.direct, on.emitter, 5n, 5n, 5n)
    const { blockHash } = await mined(on.direct, hash)
    // It is told when it enters the pool, and only a block that was seen can be taken back.
    await heads.client.until(() => heads.told().some((head) => head.hash === blockHash))
    for (const one of [client, logs.client]) await one.until(toldTo(1))
    await on.direct('anvil_reorg', [1, []])
    await client.until(toldTo(2))
    expect(told()).toEqual([hash, hash])
    const latest = (await on.direct('eth_getBlockByNumber', ['latest', false])) as Json
    await heads.client.until(() => heads.told().at(-1)?.hash === latest.hash)
    await logs.client.until(() => logs.told().some(({ removed }) => removed === true))
    expect(logs.told().find(({ removed }) => removed)).toMatchObject({ blockHash })
    for (const one of [client, heads.client, logs.client]) one.close()
  })
})

describe('a connection', () => {
  test('ends a subscription once, and only its own', async () => {
    const { client, id, told } = await subscriber('newHeads')
    const other = await subscriber('newHeads')
    expect(await client.result('eth_unsubscribe', [other.id])).toBe(false)
    expect(await client.result('eth_unsubscribe', [id])).toBe(true)
    expect(await client.result('eth_unsubscribe', [id])).toBe(false)
    await on.direct('evm_mine')
    await other.client.until(toldTo(1))
    expect(told()).toEqual([])
    client.close()
    other.client.close()
  })

  test('closes at once when the client asks', async () => {
    const closed = await inTime(2_000, async () => {
      const client = await connectSocket(worker.wsUrl)
      client.close()
      return await client.closed
    })
    expect(closed).toMatchObject({ code: 1000 })
  })

  test('with an invalid key is refused before it is a connection', async () => {
    await expect(connectSocket(worker.wsUrl.replace(/[^/]*$/, 'another-key'))).rejects.toThrow()
    const response = await fetch(`${worker.origin}/rpc/another-key`, {
      headers: { upgrade: 'websocket' },
    }).catch(() => undefined)
    if (response !== undefined) expect(response.status).toBe(401)
  })

  test('is needed to subscribe', async () => {
    for (const method of ['eth_subscribe', 'eth_unsubscribe']) {
      const { answer } = await exchange(worker.rpcUrl, method, ['newHeads'])
      const missing = `the method ${method} does not exist/is not available`
      const message = `${missing} over HTTP: it needs a WebSocket`
      expect(answer).toMatchObject({ id: 1, error: { code: -32601, message } })
    }
  })
})

describe('a lost node', () => {
  test('is resumed without a missing or a doubled event', async () => {
    const heads = await subscriber('newHeads')
    const logs = await subscriber('logs', { address: on.emitter })
    const pending = await subscriber('newPendingTransactions')
    const before = await emitUntilTold(pending.told)
    await logs.client.until(toldTo(before.length))
    await heads.client.until(toldTo(1))
    await proxy.cut()
    const during = [
      await emit(on.direct, on.emitter, 2n, 2n, 2n),
      await emit(on.direct, on.emitter, 3n, 3n, 3n),
    ]
    for (const hash of during) await mined(on.direct, hash)
    await on.direct('anvil_mine', ['0x8'])
    await proxy.restore()
    const after = await emit(on.direct, on.emitter, 4n, 4n, 4n)
    await mined(on.direct, after)
    const last = Number(await on.direct('eth_blockNumber'))
    const isLast = ({ result }: Notification) => Number((result as Json).number) === last
    await heads.client.until((told) => told.some(isLast))
    const emitted = [...before, ...during, after]
    await logs.client.until(toldTo(emitted.length))
    const isTold = (hash: unknown) => (pending.told() as unknown[]).includes(hash)
    await pending.client.until(() => [...during, after].every(isTold))

    const numbers = heads.told().map(({ number }) => Number(number))
    const first = numbers[0] ?? 0
    expect(numbers).toEqual(Array.from({ length: last - first + 1 }, (_, index) => first + index))
    expect(logs.told().map(({ transactionHash }) => transactionHash)).toEqual(emitted)
    const since = emitted.filter(isTold)
    expect(since).toEqual(emitted.slice(-since.length))
    expect(new Set(pending.told())).toEqual(new Set(since))
    expect(pending.told()).toHaveLength(since.length)
    for (const { client } of [heads, logs, pending]) client.close()
  })

  test('that serves no WebSocket is polled', async () => {
    const { plain, client } = await listenPast((url) => url.replace('//', '//user:secret@'))
    // What enters the pool before the first look is not new.
    await until(() => plain.seen('eth_getFilterChanges') > 0)
    await emit(on.direct, on.emitter, 1n, 1n, 1n)
    await client.until(toldTo(2))
    expect(client.notifications).toHaveLength(2)
  })

  test('that takes WebSockets at another address is listened to there', async () => {
    const NODE_WS_URL = on.url.replace('http:', 'ws:')
    const { plain, client } = await listenPast((url) => url, { NODE_WS_URL })
    // Once the connection is there, what enters the pool is told without a question.
    await until(async () => {
      const before = plain.seen('eth_getFilterChanges')
      const told = client.notifications.length
      await emit(on.direct, on.emitter, 1n, 1n, 1n)
      await client.until(toldTo(told + 2))
      return plain.seen('eth_getFilterChanges') === before
    })
  })

  /** Listens by a Worker of its own to heads and hashes, where the node refuses WebSockets. */
  async function listenPast(addressOf: (url: string) => string, variables = {}) {
    const plain = await startProxyNode(on.url, { upgrades: 'refused' })
    onTestFinished(plain.stop)
    const other = await startRealWorker([addressOf(plain.url)], variables)
    onTestFinished(other.stop)
    const client = await connectSocket(other.wsUrl)
    onTestFinished(client.close)
    await client.result('eth_subscribe', ['newHeads'])
    await client.result('eth_subscribe', ['newPendingTransactions'])
    return { plain, client }
  }
})

const headFields =
  'difficulty extraData gasLimit gasUsed logsBloom miner number parentHash receiptsRoot sha3Uncles stateRoot timestamp transactionsRoot hash'.split(
    ' ',
  )
