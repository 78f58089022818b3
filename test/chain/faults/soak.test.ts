import { test } from 'vitest'
import { soak } from '../../../scripts/soak/run.ts'

test('500 sessions on a bad line are paid once each, or not at all, as they were told', {
  timeout: 150_000,
}, async ({ expect }) => {
  const { verdict, stuck, gaps, replies, faults } = await soak({
    sessions: 500,
    concurrency: 32,
    seed: 500,
  })
  expect(verdict.faults).toEqual([])
  expect(verdict.executed).toBeGreaterThan(250)
  expect({ stuck, gaps }).toEqual({ stuck: undefined, gaps: 0 })
  expect(replies.broken ?? 0).toBe(0)
  // A line that nothing happened on would prove nothing.
  for (const kind of ['drop_request', 'drop_reply', 'truncated', 'lagging', 'status']) {
    expect(faults[kind] ?? 0).toBeGreaterThan(3)
  }
})
