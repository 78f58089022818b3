import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { createRpcCall } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import type { KeyStore } from '../../../src/keys/api-keys.ts'
import { createObjectSockets } from '../../../src/node/feed/sockets-object.ts'
import { hashKey } from '../../../src/runtime/bearer.ts'
import { willCause } from '../../support/runtime-words.ts'

const key = 'the-key-of-the-feed-tests'
const { NODE_URL } = env as unknown as { NODE_URL: string }
const ask = createRpcCall(NODE_URL)

type Head = { number: string; parentHash: string; hash: string }
type Told = { subscription: string; result: Head }

beforeAll(async () => {
  await registry().create({
    ...{ hash: hashKey(key), name: 'tests', chainId: 31, quota: null, methods: null, createdAt: 0 },
    revokedAt: null,
  })
})

function registry(): KeyStore {
  return env.KEYS.getByName('keys') as unknown as KeyStore
}

test('a connection outlives the memory of its feed', async ({ task }) => {
  willCause(task, 'evicted_object')
  const { socket, told, answers } = await connect()
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
  await until(() => answers.length === 1)
  await evictDurableObject(env.FEED.getByName('31'))
  socket.send('{"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["newHeads"]}')
  await until(() => answers.length === 2)
  const hash = await mine()
  await until(() => told.some(({ result }) => result.hash === hash))
  expect(told).toHaveLength(1)
  socket.close()
})

test("a deleted key gets its own error, not a limit's", async () => {
  const sockets = createObjectSockets(() => env.FEED)
  const request = new Request('http://relay.test/', { headers: { upgrade: 'websocket' } })
  const revoked = hashKey('revoked a moment ago')
  expect(await sockets.accept(request, revoked, 31)).toMatchObject({ status: 401 })
})

test('a feed without listeners leaves nothing running', async ({ task }) => {
  willCause(task, 'evicted_object')
  const { socket, told, answers } = await connect()
  const feed = env.FEED.getByName('31')
  for (const round of [1, 2]) {
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    await until(() => answers.length === 2 * round - 1)
    const id = answers.at(-1)?.result as string
    socket.send(`{"jsonrpc":"2.0","id":2,"method":"eth_unsubscribe","params":["${id}"]}`)
    await until(() => answers.length === 2 * round)
    expect(answers.at(-1)?.result).toBe(true)
    // Eviction waits for whatever still runs, so it says that nothing does.
    await evictDurableObject(feed)
    await mine()
  }
  expect(told).toEqual([])
  expect(await runDurableObjectAlarm(feed)).toBe(true)
  expect(await runDurableObjectAlarm(feed)).toBe(false)
  socket.close()
})

async function connect() {
  const response = await exports.default.fetch(`http://relay.test/rpc/${key}`, {
    headers: { upgrade: 'websocket' },
  })
  const socket = response.webSocket
  if (socket === null) throw new Error(`refused with ${response.status}`)
  const told: Told[] = []
  const answers: { result?: unknown }[] = []
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(`${data}`) as { method?: string; params: Told }
    if (message.method === 'eth_subscription') told.push(message.params)
    else answers.push(message as { result?: unknown })
  })
  socket.accept()
  return { socket, told, answers }
}

/** Mines a block and gives its hash. */
async function mine(): Promise<string> {
  await ask('evm_mine', [])
  return ((await ask('eth_getBlockByNumber', ['latest', false])) as Head).hash
}
