import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import type { Hex } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { createRandom, type Random } from '../../../scripts/dev/random.ts'
import { exchange } from '../../../scripts/dev/rpc.ts'
import { sleep, until } from '../../../scripts/dev/wait.ts'
import { hashKey } from '../../../src/runtime/bearer.ts'
import { opened } from '../../support/opened.ts'
import { createRandomRequests, faultOfResponse } from '../../support/requests.ts'
import { isFull, seed, times } from '../../support/sample.ts'
import { emit, mined } from './support/anvil-rpc.ts'
import { openNode } from './support/open.ts'
import { startProxyNode } from './support/proxy-node.ts'
import { startRealWorker, workerKey } from './support/real-worker.ts'
import { serve } from './support/serve.ts'
import { connectSocket } from './support/socket-client.ts'
import { connectStalled } from './support/stalled-socket.ts'
import { livingMiB, residentMiB, watchLiving } from './support/worker-memory.ts'

const clients = times({ sampled: 60, full: Number(process.env.CHAOS_CLIENTS ?? 1_000) })
const stepsEach = times({ sampled: 8, full: 20 })
/** Limits a client's pause before it asks again, since trouble is tried and not speed. */
const pauseMs = times({ sampled: 300, full: 4_000 })
const hostileKey = 'the-key-of-the-hostile'

const on = opened(() => openNode())
const proxies = [1, 2].map(() => opened(() => startProxyNode(on.url)))
const worker = opened(() =>
  startRealWorker(
    proxies.map(({ url }) => url),
    { RPC_KEY_HASHES: `${hashKey(workerKey)},${hashKey(hostileKey)}` },
  ),
)
const withKey = (url: string, key: string) => url.replace(workerKey, key)

type Question = readonly [method: string, params: readonly unknown[]]
/** Lists requests with their only right answers. */
const truths: (readonly [Question, unknown])[] = []

beforeAll(async () => {
  const hash = await emit(on.direct, on.emitter, 1n, 2n, 3n)
  const { blockHash, blockNumber } = await mined(on.direct, hash)
  const data: Hex = `0x${'11'.repeat(96)}`
  const direct = await serve([on.url])
  for (const [method, params] of [
    ['eth_chainId', []],
    ['eth_getBlockByHash', [blockHash, true]],
    ['eth_getBlockByNumber', [blockNumber, false]],
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getLogs', [{ blockHash }]],
    ['eth_getBalance', [on.emitter, blockHash]],
    ['eth_call', [{ to: on.emitter, data }, 'latest']],
    ['chain_getRawTransactionReceiptByHash', [hash]],
    ['trace_transaction', [hash]],
  ] satisfies Question[]) {
    const { result } = await direct.rpc(method, params)
    expect(result ?? null, method).not.toBe(null)
    truths.push([[method, params], result])
  }
})

type Answer = { result?: unknown; error?: { code: number; message: string } | undefined }
const seen = {
  ...{ listeners: 0, right: 0, refused: 0, heads: 0 },
  ...{ garbage: 0, badKeys: 0, brokenFrames: 0, dropped: 0 },
}

/** Lists the allowed errors while no node answers. */
const honestErrors = [-32011, -32603]

/** Asks one question; counts a right answer or an honest error, and throws at any other. */
async function askOne(
  random: Random,
  ask: (...question: Question) => Promise<Answer>,
): Promise<void> {
  await sleep(random.int(0, pauseMs))
  const [question, truth] = random.pick(truths)
  const { result, error } = await ask(...question)
  if (error !== undefined) return countRefusal(error)
  expect(result, `seed ${seed}, ${question[0]}`).toEqual(truth)
  seen.right += 1
}

function countRefusal({ code, message }: { code: number; message: string }): void {
  expect(honestErrors, `seed ${seed}: ${message}`).toContain(code)
  seen.refused += 1
}

type Client = (random: Random, isOver: () => boolean) => Promise<void>

const overHttp = async (...question: Question): Promise<Answer> => {
  // A connection that another client's garbage has ended may be drawn from the pool: then on
  // another one.
  const asking = () => exchange(worker.rpcUrl, ...question)
  return (await asking().catch(asking)).answer
}

const honestOverHttp: Client = async (random) => {
  for (let step = 0; step < stepsEach; step += 1) await askOne(random, overHttp)
}

