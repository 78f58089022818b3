import { expect, test } from 'vitest'
import { until } from '../../../../scripts/dev/wait.ts'
import { systemClock } from '../../../../src/runtime/clock.ts'
import { openModelledRelay } from '../../../support/modelled-relay.ts'

test('a node that is too far behind to judge a payment is asked again a second later, and not all the time', async () => {
  const pauses: number[] = []
  const clock = {
    ...systemClock,
    sleep(ms: number, signal?: AbortSignal) {
      pauses.push(ms)
      return systemClock.sleep(ms, signal)
    },
  }
  const relay = openModelledRelay({ callers: 2, poolLoans: 9, capLoans: 9, clock })
  const { deliver, settle, chain, showOnly } = relay
  const before = chain.head()
  // The second sends on what the first sent: a node without the first refuses what the second has done.
  for (const [caller, text] of [
    [0, '2*0700000001*0.015'],
    [1, '2*0700000000*0.03'],
  ] as const) {
    expect(await deliver(caller, 's', text)).toMatch(/^END Transfer Submitted/)
    await settle()
  }
  const newest = chain.head()
  showOnly(before)
  const earlier = pauses.length
  const paid = deliver(1, 'later', '2*0700000000*0.001')
  await until(() => pauses.slice(earlier).includes(1_000))
  showOnly(newest)
  expect(await paid).toMatch(/^END Transfer Submitted/)
  expect(pauses.slice(earlier).filter((ms) => ms < 1_000).length).toBeLessThanOrEqual(1)
})
