import { describe } from 'vitest'
import { hasRedisServer } from '../../../scripts/dev/redis/redis-server.ts'

// The very tests of the Worker: SERVED_BY says who serves.
describe.skipIf(!hasRedisServer())('relays on Deno with one Redis', async () => {
  await import('../../chain/faults/peers.test.ts')
})
