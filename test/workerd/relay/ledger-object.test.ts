import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, vi } from 'vitest'
import { poolRules } from '../../../src/chain/chains.ts'
import { createObjectLedger, type LedgerStub } from '../../../src/relay/ledger/object.ts'
import { ledgerRules } from '../../../src/relay/ledger/port.ts'
import { ledgerSuite } from '../../ports/ledger.suite.ts'

const { maxInFlight, watchBlocks } = poolRules.anvil
const YEAR_MS = 365 * 24 * 60 * 60 * 1000
let objects = 0

beforeEach(() => {
  // Alarms are set by this clock and rung by the real one: none rings between a test's steps.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + YEAR_MS })
})
afterEach(() => {
  vi.useRealTimers()
})

ledgerSuite('a Durable Object', async () => {
  objects += 1
  const stub = env.LEDGER.getByName(`suite ${objects}`) as unknown as LedgerStub
  return {
    ledger: createObjectLedger(() => stub),
    rules: { ...ledgerRules, maxInFlight, watchBlocks },
    pass: (ms) => vi.setSystemTime(Date.now() + ms),
  }
})
