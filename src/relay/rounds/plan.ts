import type { Hex } from 'viem'
import type { Head } from '../../chain/node.ts'
import { describeLoanRefusal } from '../../loan/calls.ts'
import type { SignedRequest } from '../forwarder/requests.ts'
import type { MinedReport } from '../ledger/carrying.ts'
import type { OpenNonce } from '../ledger/payments/nonces.ts'
import type { Payment } from '../ledger/payments/payment-states.ts'
import type { FollowedBlock } from '../ledger/records/chain.ts'
import type { BlockId, IntentExecution, SignedTransaction } from '../ledger/values.ts'
import type { Sending } from '../outcome/broadcast.ts'
import { computeGasPrice, type Terms } from '../relayer.ts'
import {
  assignNonces,
  type ChainSnapshot,
  choosePrice,
  isInDoubt,
  isPaidToNoWallet,
  isReceiptOverdue,
  isReorganized,
  isReorgUnclear,
  type LedgerSnapshot,
  listDeepPayments,
  listDueResends,
  listLostBlocks,
  listOutOfReach,
  listOverduePayments,
  listPassedNonces,
  listWaitingPayments,
  mayCarry,
  mayLag,
  type Resend,
  toBlockId,
} from './facts.ts'

/** Describes one action of a round; if it fails, the others are still done. */
export type Action =
  /** Records that the chain is shorter or unknown, and changes nothing else. */
  | { kind: 'awaitChain' }
  /** Reopens what lost blocks settled, and records the head. */
  | {
      kind: 'followHead'
      followedBlocks: readonly FollowedBlock[]
      reportedNonce: number | undefined
      /** Gives the time of the block that makes outcomes final (Unix, in seconds). */
      finalSeconds: number | undefined
      lost: BlockId[]
      reorganized: BlockId | undefined
    }
  /** Retires a nonce that a transaction has which is not ours, and queues its payments again. */
  | { kind: 'displace'; nonce: number }
  /** Records what a passed nonce did. */
  | { kind: 'settle'; report: MinedReport }
  /** Settles a queued payment by the other transaction that spent its intent. */
  | { kind: 'settleElsewhere'; session: string; signature: Hex; execution: IntentExecution }
  /** Makes an outcome final; `lacksProof` if it should have one. */
  | { kind: 'confirm'; session: string; block: BlockId; lacksProof: boolean }
  /** Reopens what one lost block has settled. */
  | { kind: 'reopen'; block: BlockId }
  /** Expires a payment whose deadline is before `seconds`: the chain refuses it for ever. */
  | { kind: 'expire'; session: string; seconds: number }
  /** Ends a payment that never left, because its recipient is no wallet. */
  | { kind: 'endUnsent'; session: string; reason: string }
  /** Frees a nonce out of the pool's reach, and queues its payments again. */
  | { kind: 'abandon'; nonce: number; chainNonce: number }
  /** Sends a recorded transaction again. */
  | ({ kind: 'rebroadcast' } & Sending)
  /** Sends a recorded transaction again, and the same requests at a higher price if needed. */
  | {
      kind: 'outbid'
      nonce: number
      isStuck: boolean
      transaction: SignedTransaction
      gasPriceWei: bigint
    }
  /** Sends a recorded transaction again, and reports that it is stuck and may not be outbid. */
  | { kind: 'reportStuck'; nonce: number; transaction: SignedTransaction; replacements: number }
  /** Carries queued payments on a free nonce, in this order. */
  | {
      kind: 'carry'
      nonce: number
      chainNonce: number
      sessions: readonly string[]
      requests: readonly SignedRequest[]
      gasPriceWei: bigint
    }
  /** Closes the gap at a free nonce by a transaction that carries nothing. */
  | { kind: 'noOp'; nonce: number; chainNonce: number; gasPriceWei: bigint }

/** Tells whether an action sends a transaction; the ledger then has the node's verdict. */
export const isSend = ({ kind }: Action): boolean =>
  ['rebroadcast', 'outbid', 'reportStuck', 'carry', 'noOp'].includes(kind)

/**
 * Lists a round's stages in order, each planned by itself, since it changes what the next one uses.
 * `follow` reopens what lost blocks settled. `settle` frees the payments of passed nonces, and
 * nonces that are given up. `resend` sends our transactions again; only then does the pool's next
 * nonce reveal those that are not ours. `carry` gives free nonces to waiting payments.
 */
