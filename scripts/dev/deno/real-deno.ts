import { startRedisBridge } from '../redis/bridge.ts'
import { startRedisServer } from '../redis/redis-server.ts'
import { startDenoProcess } from './deno-process.ts'

/** Starts the entry point on Deno with a Redis of its own, and tells every line that it writes. */
export async function startRealDeno(
  variables: Record<string, string>,
  onLine: (line: string) => void,
) {
  const redis = await startRedisServer({ mode: 'cluster' })
  const bridge = await startRedisBridge({ redisPort: redis.port })
  const deno = await startDenoProcess({
    variables: {
      ...variables,
      UPSTASH_REDIS_REST_URL: bridge.url,
      UPSTASH_REDIS_REST_TOKEN: bridge.token,
    },
    onLine,
  })
  return {
    origin: deno.url,
    pid: deno.pid,
    commands: bridge.commands,
    async stop() {
      await deno.kill()
      await bridge.stop()
      await redis.stop()
    },
  }
}
