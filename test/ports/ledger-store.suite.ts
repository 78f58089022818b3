import { assuredSuite } from './assured.suite.ts'
import { earlierSuite } from './earlier.suite.ts'
import { recallsSuite } from './ledger/recalls.suite.ts'
import { ledgerSuite } from './ledger.suite.ts'
import type { LedgerHarness } from './on-ledger.ts'
import { operationsSuite } from './operations.suite.ts'
import { sessionEndsSuite } from './session-ends.suite.ts'
import { sharedLimitsSuite } from './shared-limits.suite.ts'
import { shownSuite } from './shown.suite.ts'
import { smsSuite } from './sms.suite.ts'
import { vitalsSuite } from './vitals.suite.ts'

/** Lists what each store of the ledger must pass; each test has an empty ledger. */
export function ledgerSuites(name: string, create: () => Promise<LedgerHarness>): void {
  ledgerSuite(name, create)
  besideLedgerSuites(name, create)
}

/** Lists suites of what a store holds besides payments. */
export function besideLedgerSuites(name: string, create: () => Promise<LedgerHarness>): void {
  sessionEndsSuite(name, create)
  sharedLimitsSuite(name, create)
  assuredSuite(name, create)
  recallsSuite(name, create)
  shownSuite(name, create)
  earlierSuite(name, create)
  vitalsSuite(name, create)
  smsSuite(name, create)
  operationsSuite(name, create)
}
