import { expect, test } from 'vitest'
import { until } from '../../../../scripts/dev/wait.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { openWorld } from '../../ussd/world.ts'

test('a node that is too far behind to judge a payment is asked again after a second, not continuously', async () => {
  const pauses: number[] = []
  const usual = createHandClock()
  const clock = {
    ...usual,
    sleep(ms: number, signal?: AbortSignal) {
      pauses.push(ms)
      return usual.sleep(ms, signal)
    },
  }
  const { play, deliver, chain, showOnly } = openWorld({ clock })
  const before = chain.head()
  // The second sends on what the first sent: a node without the first refuses what the second has
  // done.
  await play(`
    s: 2*0700000001*0.015*1 -> END Transfer Submitted…
    settle
    s@1: 2*0700000000*0.03*1 -> END Transfer Submitted…
    settle`)
  const newest = chain.head()
  showOnly(before)
  pauses.length = 0
  const paid = deliver(1, 'later', '2*0700000000*0.001*1')
  await until(() => pauses.includes(1_000))
  showOnly(newest)
  expect(await paid).toMatch(/^END Transfer Submitted/)
  expect(pauses.filter((ms) => ms > 0 && ms < 1_000).length).toBeLessThanOrEqual(1)
})
