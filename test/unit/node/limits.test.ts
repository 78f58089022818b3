import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createCustomerBudgets } from '../../../src/node/admission.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { serve } from '../../chain/node/support/serve.ts'
import { type Call, error } from '../../support/fake-node.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { serveScripted } from './scripted-node.ts'

/** Serves a node that answers by a function, with time twenty times as fast. */
function serveNode(answer: (call: Call) => unknown) {
  const clock = createHandClock(0.05)
  return serveScripted(async (call) => ({ result: await answer(call) }), clock)
}

const address = `0x${'ab'.repeat(20)}`

describe('an answer that is too large', () => {
  test('is refused, and the client has to ask for less', async () => {
    const served = await serveNode(() => `0x${'ab'.repeat(5.5 * 1024 * 1024)}`)
    expect(await served.rpc('eth_getCode', [address, 'latest'])).toMatchObject(
      error(-32011, 'an answer has at most 10485760 characters: ask for less'),
    )
  })

  test('in a batch is omitted, and the others are answered', async () => {
    const served = await serveNode(() => `0x${'ab'.repeat(2 * 1024 * 1024)}`)
    const large = '9007199254740993'
    const batch = Array.from({ length: 4 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_getCode',
      params: [`0x${`${id}`.repeat(40)}`, 'latest'],
    }))
    const body = JSON.stringify(batch).replace('"id":2', `"id":${large}`)
    const text = await (await served.post(body)).text()
    expect(text).toContain(`"id":${large},"error"`)
    const answers = JSON.parse(text) as object[]
    expect(answers.map((answer) => 'result' in answer)).toEqual([true, true, false, false])
    const words = 'an answer to a batch has at most 10485760 characters: ask for less'
    expect(answers[3]).toEqual({ jsonrpc: '2.0', id: 3, ...error(-32011, words) })
  })

  test('of a node is not even read', async () => {
    const node: typeof fetch = async () =>
      new Response('{}', { headers: { 'content-length': `${33 * 1024 * 1024}` } })
    const served = await serve(['http://node.test/'], 31, node)
    expect(await served.rpc('eth_gasPrice')).toMatchObject({ error: { code: -32011 } })
  })
})

test('a key has at most 4 MiB of open requests, and leaves room for others', async () => {
  const held = Promise.withResolvers<string>()
  const served = await serveScripted(async () => ({ result: await held.promise }))
  const large = (id: number): string =>
    JSON.stringify({
      ...{ jsonrpc: '2.0', id, method: 'eth_call', x: 'x'.repeat(2_000_000) },
      params: [{ to: address, data: `0x0${id}` }, 'latest'],
    })
  const waiting = [1, 2].map((id) => served.post(large(id)))
  const refused = await served.post(large(5))
  const words =
    'the requests of one key have at most 4194304 bytes at a time, those of all keys 33554432'
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ id: null, ...error(-32005, words) })
  held.resolve('0x')
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200])
  expect((await served.post(large(6))).status).toBe(200)
})

test("one customer's open requests leave others their room and their turn", async () => {
  const waits: number[] = []
  const shares = createCustomerBudgets({ now: () => 0, sleep: async (ms) => void waits.push(ms) })
  await shares.waitTurn('a', 6_000_000)
  await shares.waitTurn('b', 100)
  expect(waits).toEqual([])
  await shares.waitTurn('a', 100)
  expect(waits).toEqual([1_000])
  const most = 2 ** 22
  expect([...'abcdefgh'].every((customer) => shares.reserve(customer, most))).toBe(true)
  expect([shares.reserve('a', 1), shares.reserve('i', 1)]).toEqual([false, false])
  shares.release('a', most)
  expect([shares.reserve('i', most), shares.reserve('i', 1)]).toEqual([true, false])
})

test('every text about a limit has its number', () => {
  const sources = globSync('src/{node,keys}/**/*.ts').map((file) => readFileSync(file, 'utf8'))
  const texts = sources.flatMap((source) => source.match(/'[^'\n]*'|`[^`]*`/g) ?? [])
  const limits = texts.filter((text) => /\bat most\b|\btoo (many|long)\b/i.test(text))
  expect(limits.length).toBeGreaterThan(10)
  expect(limits.filter((text) => !/\$\{|\d/.test(text))).toEqual([])
})

describe('an answer that takes too long', () => {
  test('is abandoned in a batch, which has one timer, and the others have theirs', async () => {
    const timers: number[] = []
    const clock = createHandClock(0.05)
    const sleep = (...[ms, signal]: Parameters<typeof clock.sleep>) => {
      timers.push(ms)
      return clock.sleep(ms, signal)
    }
    const served = await serveScripted(() => new Promise(() => {}), { ...clock, sleep })
    const methods = ['eth_gasPrice', 'eth_chainId', 'eth_blockNumber']
    const batch = methods.map((method, id) => ({ jsonrpc: '2.0', id, method }))
    const answers = await (await served.post(JSON.stringify(batch))).json()
    const late = error(-32011, 'no node gave an answer in time: ask again, or for less')
    expect(answers).toMatchObject([late, { id: 1, result: '0x1f' }, late])
    expect(timers).toEqual([7_500])
  })

  test('about the logs of many blocks names a range that fits the time', async () => {
    const served = await serveNode(async ({ method }) => {
      if (method === 'eth_blockNumber') return '0x989680'
      if (method === 'eth_getLogs') await systemClock.sleep(60)
      return []
    })
    const range = { fromBlock: '0x0', toBlock: 'latest' }
    const refused = await served.rpc('eth_getLogs', [range])
    const words = /^more blocks than can be searched in time: try blocks 0x0 to 0x/
    expect(refused.error).toMatchObject({ code: -32011, message: expect.stringMatching(words) })
    const { toBlock } = (refused.error?.data ?? {}) as { toBlock?: string }
    expect(Number(toBlock)).toBeGreaterThanOrEqual(2_000)
    // On a busy machine the next answer may take longer again, and names a smaller range then.
    let answer = refused
    for (let tries = 0; tries < 5 && answer.error !== undefined; tries += 1) {
      answer = await served.rpc('eth_getLogs', [answer.error.data])
    }
    expect(answer).toMatchObject({ result: [] })
  })
})
