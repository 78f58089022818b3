import type { Address } from 'viem'
import { readMeta } from './meta.ts'
import { listOpenNonces, type OpenNonce } from './payments/nonces.ts'
import { listPhasePayments, type Payment, toPayment } from './payments/payment-states.ts'
import { findNextNonce, readRelayerTotals } from './payments/relayer-totals.ts'
import { reads } from './port.ts'
import {
  type AccountState,
  type FactReading,
  type FollowedBlock,
  readAccountState,
  readFollowedBlocks,
} from './records/chain.ts'
import { describeDifferences, type Identity } from './records/identity.ts'
import { mayEndPossibleLoss, readPossibleLossAt } from './records/possible-loss.ts'
import { mapOpenPhases, openPhases } from './transitions.ts'
import type { BlockId } from './values.ts'

export type Work = {
  now: number
  head: BlockId | undefined
  /** Lists blocks that follow each other by their parents' hashes, the head first. */
  followedBlocks: readonly FollowedBlock[]
  /** Holds facts at most {@link LedgerRules.accountStateMs} old; `nextReading` is read next. */
  accountState: AccountState
  nextReading: FactReading
  /** Tells since when the chain has been behind `head` (Unix time in ms). */
  behindSince: number | undefined
  nextNonce: number
  nonces: OpenNonce[]
  /** Lists payments that wait for a nonce, the oldest first. */
  waiting: Payment[]
  /** Lists payments that only wait for their deadline, the oldest first. */
  stuck: Payment[]
  carried: Payment[]
  /** Lists payments in a block that are not final. */
  mined: Payment[]
  /**
   * Tells whether a recent block holds our transactions: it may still leave the chain. Is also true
   * once a final block may end the doubt of {@link Work.possibleLossAt}.
   */
  watching: boolean
  /**
   * Tells when rows may have been lost (Unix time in ms), until all that they may have signed has
   * expired. A payment accepted since may be executed by another request, signed before.
   */
  possibleLossAt?: number | undefined
  /** Names the values in which the given identity differs; undefined if none was given. */
  differences?: readonly string[] | undefined
}

/** Returns the payments of these phases, one phase after the other. */
export const listPayments = (
  work: Work,
  phases: readonly (typeof openPhases)[number][] = openPhases,
): Payment[] => phases.flatMap((phase) => work[phase])

export const isOpen = (work: Work): boolean =>
  work.nonces.length > 0 || listPayments(work).length > 0

/** Limits the rows of one answer. */
const workLimit = 1000
/** Limits the waiting payments of one answer, to about what a block takes. */
const queueLimit = 200
export const workSteps = {
  /** Returns all unsettled work, for a round. */
  readWork: reads((step, identity?: Identity): Work => {
    const { rows, rules } = step
    const relayer = readRelayerTotals(rows, step.relayer)
    const { head, followedBlocks } = readFollowedBlocks(step)
    const possibleLossAt = readPossibleLossAt(rows)
    // A payment may be settled by its own request before any round has seen a head.
    const from = head === undefined ? 0 : head.number - rules.watchBlocks + 1
    const watched = rows.list({ table: 'blocks', list: 'number', from, limit: 1 })
    return {
      now: rows.now,
      head,
      followedBlocks,
      ...readAccountState(step),
      behindSince: readMeta(rows, 'behind_since'),
      nextNonce: findNextNonce(relayer),
      nonces: listOpenNonces(step),
      ...mapOpenPhases((phase) => {
        const limit = phase === 'waiting' ? queueLimit : workLimit
        return listPhasePayments(rows, phase, limit).map(toPayment)
      }),
      watching: watched.length > 0 || mayEndPossibleLoss(rows),
      possibleLossAt,
      ...(identity && { differences: describeDifferences(step, identity) }),
    }
  }),
  findPayment: reads(({ rows }, session: string): Payment | undefined => {
    const row = rows.row('payments', session)
    return row && toPayment(row)
  }),
  /** Returns an account's last payments, the newest first. */
  listPayments: reads(({ rows }, account: Address, limit: number): Payment[] =>
    rows
      .list({ table: 'payments', list: 'account', group: account, limit, newest: true })
      .map(toPayment),
  ),
}
