import { availableParallelism } from 'node:os'
import { test } from 'vitest'
import { runCampaign } from '../../simulator/campaign.ts'

const SEEDS = 2000

test(`every promise is kept in ${SEEDS} simulated histories`, { timeout: 600_000 }, async ({
  expect,
}) => {
  const { broken, tally } = await runCampaign({
    from: 1,
    count: SEEDS,
    jobs: Math.min(2, availableParallelism()),
  })
  // `npm run simulate -- --seed S --seeds 1` tells the story of one of these.
  expect(broken).toEqual([])
  expect(tally.seeds).toBe(SEEDS)
  expect(tally.executed).toBeGreaterThan(SEEDS)
})
