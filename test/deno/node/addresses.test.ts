import { describe } from 'vitest'
import { hasRedisServer } from '../../../scripts/dev/redis/redis-server.ts'

// The very test of the Worker: SERVED_BY says who serves.
describe.skipIf(!hasRedisServer())('logs on Deno', async () => {
  await import('../../chain/node/addresses.test.ts')
})
