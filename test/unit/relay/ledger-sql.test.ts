import { openSqlite } from '../../../scripts/dev/sqlite.ts'
import { ledgerRules } from '../../../src/relay/ledger.ts'
import { callLedger, createSqlLedger, ledgerThrough } from '../../../src/relay/ledger-sql.ts'
import { ledgerSuite } from '../../ports/ledger.suite.ts'

const rules = { ...ledgerRules, maxInFlight: 4, watchBlocks: 50 }

ledgerSuite('node:sqlite', async () => {
  let now = 1_700_000_000_000
  const ledger = createSqlLedger(openSqlite(), rules, () => now)
  return {
    ledger: ledgerThrough(async (method, args) => callLedger(ledger, method, args)),
    rules,
    pass: (ms) => {
      now += ms
    },
  }
})
