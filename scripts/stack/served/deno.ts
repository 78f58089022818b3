import { mkdirSync } from 'node:fs'
import { provide } from '../../debian.ts'
import { startDenoProcess } from '../../dev/deno/deno-process.ts'
import { startRedisBridge } from '../../dev/redis/bridge.ts'
import { startRedisServer } from '../../dev/redis/redis-server.ts'
import type { Processes } from '../processes.ts'
import { StackError, say } from '../report.ts'
import type { Serving } from './worker.ts'

/** Serves by Deno on loopback, with the database of the environment or a Redis of its own. */
export async function runDeno({ port, variables, processes, onLine }: Serving, rows: string) {
  const { url, token, close } = await openDatabase(rows, processes)
  const own = { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token }
  try {
    const served = { port, variables: { ...variables, ...own }, onLine }
    const deno = await startDenoProcess({ ...served, isDevelopment: true })
    processes.add(deno.pid, 'deno', deno.url)
    return {
      url: deno.url,
      // It wakes its ledger by itself.
      wake: async () => {},
      isRunning: deno.isRunning,
      async stop() {
        await deno.stop()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function openDatabase(folder: string, processes: Processes) {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = process.env
  if (url && token) return { url, token, close: async () => {} }
  if (url || token) {
    throw new StackError('Set UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, or neither.')
  }
  if (!provide('redis-server')) {
    throw new StackError(
      'redis-server is missing. Install it (apt-get install redis-server), or name a database of Upstash by UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN.',
    )
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const redis = await startRedisServer({ folder, detached: true })
  processes.add(redis.pid, 'redis', `redis://127.0.0.1:${redis.port}`)
  const bridge = await startRedisBridge({ redisPort: redis.port })
  say(`Started a Redis of its own, reached by Upstash's protocol at ${bridge.url}`)
  const close = async () => {
    await bridge.stop()
    await redis.stop()
  }
  return { url: bridge.url, token: bridge.token, close }
}
