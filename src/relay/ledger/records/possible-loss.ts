import { maxDeadlineSeconds } from '../../relayer.ts'
import type { Draft, StepContext } from '../draft.ts'
import { findNextNonce, readRelayerTotals } from '../payments/relayer-totals.ts'
import type { NextNonces } from '../port.ts'
import { readMeta, saveMeta } from './meta.ts'

/** Holds a relayer's next nonce on the chain, and when rows may have been lost (in ms). */
type Comparison = { relayer: string; nextNonce: number; lostAt?: number | undefined }

const rowName = 'compared'

const readComparison = (rows: Draft) => readMeta<Comparison>(rows, rowName)

/** Returns when rows may have been lost, until nothing that they held can execute any more. */
export const readPossibleLossAt = (rows: Draft): number | undefined => readComparison(rows)?.lostAt

/**
 * Tells whether lost rows may make a refusal's screen untrue: without a reason none says that
 * nothing was sent. A ledger that has not seen the chain yet cannot know.
 */
export function mayBeUntrue(rows: Draft, reason: string | undefined): boolean {
  const comparison = readComparison(rows)
  // Too many dials are refused before the chain is asked, with words that say nothing of payments.
  if (comparison === undefined) return reason !== undefined && reason !== 'too_many_dials'
  return reason !== undefined && comparison.lostAt !== undefined
}

/**
 * Compares the relayer's next nonces in the chain and in a pool with the ledger's. Transactions are
 * recorded before they are sent, so one that the ledger does not know is of rows that it lost.
 */
export function compareNonces(step: StepContext, { chain, pool }: NextNonces): void {
  const { rows, relayer, rules } = step
  const known = readComparison(rows)
  const nextNonce = Math.max(chain, pool)
  const isSameKey = known === undefined || known.relayer === relayer
  const ownNext = findNextNonce(readRelayerTotals(rows, relayer))
  // In development a ledger that never compared may be new with a used key: only what waits in the
  // pool is unknown then. Of a key that has just replaced another one, it has lost nothing.
  const usedBefore = rules.isKeyReused ? chain : 0
  const isUnknown = isSameKey && nextNonce > Math.max(ownNext, known?.nextNonce ?? usedBefore)
  if (known !== undefined && isSameKey && !isUnknown) return
  const lostAt = isUnknown ? rows.now : known?.lostAt
  saveMeta(rows, rowName, { relayer, nextNonce, lostAt } satisfies Comparison)
}

/** Records that rows may have been lost until now, because an unknown transaction has a nonce. */
export function recordPossibleLoss({ rows, relayer }: StepContext): void {
  const { nextNonce = 0 } = readComparison(rows) ?? {}
  saveMeta(rows, rowName, { relayer, nextNonce, lostAt: rows.now } satisfies Comparison)
}

/** Ends the doubt if a final block (Unix time in s) is later than each deadline signed before. */
export function endPossibleLoss(rows: Draft, finalSeconds: number): void {
  const known = readComparison(rows)
  if (known?.lostAt === undefined) return
  if (finalSeconds <= known.lostAt / 1000 + maxDeadlineSeconds) return
  saveMeta(rows, rowName, { ...known, lostAt: undefined } satisfies Comparison)
}
