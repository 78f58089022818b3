import fc from 'fast-check'
import { toRlp } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../scripts/dev/random.ts'
import { createNodeRoutes, maxBodyBytes, type NodeRouteOptions } from '../../../src/node/route.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import type { LogEvent } from '../../../src/runtime/log.ts'
import { hostileMessage, randomHostilePlan } from '../../chain/node/support/hostile-messages.ts'
import { type Served, serve, testKey } from '../../chain/node/support/serve.ts'
import { anyCharacter, holds } from '../../support/properties.ts'
import { faultOfResponse, randomRequest } from '../../support/requests.ts'
import { granted } from './scripted-node.ts'

let served: Served

beforeAll(async () => {
  // None of these requests gets as far as a node.
  served = await serve(['http://127.0.0.1:9'])
})

async function exchange(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>) {
  const response = await served.post(body, headers)
  const text = await response.text()
  return { status: response.status, text, headers: response.headers }
}

/** Returns the status and the parsed body, if there is one. */
async function answerTo(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>) {
  const { status, text } = await exchange(body, headers)
  return [status, text === '' ? text : JSON.parse(text)]
}

const posting = { method: 'POST', headers: { 'content-type': 'application/json' } }

const refusal = (id: unknown, code: number, message: string) => ({
  ...{ jsonrpc: '2.0', id, error: { code, message } },
})

/** The routes of one key's address, with what a test says of them. */
const routesWith = (
  options: Partial<NodeRouteOptions> & Pick<NodeRouteOptions, 'keys' | 'services'>,
) => createNodeRoutes({ clock: systemClock, waitUntil: () => {}, log: () => {}, ...options })

const call = (more: object): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'eth_chainId', params: [], id: 1, ...more })

