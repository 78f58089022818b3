import { describe, expect, test } from 'vitest'
import { serve } from '../../../chain/node/support/serve.ts'
import { error, type Said, scriptedNode } from '../../../support/fake-node.ts'
import { printedBy } from '../portal.ts'

type Filter = { fromBlock: string; toBlock: string }

const rangeOf = ({ fromBlock, toBlock }: Filter) => [Number(fromBlock), Number(toBlock)] as const
const toHex = (value: number) => `0x${value.toString(16)}`
const height = 1_000_000

const hundreds = (from: number, to: number) =>
  Array.from({ length: Math.max(0, Math.floor((to - from) / 100) + 1) }, (_, at) => from + 100 * at)
const [printedLog] = printedBy<object[]>('eth_getLogs')
const logAt = (number: number, index = 0) => ({
  ...{ ...printedLog, logIndex: toHex(index), blockNumber: toHex(number) },
  blockHash: `0x${number.toString(16).padStart(64, '0')}`,
})

/** Models an RSKj with a log in each hundredth block, which refuses what `refused` finds. */
function nodeThatRefuses(
  refused: (from: number, to: number, id: unknown) => Said | Response | undefined,
  logsIn = (from: number, to: number): object[] =>
    hundreds(Math.ceil(from / 100) * 100, to).map((number) => logAt(number)),
) {
  const asked: (readonly [from: number, to: number])[] = []
  let calls = 0
  const answering = scriptedNode(({ id, method, params }) => {
    if (method === 'eth_blockNumber') return { result: toHex(height) }
    if (method !== 'eth_getLogs') return undefined
    const range = rangeOf(params[0] as Filter)
    asked.push(range)
    return refused(...range, id) ?? { result: logsIn(...range) }
  })
  const node: typeof fetch = (url, init) => {
    calls += [JSON.parse(`${init?.body}`)].flat().length
    return answering(url, init)
  }
  return { node, asked, calls: () => calls }
}

async function logsOf(node: typeof fetch, from: number, to: number) {
  const served = await serve(['http://rskj.test/'], 31, node)
  const range = { fromBlock: toHex(from), toBlock: toHex(to) }
  return (await served.rpc('eth_getLogs', [range])) as {
    result?: { blockNumber: string }[]
    error?: { code: number; message: string; data?: Filter }
  }
}

/** Refuses ranges of more blocks. */
const above = (most: number, said: Said) => (from: number, to: number) =>
  to - from >= most ? said : undefined

const numbersOf = (logs: readonly { blockNumber: string }[] | undefined) =>
  logs?.map(({ blockNumber }) => Number(blockNumber))

test.for([
  [-32000, 'nope'],
  [-32000, 'query returned more than 10000 results'],
  [-32005, 'query returned more than 10000 results'],
  [-32005, 'block range is too large'],
  [-32602, 'eth_getLogs is limited to a 100 block span'],
  [-32602, 'Log response size exceeded.'],
  [-32602, 'zu viele'],
  [-32600, 'invalid'],
  [-32603, 'internal error'],
  [-32011, 'Response size limit exceeded'],
  [-32012, 'Cannot query more than 100 blocks at once'],
  [-32614, 'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range'],
  [-32701, 'ошибка'],
  [35, 'ranges over 100 blocks are not supported on freetier'],
] as const)(
  'a range that a node refuses is asked in halves, whatever it says: %i %s',
  async ([code, message]) => {
    for (const most of [100, 37, 2_000]) {
      const { node, calls } = nodeThatRefuses(above(most, error(code, message)))
      const { result } = await logsOf(node, 0, 2_000)
      expect(numbersOf(result), `${most}`).toEqual(hundreds(0, 2_000))
      expect(calls()).toBeLessThanOrEqual(200)
    }
  },
)

