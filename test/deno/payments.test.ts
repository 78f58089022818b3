import { describe } from 'vitest'
import { createRandom } from '../../scripts/dev/random.ts'
import { hasRedisServer } from '../../scripts/dev/redis/redis-server.ts'
import { type DenoRelays, startDenoRelays } from '../../scripts/dev/relays/deno-relays.ts'
import { sleep } from '../../scripts/dev/wait.ts'
import { paymentsUnderFaults } from '../support/faults/payments.suite.ts'
import { seed } from '../support/sample.ts'

describe.skipIf(!hasRedisServer())(`two Deno processes with one Redis (SEED=${seed})`, () => {
  const random = createRandom(seed)
  let relays: DenoRelays | undefined

  paymentsUnderFaults(
    {
      seed,
      workers: 2,
      relays: async (options) => {
        relays = await startDenoRelays(options)
        return relays
      },
    },
    {
      // One of the processes dies somewhere between the first question and the reply.
      async begin() {
        const victim = random.pick([0, 1])
        await sleep(random.int(0, 79))
        await relays?.kill(victim)
        return async () => relays?.revive(victim)
      },
    },
  )
})
