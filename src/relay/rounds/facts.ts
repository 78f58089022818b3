import type { Head } from '../../chain/node.ts'
import type { Payee } from '../../chain/payees.ts'
import { ledgerRules } from '../ledger/draft.ts'
import type { FollowedBlock } from '../ledger/meta.ts'
import type { OpenNonce } from '../ledger/payments/nonces.ts'
import type { Payment } from '../ledger/payments/payment-states.ts'
import { mayBeAssured } from '../ledger/records/settled.ts'
import { phasesWithoutOutcome } from '../ledger/transitions.ts'
import type { BlockId, IntentExecution } from '../ledger/values.ts'
import { listPayments, type Work } from '../ledger/work.ts'
import type { Relayer } from '../relayer.ts'
import { type Action, record } from './execute.ts'
import { type Asking, askOrLog, type Spending } from './questions.ts'

/** Holds what a stage goes by beside its questions. */
export type StageTerms = Pick<Relayer, 'rules' | 'fees' | 'proofs' | 'readSettled' | 'forwarder'>

/** Tells whether a block is in the head's chain; unknown while a replica may lag. */
export type BlockStatus = 'canonical' | 'lost' | 'unknown'

export type RoundFacts = {
  head: Head
  isNewHead: boolean
  /** Lists the head and the followed blocks below it, each the parent of the one before. */
  followedBlocks: readonly FollowedBlock[]
  /** Is the relayer's next nonce in the chain: lower ones are used. */
  chainNonce: number
  /** Is the same as the node reported it, if it was asked. */
  reportedNonce: number | undefined
  /** Maps the hashes of compared blocks to their statuses. A canonical one is compared again. */
  statuses: ReadonlyMap<string, BlockStatus>
  gasPriceWei?: bigint | undefined
  /** Exceeds every nonce that the node's pool holds. */
  poolNonce?: number | undefined
  /** Maps sessions that may get a nonce to what spent their intent, and to whom they pay. */
  spendings: ReadonlyMap<string, Spending | undefined>
  payees: ReadonlyMap<string, Payee>
  /** Lists nonces that the ledger refused in this round: no payment gets one. */
  refused: ReadonlySet<number>
}

/** Is what a stage decides: actions, in order, and what it learned. */
export type Plan = { actions: readonly Action[]; facts: RoundFacts }

/** Returns the number of the block that makes outcomes final. */
export const getDeepNumber = ({ number }: BlockId, { rules }: Pick<StageTerms, 'rules'>): number =>
  Math.max(0, number - rules.confirmations + 1)

/**
 * Lists payments that wait for the block that may assure them, or that a block from `head` on holds
 * since this round began: at the counter seconds count.
 */
export function listAssurableSoon(work: Work, terms: StageTerms, head?: BlockId): Payment[] {
  const { carried, mined, now } = work
  if (work.possibleLossAt !== undefined) return []
  const from = head?.number ?? Number.POSITIVE_INFINITY
  const isInBlock = ({ execution, assuredAt }: Payment) =>
    assuredAt === undefined && (execution?.block.number ?? -1) >= from
  return [...carried, ...mined.filter(isInBlock)].filter(
    (one) =>
      terms.readSettled !== undefined &&
      mayBeAssured(one, now) &&
      now - one.acceptedAt < terms.rules.replaceAfterMs,
  )
}

/** Compares a block; above the head or not shown it is unknown: a replica may lag. */
export function* compareBlock(
  event: string | undefined,
  block: BlockId,
  { head, followedBlocks }: Pick<RoundFacts, 'head' | 'followedBlocks'>,
): Asking<BlockStatus> {
  if (block.number > head.number) return 'unknown'
  const followed = followedBlocks[head.number - block.number]
  return judgeBlock(block, followed ?? (yield* askOrLog(event, 'getBlock', block.number)))
}

export function judgeBlock({ hash }: BlockId, shown: BlockId | undefined): BlockStatus {
  if (shown === undefined) return 'unknown'
  return shown.hash === hash ? 'canonical' : 'lost'
}

/** Tells whether a request of rows that were lost may still execute in a payment's place. */
export const isInDoubt = ({ possibleLossAt }: Work, { acceptedAt }: Payment): boolean =>
  possibleLossAt !== undefined && acceptedAt >= possibleLossAt

/** Returns nonces with transactions, of which the first has the highest price. */
export const listRecordedNonces = (work: Work): OpenNonce[] =>
  work.nonces.filter(({ transactions }) => transactions.length > 0)

/** Tells whether a payment has waited longer than a pool keeps anything: its nonce is wrong. */
export function isPoolNonceWrong(work: Work): boolean {
  return listPayments(work, phasesWithoutOutcome).some((payment) => {
    // After its deadline a payment in doubt waits for no nonce.
    const isPast = payment.order.request.deadline * 1000 < work.now
    if (isPast && isInDoubt(work, payment)) return false
    return work.now - payment.acceptedAt > ledgerRules.displacedMs
  })
}

/** Settles a payment by the other transaction that spent its intent. */
export function settleElsewhere({ session, order }: Payment, execution: IntentExecution): Action {
  return record('settle', session, order.request.signature, execution)
}
