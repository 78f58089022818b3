import { type Address, type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { createUpstream } from '../../../../src/node/upstream/http-upstream.ts'
import { serve } from '../../../chain/node/support/serve.ts'
import { type Call, error } from '../../../support/fake-node.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { sampleOf } from '../../../support/sample.ts'

type Said = Record<string, unknown>

/** Lists a node's answers to too large a batch; `honest` is its answer to each alone. */
type Refusal = (asked: Call[], honest: Said[], most: number) => Response

const json = (body: unknown, status = 200) => Response.json(body, { status })
const noBatches = error(-32600, 'batches are not served here')
const busy = error(-32603, 'internal error')
const noAccount = error(-32000, 'no such account')

const envelope = { jsonrpc: '2.0', id: null, ...noBatches }
const toEach = (asked: Call[], said: object) => asked.map(({ id }) => ({ id, ...said }))

/** Each way in which a node can refuse a batch, or answer it wrongly, so that it can be seen. */
const refusals: Readonly<Record<string, Refusal>> = {
  'an error object': () => json(envelope),
  'an error object with 400': () => json(envelope, 400),
  'an error object with 429': () => json(envelope, 429),
  'an array of one error': () => json([envelope]),
  'an array of one error with 400': () => json([envelope], 400),
  'an empty array': () => json([]),
  'an empty array with 400': () => json([], 400),
  'an error for each': (asked) => json(toEach(asked, noBatches)),
  'an error for each with 400': (asked) => json(toEach(asked, noBatches), 400),
  'mixed errors': (asked) =>
    json(asked.map(({ id }, at) => ({ id, ...[busy, noBatches, error(-32601, 'no')][at % 3] }))),
  'the error that a call has alone, for each': (asked) => json(toEach(asked, noAccount)),
  'an error in words': (asked) => json(toEach(asked, { error: 'no batches' })),
  'a page': () => new Response('<html>no batches</html>'),
  'a text with 400': () => new Response('no batches here', { status: 400 }),
  'a page with 502': () => new Response('<html>bad gateway</html>', { status: 502 }),
  nothing: () => new Response(''),
  'a null': () => json(null),
  'a number': () => json(7),
  'an array of nothing': (asked) => json(asked.map(() => null)),
  'arrays in an array': (_, honest) => json(honest.map((one) => [one])),
  'half a text': (_, honest) => new Response(JSON.stringify(honest).slice(0, -9)),
  'a dropped connection': () => lose(),
  'the first ones': (_, honest, most) => json(honest.slice(0, most)),
  'the first ones, and an error': (_, honest, most) =>
    json([...honest.slice(0, most), { id: null, ...noBatches }]),
  'the first ones, and errors': (asked, honest, most) =>
    json([...honest.slice(0, most), ...toEach(asked.slice(most), noBatches)]),
  'all but the last': (_, honest) => json(honest.slice(0, -1)),
  'an error for the last': (asked, honest) =>
    json([...honest.slice(0, -1), ...toEach(asked.slice(-1), busy)]),
  'the ids of others': (_, honest) =>
    json(honest.map((one) => ({ ...one, id: Number(one.id) + 1 }))),
  'ids that count from nought': (_, honest) => json(honest.map((one, id) => ({ ...one, id }))),
  'ids as text': (_, honest) => json(honest.map((one) => ({ ...one, id: `${one.id}` }))),
  'no ids': (_, honest) => json(honest.map(({ id: _id, ...one }) => one)),
  'one id for all': (_, honest) => json(honest.map((one) => ({ ...one, id: honest[0]?.id }))),
  'an id twice': (_, honest) => json([...honest, { ...honest[0], result: '0xbad' }]),
  'more than was asked': (_, honest) => json([...honest, { id: 999_999, result: '0xbad' }]),
  'neither result nor error': (asked) => json(toEach(asked, {})),
}

const accountOf = (index: number) => `0x${(index + 1).toString(16).padStart(40, '0')}`

/** Answers a single call; every fifth account is refused, in two ways. */
function honestly({ id, method, params }: Call): Said {
  if (method === 'eth_chainId') return { id, result: '0x1f' }
  if (method === 'eth_sendRawTransaction') return { id, result: keccak256(params[0] as Hex) }
  if (method === 'web3_clientVersion') return { id, result: 'Geth/v1' }
  const account = Number(params[0])
  if (method === 'eth_getBalance' && account % 5 === 0) {
    return { id, ...(account % 2 ? noAccount : busy) }
  }
  return { id, result: `0x${(account * 7).toString(16)}` }
}

/** Models a node that takes so many calls at once and notes what it was asked. */
function nodeOf(refuse: Refusal, most: number, act: (body: string) => unknown = () => {}) {
  const posts: Call[][] = []
  const node = { posts, most, fetch: answer }
  async function answer(_: unknown, init?: RequestInit): Promise<Response> {
    const body = JSON.parse(`${init?.body}`) as Call | Call[]
    const asked = [body].flat()
    posts.push(asked)
    act(`${init?.body}`)
    const honest = asked.map(honestly)
    if (!Array.isArray(body)) return json(honest[0])
    return asked.length > node.most ? refuse(asked, honest, node.most) : json(honest)
  }
  return node
}

type Node = ReturnType<typeof nodeOf>

async function servedBy(node: Node) {
  const clock = createHandClock()
  const served = await serve(['http://node.test/'], 31, node.fetch, clock)
  await served.rpc('eth_gasPrice')
  node.posts.length = 0
  const balances = async (count: number, at = (id: number) => id): Promise<Said[]> => {
    const batch = Array.from({ length: count }, (_, id) => {
      return { jsonrpc: '2.0', id, method: 'eth_getBalance', params: [accountOf(at(id))] }
    })
    return (await (await served.post(JSON.stringify(batch))).json()) as Said[]
  }
  return { served, clock, balances }
}

const wanted = (count: number): Said[] =>
  Array.from({ length: count }, (_, id) => {
    const balance = { id, method: 'eth_getBalance', params: [accountOf(id)] }
    return { jsonrpc: '2.0', ...honestly(balance) }
  })

test.for(Object.entries(refusals))(
  'to a batch that is too large a node says %s, and each call has its own answer',
  async ([what, refuse]) => {
    const splitsOf = (size: number) => [1, 2, 6, size - 1].map((most) => ({ size, most }))
    for (const { size, most } of sampleOf(8, [2, 3, 7, 20, 50].flatMap(splitsOf), what)) {
      const node = nodeOf(refuse, Math.min(most, size - 1))
      const { balances } = await servedBy(node)
      expect(await balances(size), `${size} of ${most}`).toEqual(wanted(size))
      const first = node.posts.flat().length
      expect(first).toBeLessThanOrEqual(size * (Math.ceil(Math.log2(size)) + 2))
      // What was learnt costs nothing more than the errors of calls.
      expect(await balances(size)).toEqual(wanted(size))
      expect(node.posts.flat().length - first).toBeLessThanOrEqual(2 * size)
    }
  },
)

test('the size that passed is remembered for some minutes, and then found out anew', async () => {
  const node = nodeOf(empty, 5)
  const { clock, balances } = await servedBy(node)
  const largest = () => Math.max(...node.posts.splice(0).map(({ length }) => length))
  await balances(20)
  expect(largest()).toBe(20)
  for (let times = 0; times < 3; times += 1) {
    await balances(20)
    expect(largest()).toBe(5)
    clock.forward(60_000)
  }
  node.most = 50
  clock.forward(10 * 60_000)
  expect(await balances(20)).toEqual(wanted(20))
  expect(largest()).toBe(20)
})

test('errors of calls cost one call more each, and say nothing of batches', async () => {
  const node = nodeOf(empty, 50)
  const { balances } = await servedBy(node)
  for (let times = 0; times < 2; times += 1) {
    node.posts.length = 0
    const answers = await balances(20, (id) => 5 * id + 4)
    expect(answers.every(({ error }) => error !== undefined)).toBe(true)
    expect(node.posts[0]).toHaveLength(20)
    expect(node.posts.flat().length).toBeLessThanOrEqual(40)
  }
})

const empty: Refusal = () => json([])

const lose = (): never => {
  throw new TypeError('fetch failed')
}

test('a call that ends the connection ends it for no other', async () => {
  const node = nodeOf(empty, 50, (body) => body.includes(accountOf(12)) && lose())
  const { balances } = await servedBy(node)
  const answers = await balances(20)
  expect(answers.toSpliced(12, 1)).toEqual(wanted(20).toSpliced(12, 1))
  expect(answers[12]).toMatchObject({ error: { code: -32011 } })
  const [whole, ...parts] = node.posts.map(({ length }) => length)
  expect([whole, Math.max(...parts)]).toEqual([20, 10])
})

test('a node that is gone is asked each call a few times, and batches stay as they were', async () => {
  let isGone = false
  const node = nodeOf(empty, 50, () => isGone && lose())
  const { balances } = await servedBy(node)
  isGone = true
  expect((await balances(20)).every(({ error }) => error !== undefined)).toBe(true)
  isGone = false
  node.posts.length = 0
  expect(await balances(20)).toEqual(wanted(20))
  expect(node.posts.some(({ length }) => length === 20)).toBe(true)
})

const upstreamOf = (fetch: typeof globalThis.fetch) =>
  createUpstream({
    name: 'node 1',
    url: 'http://node.test/',
    fetch,
    onCalls: () => {},
    now: () => 0,
  })

test('who stops waiting ends its own calls alone, and the last of all ends the request', async () => {
  const posted = Promise.withResolvers<AbortSignal | null | undefined>()
  const { call } = upstreamOf((_, init) => {
    posted.resolve(init?.signal)
    return new Promise<never>(() => {})
  })
  const [one, other] = [new AbortController(), new AbortController()]
  let listeners = 0
  const listen = one.signal.addEventListener.bind(one.signal)
  one.signal.addEventListener = (...listener: Parameters<typeof listen>) => {
    listeners += 1
    listen(...listener)
  }
  const said: string[] = []
  const ask = (name: string, { signal }: AbortController) =>
    call('eth_call', [], signal).catch(({ message }) => said.push(`${name}: ${message}`))
  const [a, b, c] = [ask('a', one), ask('b', other), ask('c', one)]
  const request = await posted.promise
  one.abort()
  await Promise.all([a, c])
  const words = 'the request was cancelled'
  expect([listeners, said, request?.aborted]).toEqual([1, [`a: ${words}`, `c: ${words}`], false])
  other.abort()
  await b
  expect([said.at(-1), request?.aborted]).toEqual([`b: ${words}`, true])
})

test('a transaction goes out alone, wherever it stands among the calls of one turn', async () => {
  for (const place of [0, 1, 2, 3]) {
    const node = nodeOf(empty, 50)
    const { call } = upstreamOf(node.fetch)
    const methods = Array<string>(3).fill('eth_gasPrice')
    const sends = Array<string>(2).fill('eth_sendRawTransaction')
    methods.splice(place, 0, ...sends)
    const { signal } = new AbortController()
    await Promise.all(methods.map((method) => call(method, ['0x1'], signal)))
    const posts = node.posts.map((post) => post.map(({ method }) => method))
    const alone = sends.map((send) => [send])
    expect(posts, `${place}`).toEqual([...alone, Array(3).fill('eth_gasPrice')])
  }
})

test('a transaction is handed to a node once and alone, whatever the node makes of batches', async () => {
  const raw = await privateKeyToAccount(`0x${'11'.repeat(32)}`).signTransaction({
    ...{ type: 'legacy', chainId: 31, nonce: 0, gas: 21_000n, gasPrice: 1n, value: 1n },
    to: accountOf(1) as Address,
  })
  const method = 'eth_sendRawTransaction'
  for (const [what, refuse] of Object.entries(refusals)) {
    for (const isLost of [false, true]) {
      const node = nodeOf(refuse, 1, (body) => isLost && body.includes(method) && lose())
      const { served, balances } = await servedBy(node)
      const [sent, answers] = await Promise.all([served.rpc(method, [raw]), balances(5)])
      expect(answers, what).toEqual(wanted(5))
      expect(sent.error === undefined, what).toBe(!isLost)
      const sends = node.posts.filter((post) => post.some((call) => call.method === method))
      expect(sends, what).toEqual([[expect.anything()]])
    }
  }
})
