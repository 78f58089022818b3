import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startAnvil } from '../../../scripts/dev/anvil.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { keys as command } from '../../../scripts/ops/keys-cli.ts'
import { hashKey } from '../../../src/keys/api-keys.ts'
import { opened } from '../../support/opened.ts'
import { type Ended, runHere, runScript } from '../../support/processes.ts'
import { startRealWorker } from './support/real-worker.ts'
import { connectSocket } from './support/socket-client.ts'

const testnet = opened(() => startAnvil())
const mainnet = opened(() => startAnvil({ chainId: 30 }))
const worker = opened(() => startRealWorker([testnet.url], { NODE_URL_30: mainnet.url }))

const given = (args: readonly string[]) =>
  [[...args, '--url', worker.origin], { env: { OPERATOR_TOKEN: worker.operatorToken } }] as const

/** `npm run keys -- …` against the Worker of this file. */
const keys = (...args: string[]): Promise<Ended> => runHere(command, ...given(args))

async function createKey(...args: string[]): Promise<string> {
  const { output } = await keys('create', '--name', 'some-client', ...args)
  return /rpc_[A-Za-z0-9_-]{43}/.exec(output)?.[0] ?? output
}

/** Posts to the address with the key, or to the one without where the key is in a header. */
async function post(
  key: string | undefined,
  body: unknown,
  more: Record<string, string> = {},
): Promise<{ status: number; text: string; response: Response }> {
  const response = await fetch(`${worker.origin}/rpc${key === undefined ? '' : `/${key}`}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text(), response }
}

const socketUrl = (key: string): string => `${worker.origin.replace('http', 'ws')}/rpc/${key}`

/** The status of the answer to a client that asks for a WebSocket, with the key in a header. */
function openSocket(authorization: string): Promise<number | undefined> {
  const socket = new WebSocket(`${worker.origin}/rpc`, { headers: { authorization } })
  return new Promise((resolve, reject) => {
    const answered = ({ statusCode }: IncomingMessage) => {
      socket.terminate()
      resolve(statusCode)
    }
    socket
      .once('error', reject)
      .once('upgrade', answered)
      .once('unexpected-response', (_, response) => answered(response))
  })
}

const chainId = { jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] }

test('a key that was made can be used, is listed without itself, and ends when it is revoked', async () => {
  const key = await createKey()
  const id = (await hashKey(key)).slice(0, 12)
  expect((await post(key, chainId)).text).toBe('{"jsonrpc":"2.0","id":7,"result":"0x1f"}')
  const { output } = await keys('list')
  expect(output).toMatch(
    new RegExp(`^${id}  31  valid  [0-9-]{10}  1 of 25000 today  some-client$`, 'm'),
  )
  expect(output).not.toContain(key)
  const shown = await runScript('scripts/ops/keys-cli.ts', ...given(['list', '--json']))
  const listed = JSON.parse(shown.output) as object[]
  expect(listed).toContainEqual(expect.objectContaining({ id, name: 'some-client', chainId: 31 }))
  expect(JSON.stringify(listed)).not.toContain(key)

  const other = await createKey()
  const { code } = await keys('revoke', (await hashKey(other)).slice(0, 12))
  expect(code).toBe(0)
  expect((await post(other, chainId)).status).toBe(401)
  expect((await post(key, chainId)).status).toBe(200)
  expect((await keys('list')).output).toMatch(/ {2}31 {2}revoked \d{4}-\d\d-\d\d/)
})

test('a key that cannot be made is refused in words that name each bad member', async () => {
  const answer = await fetch(`${worker.origin}/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${worker.operatorToken}` },
    body: JSON.stringify({ hash: 2, name: '', chainId: 4, quota: '5' }),
  })
  expect([answer.status, await answer.json()]).toEqual([
    400,
    {
      error: [
        '✖ Invalid input: expected string, received number',
        '  → at hash',
        '✖ Too small: expected string to have >=1 characters',
        '  → at name',
        '✖ is not served here',
        '  → at chainId',
        '✖ Invalid input: expected number, received string',
        '  → at quota',
      ].join('\n'),
    },
  ])
})

test('a key may come in a header, over HTTP and to open a WebSocket', async () => {
  const key = await createKey()
  const ask = async (authorization: string) => {
    const { status, text } = await post(undefined, chainId, { authorization })
    return [status, text]
  }
  expect(await ask(`Bearer ${key}`)).toEqual([200, '{"jsonrpc":"2.0","id":7,"result":"0x1f"}'])
  const { status, text } = await post('', chainId)
  for (const wrong of ['', key, `Bearer ${key}x`]) expect(await ask(wrong)).toEqual([status, text])
  expect(await openSocket(`Bearer ${key}`)).toBe(101)
  expect(await openSocket(`Bearer ${key}x`)).toBe(401)
})

test('a key is made only for methods that are served, under each of their names', async () => {
  const { code, output } = await keys('create', '--name', 'b', '--methods', 'eth_call,eth_cal')
  expect([code, output]).toEqual([
    1,
    `${worker.origin} refuses: ✖ is not a method that is served here\n  → at methods[1]\n`,
  ])
  const key = await createKey('--methods', 'rsk_protocolVersion')
  const asked = { jsonrpc: '2.0', id: 1, method: 'rsk_protocolVersion', params: [] }
  expect((await post(key, asked)).status).toBe(200)
})

test('a key that is in use ends within 60 s of being revoked, for requests and for connections', async () => {
  const key = await createKey()
  const url = socketUrl(key)
  const [listener, asker] = [await connectSocket(url), await connectSocket(url)]
  await listener.result('eth_subscribe', ['newHeads'])
  expect((await post(key, chainId)).status).toBe(200)
  await keys('revoke', (await hashKey(key)).slice(0, 12))
  const since = performance.now()
  let isOpen = true
  const closed = asker.closed.then(() => {
    isOpen = false
  })
  await expect
    .poll(
      async () => {
        if (isOpen) await Promise.race([asker.rpc('eth_chainId'), closed])
        const { status } = await post(key, chainId)
        return { status, isOpen }
      },
      { interval: 500 },
    )
    .toEqual({ status: 401, isOpen: false })
  expect((await asker.closed).code).toBe(1008)
  expect((await listener.closed).code).toBe(1008)
  expect(performance.now() - since).toBeLessThan(60_000)
})

test('a missing, malformed, unknown and revoked key get the same answer', async () => {
  const revoked = await createKey()
  await keys('revoke', (await hashKey(revoked)).slice(0, 12))
  const answers = await Promise.all(
    ['', 'x', 'rpc_unknown', '%00%ff', revoked].map(async (key) => {
      const { status, text } = await post(key, chainId)
      return [status, text]
    }),
  )
  const refused = [
    401,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no valid API key"}}',
  ]
  for (const answer of answers) expect(answer).toEqual(refused)
  const bare = await fetch(`${worker.origin}/rpc`, { method: 'POST', body: '{}' })
  expect([bare.status, await bare.text()]).toEqual(refused)
})

test('a quota is counted call by call, and says when it starts over', async () => {
  const key = await createKey('--quota', '5')
  for (let call = 0; call < 2; call += 1) expect((await post(key, chainId)).status).toBe(200)
  expect((await post(key, [chainId, chainId])).status).toBe(200)
  // One is left: a batch of two is refused as a whole and costs nothing.
  const refused = await post(key, [chainId, chainId])
  expect(refused.status).toBe(429)
  const midnight = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000).toISOString()
  expect(JSON.parse(refused.text)).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: {
      code: -32005,
      message: `daily quota exceeded, resets at ${midnight}`,
      data: { resetAt: midnight },
    },
  })
  expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await post(key, chainId)).status).toBe(200)
  const last = await post(key, chainId)
  expect(last.status).toBe(429)
  expect(JSON.parse(last.text)).toMatchObject({ id: 7 })
})

test('a quota counts over the socket too', async () => {
  const key = await createKey('--quota', '3')
  const client = await connectSocket(socketUrl(key))
  for (let call = 0; call < 3; call += 1) expect(await client.result('eth_chainId')).toBe('0x1f')
  expect((await client.rpc('eth_chainId')).error).toMatchObject({ code: -32005 })
  client.close()
})

test('a key may be limited to some methods', async () => {
  const key = await createKey('--methods', 'eth_chainId,eth_blockNumber')
  expect((await post(key, chainId)).status).toBe(200)
  expect(JSON.parse((await post(key, { ...chainId, method: 'eth_gasPrice' })).text)).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: {
      code: -32601,
      message: 'the method eth_gasPrice does not exist/is not available for this key',
    },
  })
})

test('a key belongs to one network, and both are served at once', async () => {
  const key = await createKey('--network', '30')
  expect((await post(key, chainId)).text).toContain('"0x1e"')
  expect((await post(key, { ...chainId, method: 'net_version' })).text).toContain('"30"')
  const client = await connectSocket(socketUrl(key))
  expect(await client.result('eth_chainId')).toBe('0x1e')
  await client.result('eth_subscribe', ['newHeads'])
  await rpcTo(mainnet.url)('evm_mine')
  await client.until((told) => told.length === 1)
  client.close()
  expect((await keys('create', '--name', 'x', '--network', '5')).output).toContain('not served')
})

test('a key has only so many connections and subscriptions at a time', async () => {
  const key = await createKey('--quota', 'none')
  const url = socketUrl(key)
  const clients = []
  for (let count = 0; count < 20; count += 1) clients.push(await connectSocket(url))
  await expect(connectSocket(url)).rejects.toThrow()
  const [first, second] = clients
  for (let count = 0; count < 1_000; count += 50) {
    const batch = Array.from({ length: 50 }, () => first?.rpc('eth_subscribe', ['newHeads']))
    await Promise.all(batch)
  }
  expect((await second?.rpc('eth_subscribe', ['newHeads']))?.error).toEqual({
    code: -32005,
    message: 'at most 1000 subscriptions for one key',
  })
  for (const client of clients) client.close()
  await Promise.all(clients.map(({ closed }) => closed))
})

test('only the operator handles keys, and is told what is wrong', async () => {
  for (const authorization of [undefined, 'Bearer wrong', worker.operatorToken]) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const response = await fetch(`${worker.origin}/keys`, { headers })
    expect(response.status).toBe(401)
  }
  for (const [args, words] of [
    [[], 'Usage:'],
    [['create'], 'Usage:'],
    [['create', '--name', 'x', '--quota', 'many'], '"many" is not a quota'],
    [['revoke', 'xyz'], '"xyz" is not the id of a key'],
    [['revoke', '0123456789ab'], 'there is no such key'],
  ] as const) {
    const { code, output } = await keys(...args)
    expect(code, args.join(' ')).toBe(1)
    expect(output, args.join(' ')).toContain(words)
  }
})

test("the operator's token is no key of the node service, and no way to the screens", async () => {
  const token = worker.operatorToken
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(chainId),
  }
  for (const [path, status] of [
    [`/rpc/${token}`, 401],
    [`/${token}/ussd`, 404],
  ] as const) {
    expect((await fetch(`${worker.origin}${path}`, request)).status, path).toBe(status)
  }
})

test('no key is ever written to the log', async () => {
  const key = await createKey()
  await post(key, { ...chainId, method: 'eth_getBalance', params: ['nonsense'] })
  await post(`${key}x`, chainId)
  const client = await connectSocket(socketUrl(key))
  await client.result('eth_chainId')
  client.close()
  expect(worker.lines.join('\n')).not.toMatch(/rpc_/)
})
