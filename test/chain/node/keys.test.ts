import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startAnvil } from '../../../scripts/dev/anvil.ts'
import { createRpcCall } from '../../../scripts/dev/rpc.ts'
import { keys as command } from '../../../scripts/ops/credentials/keys-cli.ts'
import { hashKey } from '../../../src/runtime/bearer.ts'
import { opened } from '../../support/opened.ts'
import { type Ended, runHere } from '../../support/processes.ts'
import { findNode } from './support/open.ts'
import { startRealWorker } from './support/real-worker.ts'
import { connectSocket } from './support/socket-client.ts'

const testnet = opened(() => findNode())
const mainnet = opened(() => startAnvil({ chainId: 30 }))
const worker = opened(() => startRealWorker([testnet.url], { NODE_URL_30: mainnet.url }))

/** `npm run ops -- keys …` against the Worker of this file. */
const keys = (...args: string[]): Promise<Ended> =>
  runHere(command, [...args, '--url', worker.origin], {
    env: { OPERATOR_TOKEN: worker.operatorToken },
  })

async function createKey(...args: string[]): Promise<string> {
  const { output } = await keys('create', '--name', 'some-client', ...args)
  return /rpc_[A-Za-z0-9_-]{43}/.exec(output)?.[0] ?? output
}

const idOf = async (key: string) => hashKey(key).slice(0, 12)
const revoke = async (key: string) => await keys('revoke', await idOf(key))

const chainId = { jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] }

/** Posts to the address with the key, or to the one without where the key is in a header. */
async function post(key?: string, body: unknown = chainId, authorization?: string) {
  const url = `${worker.origin}/rpc${key === undefined ? '' : `/${key}`}`
  const given = authorization === undefined ? {} : { authorization }
  const headers = { 'content-type': 'application/json', ...given }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  const answer = JSON.parse(text) as { result?: string; error?: object }
  return { status: response.status, text, answer, response }
}

const connect = (key: string) => connectSocket(`${worker.origin.replace('http', 'ws')}/rpc/${key}`)

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

test('a key that was made can be used, is listed without itself, and ends when it is revoked', async () => {
  const [key, other] = [await createKey(), await createKey()]
  const id = await idOf(key)
  expect((await post(key)).text).toBe('{"jsonrpc":"2.0","id":7,"result":"0x1f"}')
  const { output } = await keys('list')
  expect(output).toMatch(
    new RegExp(`^${id}  31  valid  [0-9-]{10}  1 of 25000 today  some-client$`, 'm'),
  )
  const shown = await keys('list', '--json')
  const listed = JSON.parse(shown.output) as object[]
  expect(listed).toContainEqual(expect.objectContaining({ id, name: 'some-client', chainId: 31 }))
  expect(output + shown.output).not.toContain(key)

  expect((await revoke(other)).code).toBe(0)
  expect([(await post(other)).status, (await post(key)).status]).toEqual([401, 200])
  expect((await keys('list')).output).toMatch(/ {2}31 {2}revoked \d{4}-\d\d-\d\d/)
})

test('a key that cannot be made is refused in words that name each bad member', async () => {
  const headers = { authorization: `Bearer ${worker.operatorToken}` }
  const body = JSON.stringify({ hash: 2, name: '', chainId: 4, quota: '5' })
  const answer = await fetch(`${worker.origin}/keys`, { method: 'POST', headers, body })
  const { error } = (await answer.json()) as { error: string }
  expect([answer.status, ...error.split('\n')]).toEqual([
    400,
    '✖ Invalid input: expected string, received number',
    '  → at hash',
    '✖ Too small: expected string to have >=1 characters',
    '  → at name',
    '✖ is not served here',
    '  → at chainId',
    '✖ Invalid input: expected number, received string',
    '  → at quota',
  ])
})

test('a key may come in a header, over HTTP and to open a WebSocket', async () => {
  const key = await createKey()
  const bearer = await post(undefined, chainId, `Bearer ${key}`)
  expect([bearer.status, bearer.answer.result]).toEqual([200, '0x1f'])
  const { status, text } = await post('')
  for (const wrong of ['', key, `Bearer ${key}x`]) {
    expect(await post(undefined, chainId, wrong)).toMatchObject({ status, text })
  }
  expect(await openSocket(`Bearer ${key}`)).toBe(101)
  expect(await openSocket(`Bearer ${key}x`)).toBe(401)
})

