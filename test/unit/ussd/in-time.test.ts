import { test } from 'vitest'
import { ledgerRules } from '../../../src/relay/ledger/port.ts'
import { ledgerThrough } from '../../../src/relay/ledger/steps.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { english } from '../../../src/ussd/messages/en.ts'
import { createMemoryLedger } from '../../ports/ledger-memory.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { openModelledService } from '../../support/modelled-service.ts'

test('a caller is answered within 8 s though the ledger does not say what a session has shown', async ({
  expect,
}) => {
  const rules = { ...ledgerRules, maxInFlight: 4, watchBlocks: 50, meansMs: 100_000 }
  const { ledger } = createMemoryLedger({ rules, relayer: `0x${'11'.repeat(20)}`, now: Date.now })
  const silent = ledgerThrough(async (method, args) =>
    method === 'shown'
      ? new Promise<never>(() => {})
      : (ledger[method] as (...args: unknown[]) => Promise<unknown>)(...args),
  )
  const slept: number[] = []
  const service = openModelledService({
    ledger: silent,
    callers: 1,
    poolLoans: 1,
    capLoans: 1,
    clock: {
      ...systemClock,
      // Whatever is waited for longer than this is over at once.
      async sleep(ms, signal) {
        slept.push(ms)
        if (ms < 5_000) await systemClock.sleep(ms, signal)
      },
    },
    product: {
      settings: {
        profile: 'lender',
        confirms: true,
        pin: 'on',
        helpNumber: undefined,
        languages: ['en'],
      },
      say: english,
      leastTransferWei: 0n,
      background: () => {},
      memory: createMemoryStore(),
    },
  })
  expect(await service.deliver(0, 'a session', '')).toBe(`END ${english.unavailable}`)
  expect(Math.max(...slept)).toBeLessThan(8_000)
})
