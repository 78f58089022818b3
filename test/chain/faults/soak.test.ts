import { expect, test } from 'vitest'
import { soak } from '../../../scripts/soak/run.ts'
import { seed, times } from '../../support/sample.ts'

const payments = times({ sampled: 75, full: 250 })

test(`${payments} payments on a bad line are made once or not at all, as the screens said`, async () => {
  const {
    payments: ended,
    verdict,
    stuck,
    gaps,
    replies,
    faults,
    reconciled,
  } = await soak({
    // On a busy machine fewer of the sessions come as far, and more are dialled.
    payments,
    // More at once than a busy machine serves end in time-outs, and are dialled again and again.
    concurrency: times({ sampled: 12, full: 32 }),
    // A short run on a line that is as bad as a long one's would meet few faults of each kind.
    rate: times({ sampled: 0.02, full: 0.01 }),
    seed,
  })
  expect(verdict.faults).toEqual([])
  expect(reconciled.differences).toEqual([])
  expect(reconciled.payments).toBeGreaterThanOrEqual(payments)
  expect(reconciled.spendings).toBe(ended)
  expect(ended).toBeGreaterThanOrEqual(payments)
  expect(verdict.executed).toBeGreaterThan(payments * 0.9)
  expect({ stuck, gaps }).toEqual({ stuck: undefined, gaps: 0 })
  expect(replies.broken ?? 0).toBe(0)
  // A line that nothing happened on would prove nothing.
  const early = ['drop_request', 'delay_request', 'status', 'html'] as const
  const late = ['drop_reply', 'delay_reply', 'truncated', 'lagging'] as const
  for (const kind of [...early, ...late]) expect(faults[kind] ?? 0, kind).toBeGreaterThan(3)
})