export const stages = ['follow', 'settle', 'resend', 'carry'] as const

export type Stage = (typeof stages)[number]

/** Returns a stage's actions; an unknown fact about one payment delays no other. */
export function plan(
  stage: Stage,
  ledger: LedgerSnapshot,
  chain: ChainSnapshot,
  terms: Terms,
): Action[] {
  switch (stage) {
    case 'follow':
      return planFollow(ledger, chain, terms)
    case 'settle':
      return planSettle(ledger, chain, terms)
    case 'resend':
      return listDueResends(ledger.work, chain, terms).map((offer) =>
        planResend(offer, chain, terms),
      )
    case 'carry':
      return planCarry(ledger, chain, terms)
  }
}

function planFollow(ledger: LedgerSnapshot, chain: ChainSnapshot, terms: Terms): Action[] {
  if (mayLag(ledger, chain, terms) || isReorgUnclear(ledger, chain, terms)) {
    return [{ kind: 'awaitChain' }]
  }
  const lost = listLostBlocks(chain)
  const reorganized = isReorganized(ledger, chain) ? ledger.work.head : undefined
  const { followedBlocks, reportedNonce } = chain
  const finalSeconds = followedBlocks[terms.rules.confirmations - 1]?.timestampSeconds
  return [{ kind: 'followHead', followedBlocks, reportedNonce, finalSeconds, lost, reorganized }]
}

function planSettle(ledger: LedgerSnapshot, chain: ChainSnapshot, terms: Terms): Action[] {
  const expired = planExpire(ledger, chain)
  return [
    ...listPassedNonces(ledger.work, chain.chainNonce, terms).flatMap((open) =>
      planPassed(open, ledger, chain),
    ),
    ...planConfirm(ledger, chain, terms),
    ...expired,
    ...planAbandon(ledger, chain, terms),
  ]
}

/** Settles a passed nonce; another transaction used it if old blocks hold no receipt of ours. */
function planPassed(
  open: OpenNonce,
  { work }: LedgerSnapshot,
  { nonceFates, finalNonce }: ChainSnapshot,
): Action[] {
  const { nonce } = open
  const fate = nonceFates.get(nonce) ?? { kind: 'unknown' }
  switch (fate.kind) {
    case 'mined':
      return [{ kind: 'settle', report: fate.report }]
    case 'missing': {
      const isDeep = finalNonce !== undefined && finalNonce > nonce
      if (!isDeep || !isReceiptOverdue(work, open)) return []
      return [{ kind: 'displace', nonce }]
    }
    case 'unknown':
      return []
  }
}

/** Confirms deep outcomes, each after comparing its block again. */
function planConfirm({ work }: LedgerSnapshot, chain: ChainSnapshot, terms: Terms) {
  const { head, statuses, proofs } = chain
  const lost = new Map<Hex, BlockId>()
  const confirmed = listDeepPayments(work, head, terms).flatMap(
    ({ session, execution }): Action[] => {
      const { block } = execution
      const status = statuses.get(block.hash)
      const proof = proofs === undefined ? 'proved' : proofs.get(session)
      if (status === 'lost' || proof === 'refuted') lost.set(block.hash, block)
      if (status !== 'canonical' || proof === undefined || proof === 'refuted') return []
      return [{ kind: 'confirm', session, block, lacksProof: proof === 'unproved' }]
    },
  )
  return [
    ...confirmed,
    ...[...lost.values()].map((block): Action => ({ kind: 'reopen', block: toBlockId(block) })),
  ]
}

type Ending = Extract<Action, { kind: 'expire' | 'settleElsewhere' }>

/** Expires overdue payments with unspent intents; settles one that another transaction spent. */
function planExpire({ work }: LedgerSnapshot, chain: ChainSnapshot): Ending[] {
  const { deepTimeSeconds, spendings } = chain
  if (deepTimeSeconds === undefined) return []
  const overdue = listOverduePayments(work, chain, deepTimeSeconds)
  return overdue.flatMap((payment): Ending[] => {
    const { session, nonce } = payment
    const spending = spendings.get(session)
    if (spending?.kind === 'unspent') {
      return isInDoubt(work, payment) ? [] : [{ kind: 'expire', session, seconds: deepTimeSeconds }]
    }
    // A payment that an open nonce carries is settled by that nonce.
    const isCarried = work.nonces.some((open) => open.nonce === nonce)
    if (spending?.kind !== 'spent' || spending.by === undefined || isCarried) return []
    return [settleElsewhere(payment, spending.by)]
  })
}

