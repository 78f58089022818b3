import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { hashKey } from '../../../src/keys/api-keys.ts'
import worker from '../../../src/worker.ts'
import { newSession } from '../support/caller.ts'

const key = 'a-key-without-a-quota'

test("callers of the node service cannot spend what is kept back for the relay's payments", async () => {
  const narrow = {
    ...env,
    RPC_KEY_HASHES: await hashKey(key),
    UPSTREAM_CALLS_A_DAY: '40',
    UPSTREAM_RESERVE: '30',
  }
  const post = async (path: string, type: string, body: string) => {
    const request = new Request<unknown, IncomingRequestCfProperties>(`http://relay.test${path}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    return await worker.fetch(request, narrow as never, createExecutionContext())
  }
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] }
  const ask = () => post(`/rpc/${key}`, 'application/json', JSON.stringify(call))
  expect((await ask()).status).toBe(200)
  await until(async () => (await ask()).status === 429)
  const refused = await ask()
  expect(await refused.json()).toMatchObject({ error: { code: -32005 } })

  const form = { phoneNumber: '+254700000130', sessionId: newSession(), text: '3' }
  const paid = await post(
    '/ussd',
    'application/x-www-form-urlencoded',
    new URLSearchParams(form).toString(),
  )
  expect(await paid.text()).toMatch(/^END Loan Requested\nTx: 0x/)
  const request = new Request<unknown, IncomingRequestCfProperties>('http://relay.test/healthz')
  const health = await worker.fetch(request, narrow as never, createExecutionContext())
  const { upstreamCallsToday: asked } = (await health.json()) as {
    upstreamCallsToday: { relay: number; callers: number }
  }
  expect(asked.callers).toBeLessThanOrEqual(10)
  expect(asked.relay).toBeGreaterThan(3)
})
