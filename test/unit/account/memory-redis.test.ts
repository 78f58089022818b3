import { createRedisMemory } from '../../../src/account/memory-redis.ts'
import { memorySuite } from '../../ports/memory.suite.ts'
import { describeOnRedis } from '../../support/redis/on-redis.ts'

describeOnRedis(Date.now, ({ database }) => {
  memorySuite('Redis', () => createRedisMemory(database()))
})
