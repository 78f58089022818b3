import { mkdirSync } from 'node:fs'
import { startDenoProcess } from '../../dev/deno/deno-process.ts'
import { startRedisBridge } from '../../dev/redis/bridge.ts'
import { hasRedisServer, startRedisServer } from '../../dev/redis/redis-server.ts'
import type { Processes } from '../processes.ts'
import { StackError, say } from '../report.ts'
import type { RunningWorker, Serving } from './worker.ts'

type Database = { url: string; token: string; stop: () => Promise<void> }

/** Serves by Deno on loopback, with the database of the environment or a Redis of its own. */
export async function runDeno({
  rows,
  port,
  variables,
  processes,
  onLine,
}: Serving & { rows: string }): Promise<RunningWorker> {
  const database = databaseOf(process.env) ?? (await startDatabase(rows, processes))
  try {
    const deno = await startDenoProcess({
      port,
      variables: {
        ...variables,
        UPSTASH_REDIS_REST_URL: database.url,
        UPSTASH_REDIS_REST_TOKEN: database.token,
      },
      onLine,
    })
    processes.add(deno.pid, 'deno', deno.url)
    return {
      url: deno.url,
      // It wakes its ledger by itself.
      wake: async () => {},
      isRunning: deno.isRunning,
      async stop() {
        await deno.stop()
        await database.stop()
      },
    }
  } catch (error) {
    await database.stop()
    throw error
  }
}

function databaseOf(env: NodeJS.ProcessEnv): Database | undefined {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env
  if (!url && !token) return undefined
  if (!url || !token) {
    throw new StackError('Set UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, or neither.')
  }
  return { url, token, stop: async () => {} }
}

async function startDatabase(folder: string, processes: Processes): Promise<Database> {
  if (!hasRedisServer()) {
    throw new StackError(
      'redis-server is missing. Install it (apt-get install redis-server), or name a database of Upstash by UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN.',
    )
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const redis = await startRedisServer({ folder, detached: true })
  processes.add(redis.pid, 'redis', `redis://127.0.0.1:${redis.port}`)
  const bridge = await startRedisBridge({ redisPort: redis.port })
  say(`Started a Redis of its own, reached by Upstash's protocol at ${bridge.url}`)
  return {
    url: bridge.url,
    token: bridge.token,
    async stop() {
      await bridge.stop()
      await redis.stop()
    },
  }
}
