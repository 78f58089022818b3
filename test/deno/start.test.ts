import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startRedisBridge } from '../../scripts/dev/redis/bridge.ts'
import { connectRedis } from '../../scripts/dev/redis/connection.ts'
import { startRedisServer } from '../../scripts/dev/redis/redis-server.ts'
import { isRunning } from '../../scripts/stack/processes.ts'
import { createDevFolder, dial, type Start, startStack } from '../chain/stack/stack-process.ts'

const phoneNumber = '+254700000001'

const pay = (stack: Start) =>
  dial(stack.stack().relayUrl, { phoneNumber, sessionId: 'paid', text: '2*0700000002*0.25' })

/** Payments that the ledger knows in a Redis, or in the one that a start of this folder runs. */
async function payments(of: { port: number } | { folder: string }): Promise<unknown> {
  const client = connectRedis('port' in of ? of.port : portOfRedis(of.folder))
  try {
    return await client.call('EVAL', "return #redis.call('KEYS', 'ledger:*:row:payments:*')", 0)
  } finally {
    client.close()
  }
}

function portOfRedis(folder: string): number {
  const { children } = JSON.parse(readFileSync(join(folder, 'pids.json'), 'utf8'))
  // The first ones are those that a killed start left.
  const { url } = children.findLast(({ name }: { name: string }) => name === 'redis')
  return Number(new URL(url).port)
}

describe('npm start -- --deno', () => {
  test('serves by Deno, and continues where it was stopped or killed', async () => {
    const folder = createDevFolder()
    const startDeno = async () => {
      const stack = await startStack(folder, { args: ['--deno'] })
      expect(stack.output()).toContain('Ctrl-C ends everything')
      return stack
    }
    const first = await startDeno()
    const started = first.pids()
    expect(started.map(({ name }) => name).sort()).toEqual(['anvil', 'deno', 'main', 'redis'])
    const { relayUrl } = first.stack()
    expect((await fetch(relayUrl)).url).toBe(`${relayUrl}/phone`)
    const screen = await pay(first)
    expect(screen).toMatch(/^END Transfer Submitted\n/)
    expect((await first.interrupt()).code).toBe(0)
    expect(started.filter(({ id }) => isRunning(id))).toEqual([])

    const second = await startDeno()
    expect(await payments({ folder })).toBe(1)
    expect(await pay(second)).toBe(screen)
    const asked = { phoneNumber, sessionId: 'balance', text: '1' }
    expect(await dial(second.stack().relayUrl, asked)).toBe('END Your Balance: 0.75 tRBTC')
    await second.kill('main')

    const third = await startDeno()
    expect(third.output()).toContain('Ending the Redis that a killed start left running')
    expect(await payments({ folder })).toBe(1)
    expect(await pay(third)).toBe(screen)
    expect((await third.interrupt()).code).toBe(0)
  })

  test('uses the database that the environment names', async ({ onTestFinished }) => {
    const redis = await startRedisServer()
    const bridge = await startRedisBridge({ redisPort: redis.port })
    onTestFinished(async () => {
      await bridge.stop()
      await redis.stop()
    })
    const env = { UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: bridge.token }
    const stack = await startStack(createDevFolder(), { args: ['--deno'], env })
    expect(stack.pids().map(({ name }) => name)).not.toContain('redis')
    await pay(stack)
    expect(await payments({ port: redis.port })).toBe(1)
    expect((await stack.interrupt()).code).toBe(0)
  })
})
