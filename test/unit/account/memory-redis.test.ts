import { afterAll, beforeAll, describe } from 'vitest'
import { type RedisBridge, startRedisBridge } from '../../../scripts/dev/redis/bridge.ts'
import {
  hasRedisServer,
  type RedisServer,
  startRedisServer,
} from '../../../scripts/dev/redis/redis-server.ts'
import { createRedisMemory } from '../../../src/account/memory-redis.ts'
import { openRedis } from '../../../src/runtime/redis.ts'
import { memorySuite } from '../../ports/memory.suite.ts'

describe.skipIf(!hasRedisServer())('on a real Redis with the keys of a cluster', () => {
  let server: RedisServer
  let bridge: RedisBridge

  beforeAll(async () => {
    server = await startRedisServer({ mode: 'cluster' })
    bridge = await startRedisBridge({ redisPort: server.port, now: Date.now })
  })

  afterAll(async () => {
    await bridge?.stop()
    await server?.stop()
  })

  memorySuite('Redis', () => createRedisMemory(openRedis(bridge)))
})
