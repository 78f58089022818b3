import { test } from 'vitest'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import type { LedgerRules } from '../../src/relay/ledger/draft.ts'

/** Holds a fresh ledger and its options, and controls its clock. */
export type LedgerHarness = { ledger: WholeLedger; rules: LedgerRules; pass: (ms: number) => void }

/** Returns a `test` that gives each test a fresh ledger. */
export const testOn = (create: () => Promise<LedgerHarness>) =>
  test
    .extend('harness', create)
    .extend('ledger', ({ harness }) => harness.ledger)
    .extend('rules', ({ harness }) => harness.rules)
    .extend('pass', ({ harness }) => harness.pass)
