import { test } from 'vitest'
import { ledgerRules } from '../../../../src/relay/ledger/port.ts'
import { createMemoryLedger } from '../../../ports/ledger-memory.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { openModelledService } from '../../../support/modelled-service.ts'

test('a process that was once told that a ledger is its own pays nothing by it after the forwarder has changed', async ({
  expect,
}) => {
  const { ledger } = createMemoryLedger({
    rules: { ...ledgerRules, maxInFlight: 4, watchBlocks: 50, meansMs: 100_000 },
    relayer: `0x${'11'.repeat(20)}`,
    now: Date.now,
  })
  const clock = createHandClock()
  const { deliver, accountOf } = openModelledService({
    ...{ ledger, clock, callers: 2, poolLoans: 9, capLoans: 9 },
  })
  expect(await deliver(0, 'before', '1')).toMatch(/^END Your Balance/)
  const moved = { chainId: 31, fingerprints: { FORWARDER_ADDRESS: 'the next one' } }
  expect(await ledger.identify(moved)).toEqual({ kind: 'same' })
  const paused = 'END Payments are paused. Nothing was sent. Please try again later.'
  expect(await deliver(0, 'after', '2*0700000001*0.005')).toBe(paused)
  expect(await deliver(0, 'after', '2*0700000001*0.005')).toBe(paused)
  expect(await ledger.payments(accountOf(0), 9)).toEqual([])
  // It is asked again after a minute: nothing is open, so the ledger may be its own once more.
  clock.forward(61_000)
  expect(await deliver(0, 'later', '2*0700000001*0.005')).toMatch(/^END Transfer Submitted/)
})
