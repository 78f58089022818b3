import { getResendDelayMs, type PoolRules } from '../../chain/chains.ts'
import type { Head } from '../../chain/node.ts'
import type { OpenNonce } from '../ledger/payments/nonces.ts'
import type { Work } from '../ledger/work.ts'
import { computeGasPrice } from '../relayer.ts'
import { type Action, sentBefore } from './execute.ts'
import {
  isPoolNonceWrong,
  listRecordedNonces,
  type Plan,
  type RoundFacts,
  type StageTerms,
} from './facts.ts'
import { type Asking, askOrLog } from './questions.ts'

/**
 * Sends our transactions again, and outbids what is stuck or underpriced. Only then does the pool's
 * next nonce reveal those that are not ours.
 */
export function* resendTransactions(
  work: Work,
  facts: RoundFacts,
  terms: StageTerms,
): Asking<Plan> {
  const next = findFront(work, facts.chainNonce)
  const isMissed = facts.isNewHead && next !== undefined && wasSkipped(next, facts.head)
  // If a block left our next transaction out, the pool may have lost it and those after it.
  const firstMissing =
    isMissed && !isPoolNonceWrong(work)
      ? yield* askOrLog('rebroadcast.failed', 'getNextNonce', 'pending')
      : undefined
  const due = listDueResends(work, facts, terms.rules, firstMissing)
  const isPriced = due.some(({ latest, isStuck }) => isStuck || latest.failures > 0)
  const gasPriceWei = isPriced ? yield* askOrLog('rebroadcast.failed', 'getGasPrice') : undefined
  const actions = due.map((offer) => planResend(offer, gasPriceWei, facts.head, terms))
  return { actions, facts: { ...facts, gasPriceWei } }
}

type Transaction = OpenNonce['transactions'][number]

type Resend = {
  open: OpenNonce
  latest: Transaction
  /** Is true if it has long been our next nonce: where a node has it, only a higher price helps. */
  isStuck: boolean
}

const isInReach = (nonce: number, chainNonce: number, { maxInFlight }: PoolRules): boolean =>
  nonce >= chainNonce && nonce < chainNonce + maxInFlight

/** Waits this long for a request's own Worker to send, before it counts as dead. */
const unsentAfterMs = 3_000

/** Returns after how many ms without news a transaction is sent again. */
function getWaitMs(latest: Transaction, rules: PoolRules, front: Front): number {
  const { sentAt, failures } = latest
  if (sentAt === undefined) return unsentAfterMs
  if (failures === 0) return rules.rebroadcastMs
  if (isUnblocked(latest, front)) return 0
  return getResendDelayMs(rules, failures, latest === front ? rules.roundMs : rules.rebroadcastMs)
}

type Front = Transaction | undefined

const findFront = (work: Work, chainNonce: number): Front =>
  listRecordedNonces(work).find(({ nonce }) => nonce === chainNonce)?.transactions[0]

/** Tells whether a node took the chain's next nonce after it refused this transaction. */
const isUnblocked = ({ sentAt = 0, failures }: Transaction, front: Front): boolean =>
  failures > 0 && front?.failures === 0 && (front.sentAt ?? 0) > sentAt

/** Allows for the time that a transaction needs to reach the pools before a block. */
const propagationMs = 3_000

/** Tells whether a block left out a sent transaction: the pool may have lost it. */
const wasSkipped = ({ sentAt, failures }: Transaction, { timestampSeconds }: Head): boolean =>
  sentAt !== undefined && failures === 0 && timestampSeconds * 1_000 > sentAt + propagationMs

/** Returns what to send again: what the pool drops soon, has lost, or never got. */
function listDueResends(
  work: Work,
  { chainNonce, head }: RoundFacts,
  rules: PoolRules,
  firstMissing: number | undefined,
): Resend[] {
  const front = findFront(work, chainNonce)
  return listRecordedNonces(work).flatMap((open) => {
    const [latest] = open.transactions
    if (latest === undefined || !isInReach(open.nonce, chainNonce, rules)) return []
    const { sentAt, recordedAt } = latest
    const silentMs = work.now - (sentAt ?? recordedAt)
    const isTimed = silentMs >= getWaitMs(latest, rules, front)
    const isMissing = firstMissing !== undefined && open.nonce >= firstMissing
    if (!isTimed && !(isMissing && wasSkipped(latest, head))) return []
    // A lost transaction needs no better price, unless the pool loses it again and again.
    const patienceMs = isTimed ? rules.replaceAfterMs : 2 * rules.replaceAfterMs
    const isStuck =
      open.nonce === chainNonce &&
      sentAt !== undefined &&
      silentMs < rules.rebroadcastMs * 2 &&
      work.now - recordedAt >= patienceMs
    return [{ open, latest, isStuck }]
  })
}

/** Sends a transaction again; outbids only a stuck or underpriced one, if the price is known. */
function planResend(
  { open: { nonce, transactions }, latest, isStuck }: Resend,
  currentPriceWei: bigint | undefined,
  head: Head,
  terms: StageTerms,
): Action {
  const { hash, raw, gasPriceWei, sentAt, failures } = latest
  const transaction = { hash, raw, gasPriceWei }
  const isUnsent = sentAt === undefined
  const isFirst = isUnsent && transactions.length === 1
  const resend = { kind: 'resend', nonce, transaction, isFirst, isUnsent } as const
  if (currentPriceWei === undefined) return resend
  // A transaction that a node takes only now starts to wait for a block.
  const isStuckInPool = isStuck && failures === 0
  const askedWei = isStuckInPool ? currentPriceWei : findAskedPrice(currentPriceWei, head)
  const isCheap = failures > 0 && gasPriceWei < askedWei
  const mayHelp = isStuckInPool || isCheap || head.leastPriceWei === undefined
  if (!isStuck && !isCheap) return resend
  const hasNoReplacementsLeft = transactions.length > terms.rules.maxReplacements
  const isTooDear = computeGasPrice(terms, askedWei, gasPriceWei) === undefined
  if (!hasNoReplacementsLeft && !isTooDear && mayHelp) {
    const outbid = { isStuck: isStuckInPool, gasPriceWei: askedWei }
    return { ...resend, ...sentBefore, outbid }
  }
  if (!isStuck) return resend
  return { ...resend, ...sentBefore, replacements: transactions.length - 1 }
}

/** Returns what a refused price is raised to at most: what the head asks, if it tells. */
function findAskedPrice(currentPriceWei: bigint, { leastPriceWei }: Head): bigint {
  if (leastPriceWei === undefined || leastPriceWei > currentPriceWei) return currentPriceWei
  return leastPriceWei
}

/**
 * Tells whether the next round is due before the usual time: a transaction that no node took goes
 * out again, or payments wait for a nonce that the next block may free.
 */
export function isDueSoon(work: Work, chainNonce: number, rules: PoolRules): boolean {
  const front = findFront(work, chainNonce)
  const recorded = listRecordedNonces(work)
  const isMoving = front !== undefined && work.now - front.recordedAt < rules.replaceAfterMs
  if (isMoving && work.waiting.length > 0 && recorded.length >= rules.maxInFlight) return true
  return recorded.some(({ nonce, transactions: [latest] }) => {
    if (latest === undefined || !isInReach(nonce, chainNonce, rules)) return false
    return latest.failures === 1 || isUnblocked(latest, front)
  })
}