test('a key may be limited to some methods that are served, under each of their names', async () => {
  const { code, output } = await keys('create', '--name', 'b', '--methods', 'eth_call,eth_cal')
  expect([code, output]).toEqual([
    1,
    `${worker.origin} refuses: ✖ is not a method that is served here\n  → at methods[1]\n`,
  ])
  const key = await createKey('--methods', 'eth_chainId,rsk_protocolVersion')
  for (const method of ['eth_chainId', 'rsk_protocolVersion']) {
    expect((await post(key, { ...chainId, method })).answer).toHaveProperty('result')
  }
  const message = 'the method eth_gasPrice does not exist/is not available for this key'
  const { answer } = await post(key, { ...chainId, method: 'eth_gasPrice' })
  expect(answer.error).toEqual({ code: -32601, message })
})

test('a missing, malformed, unknown and revoked key get the same answer', async () => {
  const revoked = await createKey()
  await revoke(revoked)
  const text = '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no valid API key"}}'
  for (const key of [undefined, '', 'x', 'rpc_unknown', '%00%ff', revoked])
    expect(await post(key)).toMatchObject({ status: 401, text })
})

test('a quota is counted call by call, over the socket too, and says when it starts over', async () => {
  const key = await createKey('--quota', '5')
  for (let call = 0; call < 2; call += 1) expect((await post(key)).status).toBe(200)
  expect((await post(key, [chainId, chainId])).status).toBe(200)
  // One is left: a batch of two is refused as a whole and costs nothing.
  const { status, answer, response } = await post(key, [chainId, chainId])
  const resetAt = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000).toISOString()
  const message = `daily quota exceeded, resets at ${resetAt}`
  const error = { code: -32005, message, data: { resetAt } }
  expect([status, answer]).toEqual([429, { jsonrpc: '2.0', id: null, error }])
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  const client = await connect(key)
  expect(await client.result('eth_chainId')).toBe('0x1f')
  expect((await client.rpc('eth_chainId')).error).toMatchObject({ code: -32005 })
  expect(await post(key)).toMatchObject({ status: 429, answer: { id: 7 } })
  client.close()
})

test('a key belongs to one network, and both are served at once', async () => {
  const key = await createKey('--network', '30')
  expect((await post(key)).answer.result).toBe('0x1e')
  expect((await post(key, { ...chainId, method: 'net_version' })).answer.result).toBe('30')
  const client = await connect(key)
  expect(await client.result('eth_chainId')).toBe('0x1e')
  await client.result('eth_subscribe', ['newHeads'])
  await createRpcCall(mainnet.url)('evm_mine')
  await client.until((told) => told.length === 1)
  client.close()
  expect((await keys('create', '--name', 'x', '--network', '5')).output).toContain('not served')
})

test('a key has only so many connections and subscriptions at a time', async () => {
  const key = await createKey('--quota', 'none')
  const clients = []
  for (let count = 0; count < 20; count += 1) clients.push(await connect(key))
  await expect(connect(key)).rejects.toThrow()
  const [first, second] = clients
  for (let count = 0; count < 1_000; count += 50) {
    const batch = Array.from({ length: 50 }, () => first?.rpc('eth_subscribe', ['newHeads']))
    await Promise.all(batch)
  }
  const message = 'at most 1000 subscriptions for one key'
  const refused = await second?.rpc('eth_subscribe', ['newHeads'])
  expect(refused?.error).toEqual({ code: -32005, message })
  for (const client of clients) client.close()
  await Promise.all(clients.map(({ closed }) => closed))
})

test('only the operator manages keys, and errors are named', async () => {
  for (const authorization of ['', 'Bearer wrong', worker.operatorToken]) {
    const response = await fetch(`${worker.origin}/keys`, { headers: { authorization } })
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
    expect([code, output], args.join(' ')).toEqual([1, expect.stringContaining(words)])
  }
})

test("the operator's token is no key of the node service, and no way to the screens", async () => {
  const token = worker.operatorToken
  expect((await post(token, chainId, `Bearer ${token}`)).status).toBe(401)
  const screens = `${worker.origin}/${token}/ussd`
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(screens, { method: 'POST', headers, body: '{}' })).status).toBe(404)
})

test('no key is ever written to the log', async () => {
  const key = await createKey()
  await post(key, { ...chainId, method: 'eth_getBalance', params: ['nonsense'] })
  await post(`${key}x`)
  const client = await connect(key)
  await client.result('eth_chainId')
  client.close()
  expect(worker.lines.join('\n')).not.toMatch(/rpc_/)
})
