import { describe, expect, test } from 'vitest'
import { sleep, until } from '../../../../scripts/dev/wait.ts'
import { serve } from '../../../chain/node/support/serve.ts'
import { type ScriptedSay, scriptedNode } from '../../../support/fake-node.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { readFullBlock } from '../../../support/rskj-node/recording.ts'

const full = readFullBlock()
const printed = { ...full, transactions: full.transactions.map(({ hash }) => hash) }

/** Answers as RSKj nodes with one block, and with this number of the latest one. */
const answerWith =
  (latest: (host: string) => string): ScriptedSay =>
  ({ method, params: [selector] }, host) => {
    const isLatest = method === 'eth_getBlockByNumber' && selector === 'latest'
    if (isLatest) return { result: { ...printed, number: latest(host) } }
    return { result: [printed.number, printed.hash].includes(`${selector}`) ? printed : null }
  }

const honestly = answerWith(() => printed.number)
const farAbove = (host: string) => (host === 'liar.test' ? '0x10000' : printed.number)

/** Serves two nodes that answer like this. */
const serveTwo = (say: ScriptedSay, ...clock: Parameters<typeof serve>[3][]) =>
  serve(['http://liar.test/', 'http://honest.test/'], 31, scriptedNode(say), ...clock)

test('a height without a block on RSKj is not trusted, though nothing hashes to it', async () => {
  const served = await serveTwo(answerWith(farAbove))
  expect((await served.rpc('eth_blockNumber')).result).toBe(printed.number)
  const { number, hash } = printed
  expect(await served.rpc('eth_getBlockByNumber', ['latest'])).toMatchObject({
    result: { number, hash },
  })
  expect(served.logged).toContainEqual(
    expect.objectContaining({ event: 'node.failed', node: 'node 1' }),
  )
})

test('a false latest block far above the head does not make other nodes count as behind', async () => {
  let isLying = false
  const latest = (host: string) => (isLying ? farAbove(host) : printed.number)
  const served = await serveTwo(answerWith(latest), createHandClock())
  const ask = async () => (await served.rpc('eth_getBlockByNumber', ['latest'])).result
  expect(await ask()).toMatchObject({ number: printed.number })
  isLying = true
  await ask()
  isLying = false
  expect(await ask()).toMatchObject({ number: printed.number })
})

test('a request during the first reading of heights waits for them', async () => {
  let asked = 0
  const served = await serveTwo(async (call, host) => {
    asked += 1
    await sleep(20)
    return await answerWith(farAbove)(call, host)
  })
  const first = served.rpc('eth_gasPrice')
  await until(() => asked > 0, { everyMs: 1 })
  expect((await served.rpc('eth_blockNumber')).result).toBe(printed.number)
  await first
})

test('a node with unknown height is asked after the others', async () => {
  let silentAsked = 0
  const served = await serveTwo((call, host) => {
    if (host !== 'liar.test') return honestly(call, host)
    silentAsked += 1
    return new Promise<never>(() => {})
  })
  expect((await served.rpc('eth_getBlockByNumber', ['latest'])).result).toMatchObject({
    number: printed.number,
  })
  // Once for its height, and not for the block.
  expect(silentAsked).toBe(1)
})

test('the head advances while every request of a customer fails', async () => {
  const clock = createHandClock()
  let height = Number(printed.number)
  const served = await serveTwo((call, host) => {
    if (call.method === 'eth_getCode') throw new Error('the connection was lost')
    return answerWith(() => `0x${height.toString(16)}`)(call, host)
  }, clock)
  expect((await served.rpc('eth_blockNumber')).result).toBe(`0x${height.toString(16)}`)
  for (let block = 0; block < 5; block += 1) {
    height += 1
    for (let question = 0; question < 8; question += 1) {
      const { error } = await served.rpc('eth_getCode', [`0x${'ab'.repeat(20)}`, 'latest'])
      expect(error?.code).toBe(-32011)
    }
    clock.forward(1_001)
    expect((await served.rpc('eth_blockNumber')).result).toBe(`0x${height.toString(16)}`)
  }
})

test("a customer's question that takes too long is held against no node", async () => {
  const served = await serveTwo(
    (call, host) =>
      call.method === 'eth_getCode' ? new Promise<never>(() => {}) : honestly(call, host),
    createHandClock(0.02),
  )
  await served.rpc('eth_blockNumber')
  const { error } = await served.rpc('eth_getCode', [`0x${'ab'.repeat(20)}`, 'latest'])
  expect(error).toEqual({
    code: -32011,
    message: 'no node gave an answer in time: ask again, or for less',
  })
  expect(served.logged).toEqual([])
})

test('a head that no node has shown for half a minute is no longer used', async () => {
  const clock = createHandClock()
  let gone = false
  const served = await serveTwo((call, host) => {
    if (gone) throw new Error('the connection was lost')
    return honestly(call, host)
  }, clock)
  expect((await served.rpc('eth_blockNumber')).result).toBe(printed.number)
  gone = true
  clock.forward(29_000)
  expect((await served.rpc('eth_blockNumber')).result).toBe(printed.number)
  clock.forward(2_000)
  expect((await served.rpc('eth_blockNumber')).error?.code).toBe(-32011)
})

describe("a node's bad answer", () => {
  /** Serves two nodes, of which the first lies about a method; lists who was asked for code. */
  async function serveLiar(method: string, lie: unknown) {
    const asked: string[] = []
    const served = await serveTwo((call, host) => {
      if (call.method === 'eth_getCode') asked.push(host)
      if (call.method === method && host === 'liar.test') return { result: lie }
      return call.method.startsWith('eth_getBlock') ? honestly(call, host) : { result: '0x1' }
    })
    await served.rpc('eth_blockNumber')
    return { ...served, asked }
  }

  const account = `0x${'ab'.repeat(20)}`

  test('that is a lie has it asked last for a while, and the operator gets an alert', async () => {
    const lie = { ...printed, hash: `0x${'cd'.repeat(32)}` }
    const { rpc, logged, asked } = await serveLiar('eth_getBlockByHash', lie)
    const { hash } = printed
    expect((await rpc('eth_getBlockByHash', [hash])).result).toMatchObject({ hash })
    await rpc('eth_getCode', [account, 'latest'])
    expect(asked).toEqual(['honest.test'])
    const told = { level: 'warn', event: 'node.distrusted', node: 'node 1' }
    expect(logged).toContainEqual(expect.objectContaining(told))
    expect(JSON.stringify(logged)).not.toContain('.test')
  })

  test('that is malformed leaves it its place, and the operator is alerted once', async () => {
    const { rpc, logged, asked } = await serveLiar('eth_getBalance', 'lots')
    for (let times = 0; times < 3; times += 1)
      expect((await rpc('eth_getBalance', [account])).result).toBe('0x1')
    await rpc('eth_getCode', [account, 'latest'])
    expect(asked).toEqual(['liar.test'])
    const message = 'node 1 returned a malformed eth_getBalance result'
    const alert = { level: 'warn', event: 'node.malformed', message, node: 'node 1' }
    expect(logged).toEqual([alert])
  })
})
