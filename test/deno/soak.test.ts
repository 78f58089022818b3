import { describe, test } from 'vitest'
import { hasRedisServer } from '../../scripts/dev/redis/redis-server.ts'
import { createKilledDenos } from '../../scripts/soak/deno.ts'
import { soak } from '../../scripts/soak/run.ts'
import { createRandom } from '../support/faults/random.ts'

const seed = Number(process.env.SEED ?? 20_261_121)

describe.skipIf(!hasRedisServer())(
  `two Deno processes, one killed at random (SEED=${seed})`,
  () => {
    test('pay 100 payments once each, and say nothing untrue', { timeout: 150_000 }, async ({
      expect,
    }) => {
      const { verdict, stuck, gaps, replies, faults } = await soak({
        sessions: { untilSubmitted: 100 },
        concurrency: 8,
        // However fast a machine is: there has to be time to be killed in.
        perSecond: 15,
        seed,
        served: createKilledDenos({ random: createRandom(seed + 3), killEveryMs: 800 }),
      })
      expect(verdict.faults).toEqual([])
      expect(verdict.executed).toBeGreaterThanOrEqual(100)
      expect({ stuck, gaps }).toEqual({ stuck: undefined, gaps: 0 })
      expect(replies.broken ?? 0).toBe(0)
      expect(faults.killed).toBeGreaterThan(2)
    })
  },
)
