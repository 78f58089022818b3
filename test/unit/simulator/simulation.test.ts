import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { runCampaign } from '../../../scripts/dev/simulator/runs/campaign.ts'
import { isFull, seed, times } from '../../support/sample.ts'

const seeds = times({ sampled: 60, full: 2_000 })
/** A campaign of so many beginning with 1 has been run before; which of them are run is drawn. */
const from = 1 + (seed % 1_000_000)

test(`every promise is kept in ${seeds} simulated histories`, async () => {
  const { broken, seen } = await runCampaign({
    from,
    count: seeds,
    // What a second process has to load takes as long as half of a sample.
    jobs: isFull ? Math.min(2, availableParallelism()) : 1,
  })
  // `npm run simulate -- --seed S --seeds 1` tells the transcript of one of these.
  expect(broken).toEqual([])
  expect(seen.seeds).toBe(seeds)
  expect(seen.executed).toBeGreaterThan(seeds)
})
