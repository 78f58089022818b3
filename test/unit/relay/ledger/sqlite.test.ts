import { openSqlite } from '../../../../scripts/dev/sqlite.ts'
import { ledgerRules } from '../../../../src/relay/ledger/port.ts'
import { createSqlLedger } from '../../../../src/relay/ledger/sqlite.ts'
import { ledgerThrough } from '../../../../src/relay/ledger/steps.ts'
import { ledgerSuite } from '../../../ports/ledger.suite.ts'

const rules = { ...ledgerRules, maxInFlight: 4, watchBlocks: 50 }
const relayer = '0x9999999999999999999999999999999999999999'

ledgerSuite('node:sqlite', async () => {
  let now = 1_700_000_000_000
  const ledger = createSqlLedger(openSqlite(), { rules, relayer, now: () => now })
  return {
    ledger: ledgerThrough(async (method, args) =>
      (ledger[method] as (...args: unknown[]) => unknown)(...args),
    ),
    rules,
    pass: (ms) => {
      now += ms
    },
  }
})
