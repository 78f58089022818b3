import { describe } from 'vitest'
import { hasRedisServer } from '../../scripts/dev/redis/redis-server.ts'

// The very tests of the Worker: SERVED_BY says who serves.
describe.skipIf(!hasRedisServer())('incidents on Deno with Redis', async () => {
  await import('../chain/operator/runtimes.test.ts')
})
