import type { Address } from 'viem'
import { test } from 'vitest'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import type { LedgerRules } from '../../src/relay/ledger/draft.ts'

/** Holds a fresh ledger and its options, and controls its clock. */
export type LedgerHarness = {
  ledger: WholeLedger
  rules: LedgerRules
  /** Names the key that the ledger is of, if not the usual one. */
  relayer?: Address
  pass: (ms: number) => void
}

/** Returns a `test` that gives each test a fresh ledger. */
export const testOn = (create: () => Promise<LedgerHarness>) =>
  test
    .extend('harness', create)
    .extend('ledger', ({ harness }) => harness.ledger)
    .extend('rules', ({ harness }) => harness.rules)
    .extend('relayer', ({ harness }) => harness.relayer)
    .extend('pass', ({ harness }) => harness.pass)
