import type { Hex } from 'viem'
import { type FollowedBlock, saveMeta } from './meta.ts'
import type { ObservationReport } from './observations.ts'
import { findCarrier, markForResend, saveNonce } from './payments/nonces.ts'
import {
  applyEvent,
  assurePayment,
  endUnsentPayment,
  getPaymentRow,
  isSignedFor,
  noBlock,
  noNonce,
  type Transition,
  toOpenColumns,
  toOutcomeColumns,
  toPayment,
} from './payments/payment-states.ts'
import { reads, writes } from './port.ts'
import {
  type AccountState,
  type FactReading,
  readFollowedBlocks,
  recordObservations,
  saveAccountState,
  saveFollowedBlocks,
} from './records/chain.ts'
import { compareNonces, endPossibleLoss, readPossibleLossAt } from './records/possible-loss.ts'
import {
  isCovered,
  isSure,
  mayBeAssured,
  type SettledBalance,
  saveAssuring,
} from './records/settled.ts'
import { isOutcomeUnknown } from './transitions.ts'
import type { BlockId, IntentExecution } from './values.ts'

const blockLimit = 1000

export const outcomeSteps = {
  /** Records that another transaction spent a queued payment's intent; it has this signature. */
  settle: writes(
    (step, session: string, signature: Hex, execution: IntentExecution): Transition[] => {
      const payment = getPaymentRow(step.rows, session)
      // After lost rows the session may have been accepted again, so this is about another request.
      if (payment === undefined || !isSignedFor(payment, signature)) return []
      return applyEvent(step, payment, 'settled', toOutcomeColumns(payment, execution))
    },
  ),
  /**
   * Assures a transfer that a block executed: its account's settled balance covers all that the
   * account's payments may take, so it is executed whatever becomes of the block. It stays in its
   * state; undefined if it is not assured. STORAGE.md has the proof.
   */
  assure: writes(
    (step, session: string, blockHash: Hex, settled: SettledBalance): [] | undefined => {
      const { rows } = step
      const payment = getPaymentRow(rows, session)
      if (payment?.state !== 'mined' || payment.block_hash !== blockHash) return undefined
      const isCounted = (payment.block_number ?? 0) > settled.block && !payment.executed
      if (payment.outcome !== 'executed' || !isCounted) return undefined
      if (!mayBeAssured(toPayment(payment), rows.now)) return undefined
      if (!isSure(step) || !isCovered(rows, payment.account, settled)) return undefined
      saveAssuring(rows, payment, settled)
      assurePayment(rows, payment)
      return []
    },
  ),
  confirm: writes((step, sessions: readonly string[], blockHash: Hex): Transition[] =>
    sessions.flatMap((session) => {
      const payment = getPaymentRow(step.rows, session)
      if (payment?.block_hash !== blockHash || payment.outcome === null) return []
      return applyEvent(step, payment, payment.outcome)
    }),
  ),
  /**
   * Expires an unspent payment whose deadline is before `seconds`, unless lost rows may execute it.
   * Its nonce no longer carries it.
   */
  expire: writes((step, session: string, seconds: number): Transition[] => {
    const payment = getPaymentRow(step.rows, session)
    if (payment === undefined || !isOutcomeUnknown(payment.state)) return []
    // After lost rows the session may have been accepted again, with a later deadline.
    if (payment.request.deadline >= seconds) return []
    if (payment.accepted_at >= (readPossibleLossAt(step.rows) ?? Number.POSITIVE_INFINITY))
      return []
    const carrier = findCarrier(step.rows, payment)
    if (carrier !== undefined) {
      const sessions = carrier.sessions.filter((other) => other !== session)
      saveNonce(step.rows, { ...carrier, sessions, changed_at: step.rows.now })
    }
    return applyEvent(step, payment, 'overdue', noNonce)
  }),
  /** Ends a queued payment that may not be sent, if no bytes that carry it have ever left. */
  endUnsent: writes((step, session: string, reason: string) =>
    endUnsentPayment(step, getPaymentRow(step.rows, session), reason),
  ),
  recordObservations: writes((step, report: ObservationReport) => recordObservations(step, report)),
  /** Returns the blocks above this height that hold our transactions, the highest first. */
  listBlocks: reads(({ rows }, above: number): BlockId[] => {
    const highest = { limit: blockLimit, newest: true }
    return rows
      .list({ table: 'blocks', list: 'number', from: above + 1, ...highest })
      .map(({ number, hash }) => ({ number, hash }))
  }),
  /** Reopens the nonces and payments of a block that has left the chain. */
  reopen: writes((step, blockHash: Hex): Transition[] => {
    const { rows } = step
    const block = rows.row('blocks', blockHash)
    // The highest nonce first, because each lowers the highest used nonce by one.
    for (const [relayer, nonce] of (block?.nonces ?? []).toSorted((a, b) => b[1] - a[1])) {
      const row = rows.row('nonces', relayer, nonce)
      if (row?.state !== 'mined' || row.block_hash !== blockHash) continue
      // No round sends for a former key: its payments get a nonce of the current key.
      const isOwn = relayer === step.relayer
      const use = isOwn
        ? ({ state: 'recorded', phase: null } as const)
        : ({ state: 'abandoned', phase: 'done' } as const)
      saveNonce(rows, { ...row, ...noBlock, ...use, changed_at: rows.now })
      if (isOwn) markForResend(rows, row)
    }
    const moved = [...new Set(block?.sessions)].flatMap((session) => {
      const payment = getPaymentRow(rows, session)
      if (payment?.block_hash !== blockHash) return []
      if (findCarrier(rows, payment)?.state === 'recorded')
        return applyEvent(step, payment, 'reorganized', toOpenColumns(payment))
      // No transaction of this key carries it: it is queued, unless its intent is spent.
      const orphan = {
        ...toOpenColumns(payment),
        ...noNonce,
        attempts: Math.max(1, payment.attempts),
      }
      return applyEvent(step, payment, 'orphaned', orphan)
    })
    rows.drop('blocks', blockHash)
    return moved
  }),
  /**
   * Records the followed blocks, the head first, the node's count, and the time of the block that
   * makes outcomes final. Without blocks, records that the chain is behind the last head.
   */
  recordHead: writes(
    (
      step,
      followedBlocks: readonly FollowedBlock[] | undefined,
      reportedNonce?: number,
      finalSeconds?: number,
    ): void => {
      const { rows } = step
      if (finalSeconds !== undefined) endPossibleLoss(rows, finalSeconds)
      if (reportedNonce !== undefined)
        compareNonces(step, { chain: reportedNonce, pool: reportedNonce })
      if (followedBlocks !== undefined) {
        saveFollowedBlocks(step, followedBlocks)
        // In the same step: blocks that were followed anew say nothing of transactions below them.
        if (reportedNonce !== undefined) saveAccountState(step, { reportedNonce }, undefined)
        rows.drop('meta', 'behind_since')
      } else if (rows.row('meta', 'behind_since') === undefined) {
        saveMeta(rows, 'behind_since', rows.now)
      }
    },
  ),
  /** Records facts that change slowly; the chain's count only if `head` is still the last one. */
  recordAccountState: writes(
    (step, head: Hex, accountState: AccountState, reading?: FactReading): void => {
      const { chainNonce, reportedNonce, ...others } = accountState
      if (reportedNonce !== undefined)
        compareNonces(step, { chain: reportedNonce, pool: reportedNonce })
      const isCurrentHead = readFollowedBlocks(step).head?.hash === head
      saveAccountState(step, isCurrentHead ? accountState : others, reading)
    },
  ),
}