/** Makes requests, gets every block in order, and stays until the others have gone. */
const honestOverSocket: Client = async (random, isOver) => {
  const client = await connectSocket(worker.wsUrl)
  let id: unknown
  await until(async () => {
    const { result, error } = await client.rpc('eth_subscribe', ['newHeads'])
    if (error !== undefined) countRefusal(error)
    id = result
    return id !== undefined
  })
  seen.listeners += 1
  for (let step = 0; step < stepsEach; step += 1) await askOne(random, client.rpc)
  await until(isOver)
  const last = Number(await on.direct('eth_blockNumber'))
  const isTold = () => client.toldOf(id).some(({ number }) => Number(number) === last)
  expect(await Promise.race([client.until(isTold), client.closed]), `seed ${seed}`).toBe(undefined)
  const numbers = client.toldOf(id).map(({ number }) => Number(number))
  expect(numbers, `seed ${seed}`).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
  seen.heads += numbers.length
  client.close()
  expect((await client.closed).code).toBe(1000)
}

const badKey: Client = async () => {
  const key = randomBytes(16).toString('hex')
  expect((await exchange(withKey(worker.rpcUrl, key), 'eth_chainId')).status).toBe(401)
  await expect(connectSocket(withKey(worker.wsUrl, key))).rejects.toThrow()
  seen.badKeys += 1
}

const slowReader: Client = async (_, isOver) => {
  const client = await connectStalled(withKey(worker.wsUrl, hostileKey))
  for (let id = 0; id < 20; id += 1) {
    client.send(`{"jsonrpc":"2.0","id":${id},"method":"eth_subscribe","params":["newHeads"]}`)
  }
  await until(isOver)
  client.destroy()
}

