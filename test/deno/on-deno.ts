import { describe } from 'vitest'
import { hasRedisServer } from '../../scripts/dev/redis/redis-server.ts'

/** Runs the very tests of the Worker on Deno: `SERVED_BY` says who serves. */
export const onDeno = (what: string, load: () => Promise<unknown>) =>
  describe.skipIf(!hasRedisServer())(`${what} on Deno with Redis`, async () => {
    await load()
  })
