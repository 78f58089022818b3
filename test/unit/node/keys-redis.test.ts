import { afterAll, beforeAll, describe } from 'vitest'
import { createRedisKeys } from '../../../src/node/keys-redis.ts'
import { openRedis } from '../../../src/redis.ts'
import { keyStoreSuite } from '../../ports/key-store.suite.ts'
import { type RedisBridge, startRedisBridge } from '../../support/redis/bridge.ts'
import {
  hasRedisServer,
  type RedisServer,
  startRedisServer,
} from '../../support/redis/redis-server.ts'

describe.skipIf(!hasRedisServer())('on a real Redis with the keys of a cluster', () => {
  let server: RedisServer
  let bridge: RedisBridge
  let now = 1_700_000_000_000

  beforeAll(async () => {
    server = await startRedisServer({ mode: 'cluster' })
    bridge = await startRedisBridge({ redisPort: server.port, now: () => now })
  })

  afterAll(async () => {
    await bridge?.stop()
    await server?.stop()
  })

  keyStoreSuite('Redis', async () => {
    await server.empty()
    return {
      store: createRedisKeys(openRedis(bridge)),
      now: () => now,
      pass: (ms) => {
        now += ms
      },
    }
  })
})
