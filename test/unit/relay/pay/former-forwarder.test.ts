import { expect, test } from 'vitest'
import { createHandClock } from '../../../support/hand-clock.ts'
import { openModelledRelay } from '../../../support/modelled-relay.ts'

test('a process that was once told that a ledger is its own pays nothing by it after the forwarder has changed', async () => {
  const clock = createHandClock()
  const relay = openModelledRelay({ callers: 2, poolLoans: 9, capLoans: 9, clock })
  const { deliver, ledger, paid } = relay
  expect(await deliver(0, 'before', '1')).toMatch(/^END Your Balance/)
  const moved = { chainId: 31, fingerprints: { FORWARDER_ADDRESS: 'the next one' } }
  expect(await ledger.identify(moved)).toEqual({ kind: 'same' })
  const paused = 'END Payments are paused. Nothing was sent. Please try again later.'
  expect(await deliver(0, 'after', '2*0700000001*0.005')).toBe(paused)
  expect(await deliver(0, 'after', '2*0700000001*0.005')).toBe(paused)
  expect(await paid(0)).toBe(0)
  // It is asked again after a minute: nothing is open, so the ledger may be its own once more.
  clock.forward(61_000)
  expect(await deliver(0, 'later', '2*0700000001*0.005')).toMatch(/^END Transfer Submitted/)
})
