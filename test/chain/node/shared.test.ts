import { beforeAll, test } from 'vitest'
import { exchange } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { inTime } from '../../support/in-time.ts'
import { anvil } from './support/nodes.ts'
import { type OpenWorker, openWorker } from './support/open.ts'

let on: OpenWorker

beforeAll(async () => {
  on = await openWorker(anvil, 'proxied')
  await ask('eth_gasPrice')
  return on.stop
})

async function ask(method: string, signal?: AbortSignal): Promise<unknown> {
  return (await exchange(on.worker.rpcUrl, method, [], signal)).answer
}

test('requests of different clients that are equal and in flight are one', async ({ expect }) => {
  on.proxy.delay(300)
  const before = on.proxy.seen('eth_gasPrice')
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask('eth_gasPrice')))
  on.proxy.delay(0)
  for (const answer of answers) expect(answer).toHaveProperty('result')
  expect(on.proxy.seen('eth_gasPrice') - before).toBe(1)
})

test('a client that hangs up leaves the others their answer', async ({ expect }) => {
  on.proxy.delay(500)
  await inTime(4_000, async () => {
    const before = on.proxy.seen('eth_gasPrice')
    const first = new AbortController()
    const leaving = ask('eth_gasPrice', first.signal).catch(() => 'left')
    await until(() => on.proxy.exchanges() > 0 && on.proxy.seen('eth_gasPrice') > before)
    const others = Array.from({ length: 10 }, () => ask('eth_gasPrice'))
    first.abort()
    expect(await leaving).toBe('left')
    for (const answer of await Promise.all(others)) expect(answer).toHaveProperty('result')
  })
  on.proxy.delay(0)
  expect(on.worker.lines).toEqual([])
})
