import { describe, expect, test } from 'vitest'
import { createRandom } from '../../scripts/dev/random.ts'
import { createKilledDenos } from '../../scripts/soak/deno.ts'
import { soak } from '../../scripts/soak/run.ts'
import { seed, times } from '../support/sample.ts'

const payments = times({ sampled: 30, full: 100 })

describe(`two Deno processes, one often killed (SEED=${seed})`, () => {
  test(`make each of ${payments} payments once, and show no false screen`, async () => {
    const { verdict, stuck, gaps, replies, faults } = await soak({
      payments,
      concurrency: 8,
      // However fast a machine is: there has to be time to be killed in.
      perSecond: times({ sampled: 5, full: 15 }),
      seed,
      // Beside the currency of the soak on workerd.
      isOverToken: true,
      served: createKilledDenos(createRandom(seed, 'processes'), 800),
    })
    expect(verdict.faults).toEqual([])
    expect(verdict.executed).toBeGreaterThanOrEqual(payments)
    expect({ stuck, gaps }).toEqual({ stuck: undefined, gaps: 0 })
    expect(replies.broken ?? 0).toBe(0)
    expect(faults.killed).toBeGreaterThan(2)
  })
})
