import { test } from 'vitest'
import { soak } from '../../../scripts/soak/run.ts'
import { seed, times } from '../../support/sample.ts'

const sessions = times({ sampled: 150, full: 500 })

test(`${sessions} sessions on a bad line are paid once each, or not at all, as they were told`, async ({
  expect,
}) => {
  const { verdict, stuck, gaps, replies, faults } = await soak({
    sessions,
    concurrency: 32,
    // A short run on a line that is as bad as a long one's would meet few faults of each kind.
    rate: times({ sampled: 0.02, full: 0.01 }),
    seed,
  })
  expect(verdict.faults).toEqual([])
  expect(verdict.executed).toBeGreaterThan(sessions / 2)
  expect({ stuck, gaps }).toEqual({ stuck: undefined, gaps: 0 })
  expect(replies.broken ?? 0).toBe(0)
  // A line that nothing happened on would prove nothing.
  for (const kind of ['drop_request', 'drop_reply', 'truncated', 'lagging', 'status']) {
    expect(faults[kind] ?? 0).toBeGreaterThan(3)
  }
})