describe('a single request', () => {
  test('is answered with the id as it was written', async () => {
    const special = ['null', '1e400', '-0', '1e2', '9007199254740993', '"\\u0000\\ud800"']
    const id = fc.oneof(
      fc.constantFrom(...special),
      fc.bigInt().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.string({ unit: anyCharacter }).map((text) => JSON.stringify(text)),
    )
    await holds(
      fc.asyncProperty(id, async (written) => {
        const { text } = await exchange(`{"jsonrpc":"2.0","method":"eth_chainId","id":${written}}`)
        expect(text).toBe(`{"jsonrpc":"2.0","id":${printed(written)},"result":"0x1f"}`)
      }),
    )
  })

  const chainId = '{"jsonrpc":"2.0","id":1,"result":"0x1f"}'

  const duplicate =
    '{"jsonrpc":"1.0","jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"net_version"}'
  test.for<[what: string, body: string, status: number, text: string]>([
    ['without params', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}', 200, chainId],
    ['with params of null', call({ params: null }), 200, chainId],
    [
      'with the last of duplicate members',
      duplicate,
      200,
      '{"jsonrpc":"2.0","id":2,"result":"31"}',
    ],
    ['that is a notification', '{"jsonrpc":"2.0","method":"eth_chainId"}', 204, ''],
    [
      'that is a batch of notifications only',
      '[{"jsonrpc":"2.0","method":"eth_chainId"}]',
      204,
      '',
    ],
    ['that is a notification of nothing', '{"jsonrpc":"2.0","method":"nothing"}', 204, ''],
  ])('%s is answered as it has to be, to a page of any origin', async ([, body, ...wanted]) => {
    const { status, text, headers } = await exchange(body)
    expect([status, text]).toEqual(wanted)
    expect(headers.get('content-type')).toBe(text === '' ? null : 'application/json')
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  test.for([
    ...['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'],
    ...['application/json-rpc', 'application/jsonrequest'],
  ])('may come with any of the content types of JSON-RPC: %s', async (type) => {
    expect((await exchange(call({}), { 'content-type': type })).status).toBe(200)
  })

  const noId = 'id must be a string, a number or null'
  test.for([
    ['{}', null, 'jsonrpc must be "2.0"'],
    ...['null', '1', '"x"'].map((text) => [text, null, 'not an object'] as const),
    [call({ jsonrpc: '1.0' }), 1, 'jsonrpc must be "2.0"'],
    [call({ jsonrpc: 2 }), 1, 'jsonrpc must be "2.0"'],
    [call({ jsonrpc: undefined, id: 'a' }), 'a', 'jsonrpc must be "2.0"'],
    [call({ method: 1 }), 1, 'method must be a string'],
    [call({ method: 1, id: undefined }), null, 'method must be a string'],
    [call({ method: undefined }), 1, 'method must be a string'],
    ...[{}, [], true].map((id) => [call({ id }), null, noId] as const),
  ] as const)('that is no request is refused with 400 and an envelope: %s', async (row) => {
    const [text, id, message] = row
    const refused = refusal(id, -32600, `invalid request: ${message}`)
    expect(await answerTo(text)).toEqual([400, refused])
  })

  test.for([{}, 'x', 1, true])(
    'with params that are no list is refused with the code for invalid params: %j',
    async (params) => {
      for (const id of [1, undefined]) {
        const refused = refusal(id ?? null, -32602, 'params must be an array')
        expect(await answerTo(call({ params, id }))).toEqual([400, refused])
      }
    },
  )

  const unserved = ['nothing', '', 'constructor', '__proto__', 'toString', 'eth_sendTransaction']
  test.for<[method: string, shown?: string]>([
    ...unserved.map((name): [string] => [name]),
    ...([['eth_newFilter'], ['anvil_mine'], ['rsk_eth_chainId'], ['chain_chainId']] as [string][]),
    // Of the name 64 printable characters are told.
    ['m'.repeat(64)],
    ['m'.repeat(65), `${'m'.repeat(64)}...`],
    ['m'.repeat(1_000_000), `${'m'.repeat(64)}...`],
    ['eth\n_call\u0000\u001b[31m\u007f', 'eth?_call??[31m?'],
    ['\u202e\u00e9\u{1f600}\ud83d', '?????'],
  ])('for a method that is not served is told so, with status 200: %#', async ([method, shown]) => {
    const words = `the method ${shown ?? method} does not exist/is not available`
    expect(await answerTo(call({ method }))).toEqual([200, refusal(1, -32601, words)])
  })

  test('with extreme nesting is refused', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const asking = (params: string) =>
      answerTo(`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${params}]}`)
    expect(await asking(deep)).toMatchObject([200, { id: 1, error: { code: -32602 } }])
    const [, answer] = await asking(`{"to":"0x${'11'.repeat(20)}","more":${deep}},"latest"`)
    expect(answer).toEqual(refusal(1, -32602, 'invalid parameters: nested too deeply'))
  })
})

describe('a batch', () => {
  test('keeps the order, leaves notifications out and answers each invalid request', async () => {
    const asked = `[${call({ id: 'a' })},${call({ id: undefined })},1,${call({ id: 2 })},{"id":9},[]]`
    const result = { jsonrpc: '2.0', result: '0x1f' }
    const noObject = refusal(null, -32600, 'invalid request: not an object')
    const answers = [
      ...[{ ...result, id: 'a' }, noObject, { ...result, id: 2 }],
      ...[refusal(9, -32600, 'invalid request: jsonrpc must be "2.0"'), noObject],
    ]
    expect(await answerTo(asked)).toEqual([200, answers])
  })

  test('may hold 1 to 100 requests, as ethers sends; beyond it each gets its own error', async () => {
    const batch = (length: number): string =>
      `[${Array.from({ length }, (_, id) => call({ id })).join(',')}]`
    const [, answers] = await answerTo(batch(100))
    const results = [...Array(100).keys()].map((id) => ({ jsonrpc: '2.0', id, result: '0x1f' }))
    expect(answers).toEqual(results)
    const words = 'invalid request: a batch holds at most 100 requests, this one has 101'
    const errors = [...Array(101).keys()].map((id) => refusal(id, -32600, words))
    expect(await answerTo(batch(101))).toEqual([200, errors])
    const empty = refusal(null, -32600, 'invalid request: the batch is empty')
    expect(await answerTo(batch(0))).toEqual([400, empty])
  })
})

describe('what is not JSON-RPC', () => {
  const noRequest = { jsonrpc: '2.0', id: null, error: { code: -32600 } }

  test('is refused with 400 when it is not JSON', async () => {
    for (const body of ['', '{', 'x', '{"jsonrpc":"2.0",}', "{'a':1}", '[1,']) {
      expect(await answerTo(body)).toEqual([400, refusal(null, -32700, 'JSON parse error')])
    }
    const notUtf8 = refusal(null, -32700, 'JSON parse error: the body is not valid UTF-8')
    expect(await answerTo(Buffer.from('{"\xff\xfe"}', 'latin1'))).toEqual([400, notUtf8])
  })

  test('is refused with 415 when its content type is not JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', '']) {
      expect(await answerTo(call({}), { 'content-type': type })).toMatchObject([415, noRequest])
    }
  })

  test('is refused with 413 when it is too large, with and without a length', async () => {
    const tooLarge = 'x'.repeat(maxBodyBytes + 1)
    const length = { 'content-length': `${maxBodyBytes + 1}` }
    const announced = await answerTo('x', { 'content-type': 'application/json', ...length })
    for (const answer of [announced, await answerTo(tooLarge)]) {
      expect(answer).toMatchObject([413, noRequest])
    }
  })

  test('is refused with 405 when it is not POST, and browsers may ask beforehand', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const response = await served.fetch(served.url, { method })
      expect(response.status, method).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null })
    }
    const response = await served.fetch(served.url, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('is answered at an address that ends with a slash', async () => {
    const response = await served.fetch(`${served.url}/`, { ...posting, body: call({}) })
    const answer = { jsonrpc: '2.0', id: 1, result: '0x1f' }
    expect([response.status, await response.json()]).toEqual([200, answer])
  })

  test('is refused with 401 before anything else is checked', async () => {
    for (const url of ['http://service.test/other', 'http://service.test/', `${served.url}/more`]) {
      const response = await served.fetch(url, { method: 'POST', body: 'x' })
      expect(response.status, url).toBe(401)
      expect(await response.json()).toEqual(refusal(null, -32001, 'no valid API key'))
    }
  })
})