/** Frames that RFC 6455 forbids, or that never end. */
const brokenFrames: readonly (readonly number[])[] = [
  [0x81, 0x05, 1, 2, 3, 4, 5],
  [0x83, 0x80, 0, 0, 0, 0],
  [0xf1, 0x80, 0, 0, 0, 0],
  [0x80, 0x80, 0, 0, 0, 0],
  [0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
  [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe],
  [0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0],
  [0x01, 0x81, 0, 0, 0, 0, 0x7b],
  [0x88, 0x81, 0, 0, 0, 0, 0x03],
]

/** Sends frames that are none on a connection of its own, and ends it wherever it is. */
const brokenFramesSent: Client = async (random) => {
  const { hostname, port, pathname } = new URL(withKey(worker.wsUrl, hostileKey))
  for (let step = 0; step < stepsEach / 4; step += 1) {
    await sleep(random.int(0, pauseMs))
    const socket = connect(Number(port), hostname)
    const ended = new Promise((resolve) => socket.on('error', resolve).on('close', resolve))
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
    const key = `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n`
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n${upgrade}${key}\r\n`)
    await Promise.race([new Promise((resolve) => socket.once('data', resolve)), ended])
    socket.write(Uint8Array.from(random.pick(brokenFrames)))
    socket.end()
    await Promise.race([ended, sleep(1_000)])
    socket.destroy()
    seen.brokenFrames += 1
  }
}

/** Leaves while answers are on their way, over HTTP and over a WebSocket. */
const dropped: Client = async (random) => {
  for (let step = 0; step < stepsEach / 2; step += 1) {
    await sleep(random.int(0, pauseMs))
    const ending = new AbortController()
    const [[method, params]] = random.pick(truths)
    const body = JSON.stringify(Array(20).fill({ jsonrpc: '2.0', id: 1, method, params }))
    const asked = fetch(worker.rpcUrl, { method: 'POST', body, signal: ending.signal })
    const socket = await connectStalled(withKey(worker.wsUrl, hostileKey))
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["logs"]}')
    socket.send(body)
    await sleep(random.int(0, 20))
    ending.abort()
    socket.destroy()
    await asked.then((response) => response.text()).catch(() => {})
    seen.dropped += 1
  }
}

const garbage: Client = async (random) => {
  const next = createRandomRequests(random.int(0, 10 ** 9))
  for (let step = 0; step < stepsEach; step += 1) {
    await sleep(random.int(0, pauseMs))
    const { body, contentType } = next()
    const headers = { 'content-type': contentType }
    const sending = () => worker.post('', { headers, body })
    const response = await sending().catch(sending)
    const text = await response.text()
    const fault = faultOfResponse(response.status, text)
    if (fault !== undefined) throw new Error(`seed ${seed}: ${fault} to ${body}: ${text}`)
    seen.garbage += 1
  }
}

/** Lists the kinds of clients, with their share of a hundred. */
const kinds: readonly (readonly [Client, number])[] = [
  [honestOverHttp, 30],
  [honestOverSocket, 25],
  [garbage, 10],
  [badKey, 5],
  [slowReader, 5],
  [brokenFramesSent, 10],
  [dropped, 15],
]

/** Has blocks made, and nodes fail: one at a time, and now and then both. */
async function trouble(random: Random, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const troubled = random.chance(0.2) ? proxies : [random.pick(proxies)]
    const freezes = random.chance(0.5)
    for (const node of troubled) freezes ? node.freeze() : await node.cut()
    await on.direct('anvil_mine', ['0x1'])
    await sleep(random.int(50, 500))
    for (const node of troubled) freezes ? node.thaw() : await node.restore()
    await on.direct('anvil_mine', ['0x1'])
    await sleep(random.int(50, 500))
  }
}

const wake = async (): Promise<void> => void (await exchange(worker.rpcUrl, 'eth_chainId'))

test('hundreds of clients of all kinds get right answers or honest errors while nodes fail, and leave nothing behind', async ({
  onTestFinished,
}) => {
  await wake()
  const before = await livingMiB(worker.inspectorUrl ?? '', wake)
  const stopWatching = await watchLiving(worker.inspectorUrl ?? '')
  const resident = [residentMiB(worker.runtimes)]
  const watch = setInterval(() => resident.push(residentMiB(worker.runtimes)), 250)
  onTestFinished(() => clearInterval(watch))
  const since = performance.now()
  const drawn = Array.from({ length: clients }, (_, index) => {
    const random = createRandom(seed, `client ${index}`)
    return { random, client: random.weighted(kinds) }
  })
  const state = { isQuiet: false, isOver: false }
  const troubling = trouble(createRandom(seed, 'trouble'), () => state.isQuiet)
  const run = (whether: boolean) =>
    Promise.all(
      drawn
        .filter(({ client }) => [honestOverSocket, slowReader].includes(client) === whether)
        .map(({ client, random }) => client(random, () => state.isOver)),
    )
  const [staying, going] = [run(true), run(false)]
  await Promise.race([going, staying])
  state.isQuiet = true
  await troubling
  // Once all nodes answer, so does the service.
  for (const [question, truth] of truths) {
    await until(async () => (await overHttp(...question)).error === undefined)
    expect((await overHttp(...question)).result).toEqual(truth)
  }
  const listeners = drawn.filter(({ client }) => client === honestOverSocket).length
  await until(() => seen.listeners === listeners)
  await on.direct('anvil_mine', ['0x1'])
  state.isOver = true
  await staying
  // Nobody listens any more, so the nodes' connections are let go: no client is kept.
  await until(() => proxies.every((node) => node.connections() === 0))
  const mostLiving = await stopWatching()
  const highest = Math.max(...resident)
  const after = await livingMiB(worker.inspectorUrl ?? '', wake)
  if (isFull) {
    const figures = { ...seen, before, mostLiving, after, resident: [resident[0], highest] }
    const words = `${clients} clients, seed ${seed}, ${Math.round((performance.now() - since) / 1000)} s`
    process.stdout.write(`${words}: ${JSON.stringify(figures)}\n`)
  }
  expect(seen.right, `seed ${seed}`).toBeGreaterThan(seen.refused)
  expect(after - before, `seed ${seed}`).toBeLessThan(8)
  // An isolate may have 128 MB on Cloudflare.
  expect(mostLiving, `seed ${seed}`).toBeLessThan(122)
  const mostMiB = times({ sampled: 400, full: 1_024 })
  expect(highest - (resident[0] ?? 0), `seed ${seed}`).toBeLessThan(mostMiB)
  const errors = worker.lines.filter((line) => line.includes('"error"'))
  expect(errors, `seed ${seed}`).toEqual([])
})
