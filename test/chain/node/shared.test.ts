import { afterAll, beforeAll, test } from 'vitest'
import { type Anvil, startAnvil } from '../../../scripts/dev/anvil.ts'
import { exchange } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { inTime } from '../../support/in-time.ts'
import { type ProxyNode, startProxyNode } from './support/proxy-node.ts'
import { type RealWorker, startRealWorker } from './support/real-worker.ts'

let anvil: Anvil
let node: ProxyNode
let worker: RealWorker

beforeAll(async () => {
  anvil = await startAnvil()
  node = await startProxyNode(anvil.url)
  worker = await startRealWorker([node.url])
  await ask('eth_gasPrice')
})

afterAll(async () => {
  await worker.stop()
  await node.stop()
  await anvil.stop()
})

async function ask(method: string, signal?: AbortSignal): Promise<unknown> {
  return (await exchange(worker.rpcUrl, method, [], signal)).answer
}

test('requests of different clients that are equal and in flight are one', async ({ expect }) => {
  node.delay(300)
  const before = node.seen('eth_gasPrice')
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask('eth_gasPrice')))
  node.delay(0)
  for (const answer of answers) expect(answer).toHaveProperty('result')
  expect(node.seen('eth_gasPrice') - before).toBe(1)
})

test('a client that hangs up leaves the others their answer', async ({ expect }) => {
  node.delay(500)
  await inTime(4_000, async () => {
    const before = node.seen('eth_gasPrice')
    const first = new AbortController()
    const leaving = ask('eth_gasPrice', first.signal).catch(() => 'left')
    await until(() => node.exchanges() > 0 && node.seen('eth_gasPrice') > before)
    const others = Array.from({ length: 10 }, () => ask('eth_gasPrice'))
    first.abort()
    expect(await leaving).toBe('left')
    for (const answer of await Promise.all(others)) expect(answer).toHaveProperty('result')
  })
  node.delay(0)
  expect(worker.lines).toEqual([])
})
