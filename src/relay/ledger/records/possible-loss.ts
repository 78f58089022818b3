import { maxDeadlineSeconds } from '../../forwarder/requests.ts'
import type { Draft, StepContext } from '../draft.ts'
import { type MetaValue, readMeta, saveMeta } from '../meta.ts'
import { findNextNonce, readRelayerTotals } from '../payments/totals.ts'
import { maxReadAgeMs } from '../values.ts'
import { readFollowedBlocks } from './chain.ts'

/** Holds what the chain and a pool show of payments whose rows were lost. */
export type Traces = NextNonces & {
  /** Tells whether the session's intent is spent in a block; undefined if that is not known. */
  isSpent?: boolean | undefined
  block?: number | undefined
  /** Counts the relayer's transactions up to the block that is final below it. */
  finalCount?: number | undefined
}

/**
 * Counts the relayer's transactions in the chain's blocks, and with those of a node's pool. If
 * `relayer` names another key than the store's, they say nothing of its rows.
 */
export type NextNonces = { chain: number; pool: number; relayer?: string }

/**
 * Names a relayer's next nonce on the chain. `lostAt` is when an unknown transaction showed that
 * rows may have been lost, `begunAt` when the ledger began with a used key: new, or without rows.
 */
const readComparison = (rows: Draft) => readMeta(rows, 'compared')
const saveComparison = (rows: Draft, comparison: MetaValue<'compared'>): void =>
  saveMeta(rows, 'compared', comparison)

/** Returns when rows may have been lost, until nothing that they held can execute any more. */
export const readPossibleLossAt = (rows: Draft): number | undefined => readComparison(rows)?.lostAt

/** Tells whether a final block may end a doubt by now: what was signed before it is overdue. */
export function mayEndPossibleLoss(rows: Draft): boolean {
  const { lostAt, begunAt } = readComparison(rows) ?? {}
  return [lostAt, begunAt].some(
    (at) => at !== undefined && rows.now > at + maxDeadlineSeconds * 1_000,
  )
}

/** Tells whether lost rows may hold a payment, for all that the ledger has seen of the chain. */
export function isDoubtful(rows: Draft): boolean {
  const comparison = readComparison(rows)
  return comparison === undefined || (comparison.lostAt ?? comparison.begunAt) !== undefined
}

/** Tells whether what was read after this time, by the ledger's clock, may be outdated. */
export const isOld = ({ rows }: StepContext, asOf: number | undefined): boolean =>
  asOf !== undefined && rows.now - asOf > maxReadAgeMs

/**
 * Tells whether lost rows may hold a payment of a session that is refused now. A ledger that has
 * not seen the chain cannot know, nor can one that may just have lost its last rows, where no node
 * answers. One that began with a used key knows it of a session whose intent is unspent, once final
 * blocks have all that the key sent before: in another one's place may come a block that spends it.
 * A node may be behind.
 */
export function mayHavePaid(
  step: StepContext,
  traces: Traces | undefined,
  isNodeSilent: boolean,
): boolean {
  // What a node told before it fell silent shows nothing of what was lost since.
  if ((traces === undefined || isNodeSilent) && step.rules.canLoseTail) return true
  const comparison = readComparison(step.rows)
  if (comparison === undefined) return true
  if (comparison.lostAt !== undefined || traces?.isSpent === true) return true
  if (comparison.begunAt === undefined) return false
  if (traces?.isSpent !== false) return true
  const { block = -1, finalCount = 0 } = traces
  if (finalCount < comparison.nextNonce) return true
  const { head } = readFollowedBlocks(step)
  return head !== undefined && block < head.number
}

/**
 * Compares the relayer's next nonces in the chain and in a pool with the ledger's. Transactions are
 * recorded before they are sent, so one that the ledger does not know is of rows that it lost.
 */
export function compareNonces({ rows, relayer }: StepContext, { chain, pool }: NextNonces): void {
  const known = readComparison(rows)
  const nextNonce = Math.max(chain, pool)
  const isSameKey = known === undefined || known.relayer === relayer
  const ownNext = findNextNonce(readRelayerTotals(rows, relayer))
  // What is mined shows itself by its spent intents, so at first only what waits in a pool is
  // unknown. Of a key that has just replaced another one, the ledger has lost nothing.
  const isUnknown = isSameKey && nextNonce > Math.max(ownNext, known?.nextNonce ?? chain)
  if (known !== undefined && isSameKey && !isUnknown) return
  const lostAt = isUnknown ? rows.now : known?.lostAt
  const begunAt = known === undefined && chain > ownNext ? rows.now : known?.begunAt
  saveComparison(rows, { relayer, nextNonce, lostAt, begunAt })
}

/** Records that an operator has set the ledger back, or leaves missing rows behind. */
export const recordSetBack = (rows: Draft): void => saveMeta(rows, 'set_back', rows.now)

/** Tells whether something may execute that the ledger signed and does not know. */
export function mayMissSigned(rows: Draft): boolean {
  const setBackAt = readMeta(rows, 'set_back') ?? Number.NEGATIVE_INFINITY
  return isDoubtful(rows) || rows.now <= setBackAt + 2 * maxDeadlineSeconds * 1_000
}

/** Records that rows may have been lost until now, because an unknown transaction has a nonce. */
export function recordPossibleLoss({ rows, relayer }: StepContext): void {
  const known = readComparison(rows)
  const nextNonce = known?.nextNonce ?? 0
  saveComparison(rows, { ...known, relayer, nextNonce, lostAt: rows.now })
}

/** Ends the doubt if a final block (Unix time in s) is later than each deadline signed before. */
export function endPossibleLoss(rows: Draft, finalSeconds: number): void {
  const known = readComparison(rows)
  if (known === undefined) return
  const isOver = (at: number | undefined) =>
    at !== undefined && finalSeconds > at / 1000 + maxDeadlineSeconds
  const { lostAt, begunAt } = known
  if (!isOver(lostAt) && !isOver(begunAt)) return
  saveComparison(rows, {
    ...known,
    lostAt: isOver(lostAt) ? undefined : lostAt,
    begunAt: isOver(begunAt) ? undefined : begunAt,
  })
}

/** Limits the names that are kept: the first ones tell what has happened. */
const maxNames = 20

/** Lists rows that others name, and that are missing, since payments were last resumed. */
export const listMissing = (rows: Draft): readonly string[] => readMeta(rows, 'missing') ?? []

/** Records the rows that a step has missed: the ledger is damaged, so no payment is accepted. */
export function recordMissing(rows: Draft): void {
  if (rows.missing.size === 0) return
  const known = listMissing(rows)
  const names = [...new Set([...known, ...rows.missing])].slice(0, maxNames)
  if (names.length > known.length) saveMeta(rows, 'missing', names)
}

export const forgetMissing = (rows: Draft): void => rows.drop('meta', 'missing')