function settleElsewhere({ session, order }: Payment, execution: IntentExecution): Ending {
  return { kind: 'settleElsewhere', session, signature: order.request.signature, execution }
}

/** Gives up nonces behind a gap wider than the pool, left by a wrong answer or lost rows. */
function planAbandon({ work }: LedgerSnapshot, chain: ChainSnapshot, terms: Terms): Action[] {
  const { chainNonce, rereadNonce } = chain
  if (rereadNonce === undefined) return []
  const outOfReach = listOutOfReach(work, Math.max(chainNonce, rereadNonce), terms)
  return outOfReach.map(({ nonce }) => ({ kind: 'abandon', nonce, chainNonce }))
}

/** Sends a transaction again; outbids only a stuck or underpriced one, if the price is known. */
function planResend(
  { open, latest, isFirst, isUnsent, isStuck, hasFailed }: Resend,
  { gasPriceWei: currentPriceWei, head }: ChainSnapshot,
  terms: Terms,
): Action {
  const { nonce, transactions } = open
  const { hash, raw, gasPriceWei } = latest
  const transaction = { hash, raw, gasPriceWei }
  const rebroadcast: Action = { kind: 'rebroadcast', nonce, transaction, isFirst, isUnsent }
  if (currentPriceWei === undefined) return rebroadcast
  // A transaction that a node takes only now starts to wait for a block.
  const isStuckInPool = isStuck && !hasFailed
  const askedWei = isStuckInPool ? currentPriceWei : findAskedPrice(currentPriceWei, head)
  const isCheap = hasFailed && gasPriceWei < askedWei
  const mayHelp = isStuckInPool || isCheap || head.leastPriceWei === undefined
  if (!isStuck && !isCheap) return rebroadcast
  const hasNoReplacementsLeft = transactions.length > terms.rules.maxReplacements
  const isTooDear = computeGasPrice(terms, askedWei, gasPriceWei) === undefined
  if (hasNoReplacementsLeft || isTooDear || !mayHelp) {
    if (!isStuck) return rebroadcast
    return { kind: 'reportStuck', nonce, transaction, replacements: transactions.length - 1 }
  }
  return {
    kind: 'outbid',
    nonce,
    isStuck: isStuckInPool,
    transaction,
    gasPriceWei: askedWei,
  }
}

/** Returns what a refused price is raised to at most: what the head asks, if it tells. */
function findAskedPrice(currentPriceWei: bigint, { leastPriceWei }: Head): bigint {
  if (leastPriceWei === undefined || leastPriceWei > currentPriceWei) return currentPriceWei
  return leastPriceWei
}

const noWalletReason = describeLoanRefusal({ reason: 'invalid_recipient' })

/** Settles waiting payments that are spent, gives the others free nonces, and fills gaps. */
function planCarry(ledger: LedgerSnapshot, chain: ChainSnapshot, terms: Terms): Action[] {
  const { work } = ledger
  const { chainNonce, spendings, poolNonce } = chain
  const gasPriceWei = choosePrice(ledger, chain)
  const settleActions = listWaitingPayments(work, chain.head).flatMap((payment): Action[] => {
    const { session } = payment
    const spending = spendings.get(session)
    if (spending?.kind === 'spent' && spending.by !== undefined) {
      return [settleElsewhere(payment, spending.by)]
    }
    const mayEnd = isPaidToNoWallet(payment, chain) && spending?.kind === 'unspent'
    return mayEnd ? [{ kind: 'endUnsent', session, reason: noWalletReason }] : []
  })
  if (poolNonce === undefined || gasPriceWei === undefined) return settleActions
  const isCarriable = (payment: Payment) => mayCarry(payment, chain)
  const filled = assignNonces(ledger, chain, terms, poolNonce, isCarriable)
  return [
    ...settleActions,
    ...filled.map(({ nonce, payments }): Action => {
      if (payments.length === 0) return { kind: 'noOp', nonce, chainNonce, gasPriceWei }
      const sessions = payments.map(({ session }) => session)
      const requests = payments.map(({ order }) => order.request)
      return { kind: 'carry', nonce, chainNonce, sessions, requests, gasPriceWei }
    }),
  ]
}
