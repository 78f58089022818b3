import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { startChain } from '../../scripts/dev/chain.ts'
import { type DenoProcess, startDenoProcess } from '../../scripts/dev/deno/deno-process.ts'
import { startLoopbackServer, textOf } from '../../scripts/dev/loopback-server.ts'
import { freePort } from '../../scripts/dev/ports.ts'
import { startRedisBridge } from '../../scripts/dev/redis/bridge.ts'
import { startRedisServer } from '../../scripts/dev/redis/redis-server.ts'
import { until } from '../../scripts/dev/wait.ts'
import { createRedisDueQueue } from '../../src/relay/ledger/stores/due-queue-redis.ts'
import { hashKey } from '../../src/runtime/bearer.ts'
import { openRedis } from '../../src/runtime/redis.ts'
import { inTime } from '../support/in-time.ts'
import { opened } from '../support/opened.ts'

describe('the relay on Deno', () => {
  const chain = opened(() => startChain())
  const redis = opened(() => startRedisServer({ mode: 'cluster' }))
  const bridge = opened(() => startRedisBridge({ redisPort: redis.port }))
  const variables = () => ({
    ...chain.bindings,
    UPSTASH_REDIS_REST_URL: bridge.url,
    UPSTASH_REDIS_REST_TOKEN: bridge.token,
  })

  afterEach(() => bridge.clear())

  async function start(
    over: Record<string, string> = {},
    how: 'serve' | 'deploy' | 'with_cron' = 'serve',
    onLine: (line: string) => void = () => {},
  ): Promise<DenoProcess> {
    const process = await startDenoProcess({ variables: { ...variables(), ...over }, how, onLine })
    onTestFinished(process.kill)
    return process
  }

  async function dial({ url }: DenoProcess, text: string, sessionId: string, path = '/ussd') {
    const body = new URLSearchParams({ phoneNumber: '+254700000001', sessionId, text })
    const response = await fetch(`${url}${path}`, { method: 'POST', body })
    return { status: response.status, text: await response.text() }
  }

  test('names every bad variable and shows no value', async () => {
    const served = await start({
      UPSTASH_REDIS_REST_URL: 'http://redis.example.com',
      UPSTASH_REDIS_REST_TOKEN: '',
      CHAIN_ID: '1234567',
    })
    const response = await fetch(`${served.url}/healthz`)
    const text = await response.text()
    expect(response.status).toBe(503)
    const { faults } = JSON.parse(text) as { faults: { variable: string; reason: string }[] }
    expect(faults.map(({ variable }) => variable).sort()).toEqual([
      'CHAIN_ID',
      'UPSTASH_REDIS_REST_TOKEN',
      'UPSTASH_REDIS_REST_URL',
    ])
    expect(text).not.toMatch(/redis\.example\.com|1234567/)
    expect((await dial(served, '', 'a')).status).toBe(503)
  })

  test('accepts deliveries only from listed addresses, whatever a header says', async () => {
    const named = await start({ GATEWAY_ADDRESSES: '127.0.0.1, ::1' })
    expect(await dial(named, '', 'named')).toMatchObject({ status: 200 })
    const other = await start({ GATEWAY_ADDRESSES: '192.0.2.7' })
    const headers = { 'cf-connecting-ip': '192.0.2.7', 'x-forwarded-for': '192.0.2.7' }
    const body = new URLSearchParams({ phoneNumber: '+254700000001', sessionId: 'other', text: '' })
    const refused = await fetch(`${other.url}/ussd`, { method: 'POST', headers, body })
    expect(refused.status).toBe(403)
    expect(await refused.text()).toBe('END Requests from this address are not served.')
  })

  test('is served by deno task beside the packages of development', async () => {
    const port = await freePort()
    const deno = fileURLToPath(new URL('../../node_modules/.bin/deno', import.meta.url))
    const task = spawn(deno, ['task', 'serve'], {
      ...{ cwd: fileURLToPath(new URL('../..', import.meta.url)), detached: true, stdio: 'ignore' },
      env: { ...process.env, ...variables(), PORT: `${port}` },
    })
    const ended = new Promise((resolve) => task.once('exit', resolve))
    onTestFinished(async () => {
      if (task.exitCode === null) process.kill(-(task.pid ?? 0), 'SIGKILL')
      await ended
    })
    const health = () => fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)
    await until(async () => task.exitCode !== null || (await health())?.ok === true)
    expect((await health())?.status).toBe(200)
  })

  test('secrets in headers are in no trace; one in an address is in it', async () => {
    let traces = ''
    const collector = await startLoopbackServer(async (request, response) => {
      traces += await textOf(request)
      response.end('{}')
    })
    onTestFinished(() => collector.close())
    const [secret, key] = ['a-callback-secret-of-traces', 'rpc_a-key-of-traces']
    const served = await start({
      ...{ ENVIRONMENT: 'production', CALLBACK_SECRET: secret, RPC_KEY_HASHES: await hashKey(key) },
      ...{ OTEL_DENO: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    })
    const ask = (path: string, token: string, type: string, body: string) =>
      fetch(`${served.url}${path}`, {
        ...{ method: 'POST', body },
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
      })
    const form = 'application/x-www-form-urlencoded'
    const body = 'phoneNumber=%2B254700000001&sessionId=traced&text=1'
    const question = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
    expect((await ask('/ussd', secret, form, body)).status).toBe(200)
    expect((await ask('/rpc', key, 'application/json', question)).status).toBe(200)
    const held = [
      secret,
      key,
      bridge.token,
      '254700000001',
      chain.bindings.ACCOUNT_KEY_SECRET ?? '-',
    ]
    // Everything is exported by the time that the process has ended.
    await dial(served, '', 'b', `/not-${secret.slice(0, 8)}/ussd`)
    await served.stop()
    for (const path of ['/ussd', '/rpc', '/not-a-callba/ussd']) {
      expect(traces).toContain(`"${served.url}${path}"`)
    }
    expect(held.filter((text) => traces.includes(text))).toEqual([])
  })

  test('starts as Deno Deploy starts it: no flags, the address from outside', async () => {
    const served = await start({}, 'deploy')
    expect(await dial(served, '', 'a')).toMatchObject({ status: 200 })
  })

  test('runs a round on each Deno.cron call, if the platform has Deno.cron', async () => {
    // A database that has no script yet is asked twice: once by its digest, once with its text.
    const warm = { database: openRedis(bridge), name: 'warm', newToken: () => 'warm' }
    await createRedisDueQueue(warm).arm(0)
    const wakes = bridge.script({ fault: { kind: 'delay_reply', ms: 0 }, argument: 'arm' })
    const rounds = bridge.script({ fault: { kind: 'delay_reply', ms: 0 }, argument: 'readWork' })
    const lines: string[] = []
    const served = await start({}, 'with_cron', (line) => lines.push(line))
    expect(lines.join()).toContain('tend * * * * *')
    // The process itself wakes it once when it starts, and then once a minute.
    await expect.poll(() => wakes.hits()).toBe(1)
    await expect.poll(() => rounds.hits()).toBeGreaterThan(0)
    const before = rounds.hits()
    served.signal('SIGUSR2')
    await expect.poll(() => wakes.hits()).toBe(2)
    await expect.poll(() => rounds.hits()).toBeGreaterThan(before)
  })

  test('goes on where the platform refuses Deno.cron, and raises an alert', async () => {
    const token = 'the-token-of-the-operator'
    const served = await start({ REFUSE_CRON: '1', OPERATOR_TOKEN: token }, 'with_cron')
    const headers = { authorization: `Bearer ${token}` }
    const names = async () => {
      const response = await fetch(`${served.url}/operator/alerts`, { headers })
      return ((await response.json()) as { alerts: { name: string }[] }).alerts.map(
        ({ name }) => name,
      )
    }
    await expect.poll(names).toContain('cron_refused')
    expect((await dial(served, '', 'without a cron')).text).toMatch(/^CON /)
  })

  test('answers in time when the database is gone, and truly', async () => {
    const served = await start()
    const failing = async () => {
      const response = await fetch(`${served.url}/readyz`)
      return ((await response.json()) as { failing: string[] }).failing
    }
    await expect.poll(failing).toEqual([])
    bridge.script({ fault: { kind: 'delay_reply', ms: 60_000 } })
    const replies = await inTime(8_000, () =>
      Promise.all([dial(served, '1', 'gone 1'), dial(served, '3', 'gone 2')]),
    )
    for (const { text } of replies) expect(text).toMatch(/^END Service not available/)
    await expect.poll(failing).toEqual(['ledger'])
    bridge.clear()
    let sessions = 3
    const balance = async () => (await dial(served, '1', `gone ${sessions++}`)).text
    await expect.poll(balance).toMatch(/^END Your Balance: /)
    await expect.poll(failing).toEqual([])
  })

  test('no log holds the address or the token of the database', async () => {
    const host = `127.0.0.1:${await freePort()}`
    const away = {
      UPSTASH_REDIS_REST_URL: `http://${host}`,
      UPSTASH_REDIS_REST_TOKEN: 'the-planted-token',
    }
    const lines: string[] = []
    const served = await start(away, 'serve', (line) => lines.push(line))
    expect((await dial(served, '1', 'away')).text).toMatch(/^END Service not available/)
    expect(lines.join()).toContain('failed')
    for (const line of lines) {
      expect(line).not.toContain(host)
      expect(line).not.toContain('planted')
    }
  })

  test.for(['SIGTERM', 'SIGINT'] as const)('ends a running delivery first (%s)', async (signal) => {
    const served = await start()
    await dial(served, '1', `warm ${signal}`)
    const claims = bridge.script({
      fault: { kind: 'delay_reply', ms: 500 },
      argument: 'lookup',
      times: 1,
    })
    const reply = dial(served, '2*0700000002*0.1', `last ${signal}`)
    await expect.poll(() => claims.hits()).toBe(1)
    const exitCode = served.endBy(signal)
    expect(await reply).toMatchObject({ status: 200 })
    expect(await exitCode).toBe(0)
  })
})