describe('a range is not asked in halves of a node that refuses', () => {
  const slow = (_from: number, _to: number, id: unknown) =>
    Response.json({ jsonrpc: '2.0', id, ...error(-32000, 'slow down') }, { status: 429 })

  test.for<[what: string, refusal: Parameters<typeof nodeThatRefuses>[0], code: number]>([
    ['too many requests', () => error(-32005, 'daily request count exceeded'), -32005],
    ['too many requests in words', () => error(-32000, 'rate limit exceeded for logs'), -32000],
    ['with 429 and an error', slow, -32005],
    ['with 429 and a page', () => new Response('slow down', { status: 429 }), -32011],
    ['by a time-out', () => error(-32011, 'Execution has expired'), -32011],
    ['by the code of a time-out', () => error(-32011, 'zu langsam'), -32011],
    ['by a time-out in words', () => error(-32000, 'query timed out'), -32000],
    ['by a gateway that is down', () => new Response('bad gateway', { status: 502 }), -32011],
    ['the method', () => error(-32601, 'method not found'), -32601],
  ])('%s', async ([, refusal, code]) => {
    const { node, asked } = nodeThatRefuses(refusal)
    expect((await logsOf(node, 0, 2_000)).error?.code).toBe(code)
    expect(new Set(asked.map(String))).toEqual(new Set(['0,2000']))
  })

  test('the filter itself: one block shows that', async () => {
    const { node, asked } = nodeThatRefuses(() => error(-32602, 'invalid topics'))
    expect(await logsOf(node, 0, 2_000)).toMatchObject(error(-32602, 'invalid topics'))
    expect(asked.map(String)).toEqual(['0,2000', '0,0'])
  })
})

test('a region that is dense for the node costs no more calls beyond it', async () => {
  const { node, calls } = nodeThatRefuses((from, to) =>
    from <= 700 && to >= 650 && to > from ? error(-32000, 'no') : undefined,
  )
  const { result } = await logsOf(node, 0, 20_000)
  expect(numbersOf(result)).toEqual(hundreds(0, 20_000))
  expect(calls()).toBeLessThanOrEqual(200)
})

test('for a request a node is asked 200 times at most, and the refusal names a range that works', async () => {
  for (const most of [1, 5, 700, 2_001]) {
    const { node, calls } = nodeThatRefuses(above(most, error(-32000, 'no')))
    const { error: refused } = await logsOf(node, 0, 900_000)
    expect(calls()).toBeLessThanOrEqual(200)
    expect(refused).toMatchObject({ code: -32012, data: { fromBlock: '0x0' } })
    expect(refused?.message).toContain('200 calls')
    const last = Number(refused?.data?.toBlock)
    expect(last).toBeGreaterThanOrEqual(most * 50)
    const again = await logsOf(node, 0, last)
    expect(numbersOf(again.result)).toEqual(hundreds(0, Math.floor(last / 100) * 100))
  }
})

test.for([
  [2_001, 20],
  [10 ** 6, 16],
] as const)(
  '100,000 blocks of a node that accepts %i at a time are searched in %i requests',
  async ([most, turns]) => {
    const { node } = nodeThatRefuses(above(most, error(-32012, 'too many blocks')))
    let asked = 0
    const counted: typeof fetch = (url, init) => {
      if (`${init?.body}`.includes('eth_getLogs')) asked += 1
      return node(url, init)
    }
    const { result } = await logsOf(counted, 0, 100_000)
    expect(numbersOf(result)).toEqual(hundreds(0, 100_000))
    expect(asked).toBeLessThanOrEqual(turns)
  },
)

describe('a node with 12,007 logs in its first blocks, and one after 2,000', () => {
  const all = [1, 2, 3, 4, 5, 6].flatMap((block) =>
    Array.from({ length: 2_001 }, (_, index) => logAt(block, index)),
  )
  all.push(logAt(7), logAt(2_008))
  const within = (from: number, to: number) =>
    all.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to)

  test('within 2,000 blocks any number of logs is answered', async () => {
    const { node } = nodeThatRefuses(() => undefined, within)
    expect((await logsOf(node, 0, 2_000)).result).toEqual(within(0, 2_000))
  })

  test('over more blocks at most 10,000 are, and the refusal names a range that works', async () => {
    const { node, asked } = nodeThatRefuses(() => undefined, within)
    const data = { fromBlock: '0x0', toBlock: '0x7d0' }
    const message = 'more than 10000 logs: try blocks 0x0 to 0x7d0'
    expect((await logsOf(node, 0, 2_008)).error).toEqual({ code: -32012, message, data })
    asked.length = 0
    expect((await logsOf(node, 5, 2_008)).result).toEqual(within(5, 2_008))
    // In pieces, each log once and in order.
    expect(asked.map(String)).toEqual(['5,2005', '2006,2008'])
  })

  test('a node that truncates its answers at a round number is detected', async () => {
    const cut = (from: number, to: number) => within(from, to).slice(0, 10_000)
    const { node } = nodeThatRefuses(() => undefined, cut)
    expect((await logsOf(node, 0, 2_000)).result).toEqual(within(0, 2_000))
  })
})