test("a missing node answer becomes an error with status 200, without the node's address", async () => {
  const sending = { method: 'eth_sendRawTransaction', params: [transfer] }
  for (const [asked, words] of [
    [{ method: 'eth_gasPrice' }, 'no node gave an answer in time: ask again, or for less'],
    [sending, 'no node gave an answer: the transaction may have been sent'],
  ] as const) {
    expect(await answerTo(call(asked))).toEqual([200, refusal(1, -32011, words)])
  }
  expect(JSON.stringify(served.logged)).not.toContain(testKey)
})

test('a key that cannot be checked is refused with 503 and an envelope', async () => {
  const logged: LogEvent[] = []
  const gone = async (): Promise<never> => {
    throw new Error('the keys are away')
  }
  const log = (event: LogEvent) => void logged.push(event)
  const routes = routesWith({ keys: { lookup: gone }, services: new Map(), log })
  const response = await routes.request(`/${testKey}`, { method: 'POST', body: call({}) })
  expect(response.status).toBe(503)
  expect(await response.json()).toEqual(refusal(null, -32603, 'not available now, try again'))
  expect(logged).toMatchObject([{ level: 'error', message: expect.stringContaining('away') }])
  expect(JSON.stringify(logged)).not.toContain(testKey)
})

test('a spent quota says when to retry, by the clock of the service', async () => {
  const resetAt = new Date('2026-11-22T00:00:00Z')
  const spent = { ...granted, spend: async () => ({ resetAt, period: 'day' as const }) }
  const routes = routesWith({
    keys: { lookup: async () => spent },
    services: new Map([[31, served.service]]),
    clock: { ...systemClock, now: () => resetAt.getTime() - 90_000 },
  })
  const response = await routes.request('/any', { ...posting, body: call({}) })
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('90')
})

/** Is a signed legacy transaction of chain 31 without a real account. */
const transfer = toRlp([
  ...(['0x', '0x01', '0x5208', `0x${'ab'.repeat(20)}`, '0x01', '0x', '0x61'] as const),
  ...([`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`] as const),
])

/** Any text, one that is nested however deep, and what is made to cost much. */
const anyBody = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc
    .tuple(fc.nat(100_000), fc.boolean(), fc.constantFrom('7', '1.5'))
    .map(([depth, isList, id]) => {
      const [open, close] = isList ? ['[', ']'] : ['{"id":', '}']
      const deep = `${open.repeat(depth)}1${close.repeat(depth)}`
      return `{"jsonrpc":"2.0","id":${id},"method":"x","params":[${deep}]}`
    }),
  fc
    .tuple(fc.nat(), fc.nat(20_000))
    .map(([from, bytes]) => hostileMessage(randomHostilePlan(createRandom(from)), bytes)),
)

/** Ids that JSON prints in another way, which mean the same. */
function printed(id: string): string {
  return id === '-0' ? '0' : id === '1e2' ? '100' : id
}

test('every request gets a valid envelope', async () => {
  const other = anyBody.map((body) => ({ body, contentType: 'application/json' }))
  const request = fc.oneof({ weight: 2, arbitrary: randomRequest }, { weight: 1, arbitrary: other })
  const answers = fc.asyncProperty(request, async ({ body, contentType }) => {
    const { status, text } = await exchange(body, { 'content-type': contentType })
    expect(faultOfResponse(status, text)).toBeUndefined()
  })
  await holds(answers, { sampled: 450, full: 30_000 })
})
