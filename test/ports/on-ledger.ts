import { test } from 'vitest'
import type { Ledger, LedgerRules } from '../../src/relay/ledger/port.ts'

/** A ledger of its own, what it was made with, and a hand on its clock. */
export type LedgerHarness = { ledger: Ledger; rules: LedgerRules; pass: (ms: number) => void }

/** Returns a `test` that hands each test a ledger of its own. */
export const testOn = (create: () => Promise<LedgerHarness>) =>
  test
    .extend('harness', create)
    .extend('ledger', ({ harness }) => harness.ledger)
    .extend('rules', ({ harness }) => harness.rules)
    .extend('pass', ({ harness }) => harness.pass)
