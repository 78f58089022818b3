import type { Address } from 'viem'
import type { StepContext } from './draft.ts'
import { readMeta } from './meta.ts'
import { listOpenNonces } from './payments/nonces.ts'
import { listPhasePayments, type Payment, toPayment } from './payments/payment-states.ts'
import { findNextNonce, readRelayerTotals } from './payments/totals.ts'
import { reads } from './port.ts'
import { readAccountState, readFollowedBlocks } from './records/chain.ts'
import { describeDifferences, type Identity } from './records/identity.ts'
import { mayEndPossibleLoss, readPossibleLossAt } from './records/possible-loss.ts'
import { mapOpenPhases, openPhases } from './transitions.ts'

export type Work = ReturnType<typeof readWork>

export const listPayments = (
  work: Work,
  phases: readonly (typeof openPhases)[number][] = openPhases,
): Payment[] => phases.flatMap((phase) => work[phase])

export const isOpen = (work: Work): boolean =>
  work.nonces.length > 0 || listPayments(work).length > 0

const workLimit = 1000
/** Limits the waiting payments of one answer, to about what a block takes. */
const queueLimit = 200

function readWork(step: StepContext, identity?: Identity) {
  const { rows, rules } = step
  const followed = readFollowedBlocks(step)
  // A payment may be settled by its own request before any round has seen a head.
  const from = followed.head === undefined ? 0 : followed.head.number - rules.watchBlocks + 1
  const watched = rows.list({ table: 'blocks', list: 'number', from, limit: 1 })
  return {
    now: rows.now,
    ...followed,
    ...readAccountState(step),
    /** Tells since when the chain has been behind `head` (Unix time in ms). */
    behindSince: readMeta(rows, 'behind_since'),
    nextNonce: findNextNonce(readRelayerTotals(rows, step.relayer)),
    nonces: listOpenNonces(step),
    /** Lists each phase's payments, the oldest first; `stuck` ones only wait for their deadline. */
    ...mapOpenPhases((phase) => {
      const limit = phase === 'waiting' ? queueLimit : workLimit
      return listPhasePayments(rows, phase, limit).map(toPayment)
    }),
    /**
     * Tells whether a recent block holds our transactions: it may still leave the chain. Is also
     * true once a final block may end the doubt of `possibleLossAt`.
     */
    watching: watched.length > 0 || mayEndPossibleLoss(rows),
    /**
     * Tells when rows may have been lost (Unix time in ms), until all that they may have signed has
     * expired. A payment accepted since may be executed by another request, signed before.
     */
    possibleLossAt: readPossibleLossAt(rows),
    /** Names the values in which the given identity differs; undefined if none was given. */
    differences: identity && describeDifferences(step, identity),
  }
}

export const workSteps = {
  readWork: reads(readWork),
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
