import { describe } from 'vitest'
import { hasRedisServer } from '../../../scripts/dev/redis/redis-server.ts'

// The very tests of the Worker: SERVED_BY says who serves.
describe.skipIf(!hasRedisServer())('the node service on Deno', async () => {
  await import('../../chain/node/hostile-load.test.ts')
})
