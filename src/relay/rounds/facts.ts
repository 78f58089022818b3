import { getResendDelayMs, type PoolRules } from '../../chain/chains.ts'
import type { Head } from '../../chain/node.ts'
import type { Payee } from '../../chain/payees.ts'
import type { MinedReport } from '../ledger/carrying.ts'
import { ledgerRules } from '../ledger/draft.ts'
import type { OpenNonce } from '../ledger/payments/nonces.ts'
import type { Payment } from '../ledger/payments/payment-states.ts'
import type { FollowedBlock } from '../ledger/records/chain.ts'
import { phasesWithoutOutcome } from '../ledger/transitions.ts'
import type { BlockId, Execution, IntentExecution } from '../ledger/values.ts'
import { listPayments, type Work } from '../ledger/work.ts'
import { findWallet } from '../outcome/payees.ts'
import type { Terms } from '../relayer.ts'

/** Holds the ledger's open work, and the nonces that it has refused in this round. */
export type LedgerSnapshot = {
  /** Holds the work as of one moment; plans use its `now`, the ledger's clock. */
  work: Work
  /** Lists nonces that no payment may get in this round, whatever `work` says. */
  refused: ReadonlySet<number>
}

/** Tells whether a block is in the head's chain; unknown while a replica may lag. */
export type BlockStatus = 'canonical' | 'lost' | 'unknown'

/** Tells what became of a nonce that the chain has used. */
export type NonceFate =
  | { kind: 'mined'; report: MinedReport }
  /** Has no receipt (yet) for any of its transactions. */
  | { kind: 'missing' }
  | { kind: 'unknown' }

/** Tells whether the forwarder has spent a payment's intent. */
export type Spending =
  | { kind: 'unspent' }
  /** Names the execution, unless its event is not found (yet). */
  | { kind: 'spent'; by: IntentExecution | undefined }
  | { kind: 'unknown' }

/** Tells what hashes prove about an outcome that is deep enough to be final. */
export type Proof =
  /** Has a receipt that fits a mined header, with enough work on it. */
  | 'proved'
  /** Has no proof: the nodes do not serve one. */
  | 'unproved'
  /** Has a proved receipt that shows another outcome. */
  | 'refuted'

export type Followed = {
  /** Lists the head and the followed blocks below it, each the parent of the one before. */
  followedBlocks: readonly FollowedBlock[]
  /** Is the relayer's next nonce as the node reported it, if it was asked. */
  reportedNonce: number | undefined
}

/** Holds what a round has read from the chain so far. Undefined if not asked or not answered. */
export type ChainSnapshot = Followed & {
  head: Head
  /** Is the relayer's next nonce in the chain: lower ones are used. */
  chainNonce: number
  /** Lists the compared blocks with transactions of ours, the highest first. */
  blocks: readonly BlockId[]
  /** Maps a block's hash to its status. */
  statuses: ReadonlyMap<string, BlockStatus>
  nonceFates: ReadonlyMap<number, NonceFate>
  /** Maps the sessions of deep outcomes to proofs. Undefined where no proof is required. */
  proofs?: ReadonlyMap<string, Proof> | undefined
  /** Is the same at a final block that every replica has. */
  finalNonce?: number | undefined
  /** Is the same by a second request, because one node's answer may be outdated. */
  rereadNonce?: number | undefined
  /** Gives the time of the block that makes outcomes final (Unix, in seconds). */
  deepTimeSeconds?: number | undefined
  /** Maps sessions to what spent their intent. */
  spendings: ReadonlyMap<string, Spending>
  /** Maps sessions of cash-outs that may get a nonce to whom they pay. */
  payees: ReadonlyMap<string, Payee>
  /** Exceeds every nonce that the node's pool holds. */
  poolNonce?: number | undefined
  /** Is the first nonce that the pool may have lost; read if a block left one of ours waiting. */
  firstMissingNonce?: number | undefined
  isNewHead: boolean
  gasPriceWei?: bigint | undefined
}

/** Returns the gas price, or the last known one. */
export const choosePrice = ({ work }: LedgerSnapshot, { gasPriceWei }: ChainSnapshot) =>
  gasPriceWei ?? work.accountState.gasPriceWei

/** Creates a snapshot that knows only the head and the next nonce. */
export function createChainSnapshot(head: Head, chainNonce: number): ChainSnapshot {
  return {
    head,
    followedBlocks: [],
    chainNonce,
    reportedNonce: undefined,
    blocks: [],
    statuses: new Map(),
    nonceFates: new Map(),
    spendings: new Map(),
    payees: new Map(),
    isNewHead: false,
  }
}

/** Waits this long for a passed nonce's receipt: replicas may lag. */
const missingReceiptMs = 30_000
/** Waits this long for a request's own Worker to send, before it counts as dead. */
const unsentAfterMs = 3_000

export const toBlockId = ({ number, hash }: BlockId): BlockId => ({ number, hash })

/** Returns the number of the block that makes outcomes final. */
export function getDeepNumber({ number }: BlockId, { rules }: Terms): number {
  return Math.max(0, number - rules.confirmations + 1)
}

/** Tells whether the chain is shorter than before: a replica lags, or it was reorganized. */
export function isChainShorter({ work }: LedgerSnapshot, { head, blocks }: ChainSnapshot): boolean {
  return head.number < Math.max(work.head?.number ?? 0, blocks[0]?.number ?? 0)
}

/** Tells whether to wait: a shorter or unknown chain may be that of a lagging replica. */
export function mayLag(ledger: LedgerSnapshot, chain: ChainSnapshot, { rules }: Terms): boolean {
  const { now, behindSince, head } = ledger.work
  const isUnknown = head !== undefined && chain.statuses.get(head.hash) === 'unknown'
  const isBehind = isChainShorter(ledger, chain) || isUnknown
  return isBehind && now - (behindSince ?? now) < rules.regressionMs
}

/** Tells whether the chain has lost the last round's head. */
export function isReorganized(ledger: LedgerSnapshot, chain: ChainSnapshot): boolean {
  const { head } = ledger.work
  if (head === undefined) return false
  return isChainShorter(ledger, chain) || chain.statuses.get(head.hash) === 'lost'
}

/** Returns the lost blocks with transactions of ours. */
export function listLostBlocks({ head, blocks, statuses }: ChainSnapshot): BlockId[] {
  return blocks.filter(({ hash, number }) => number > head.number || statuses.get(hash) === 'lost')
}

/** Tells whether the head was lost while a watched block is unknown; deeper ones are final. */
export function isReorgUnclear(
  ledger: LedgerSnapshot,
  chain: ChainSnapshot,
  { rules }: Terms,
): boolean {
  const { head, blocks, statuses } = chain
  const isUnknown = blocks.some(
    ({ hash, number }) =>
      number <= head.number &&
      number > head.number - rules.watchBlocks &&
      statuses.get(hash) === 'unknown',
  )
  return isUnknown && isReorganized(ledger, chain)
}

/** Tells whether an assigned nonce is neither passed nor open: its row was lost. */
export function isNonceRowLost({ work }: LedgerSnapshot, { chainNonce }: ChainSnapshot): boolean {
  const open = work.nonces.filter(({ nonce }) => nonce >= chainNonce).length
  return open < work.nextNonce - chainNonce
}

/** Returns nonces with transactions, of which the first has the highest price. */
export function listRecordedNonces(work: Work): OpenNonce[] {
  return work.nonces.filter(({ transactions }) => transactions.length > 0)
}

/** Waits this long after its poll before a payment's own request counts as dead. */
const watchEndsMs = 1_000

/** Returns recorded nonces that the chain has used and no request watches any more. */
export function listPassedNonces(work: Work, chainNonce: number, { rules }: Terms): OpenNonce[] {
  const watchedMs = rules.pollMs + watchEndsMs
  return listRecordedNonces(work).filter(
    ({ nonce, sessions, transactions: [latest, ...older] }) => {
      const isAlone = sessions.length === 1 && older.length === 0
      const isWatched = isAlone && work.now - (latest?.recordedAt ?? 0) < watchedMs
      return nonce < chainNonce && !isWatched
    },
  )
}

/** Tells whether a passed nonce lacks a receipt for longer than a replica lags. */
export function isReceiptOverdue(work: Work, { transactions: [latest] }: OpenNonce): boolean {
  const since = latest?.sentAt ?? latest?.recordedAt ?? work.now
  return work.now - since > missingReceiptMs
}

/** Returns payments whose outcome is deep enough to be final. */
export function listDeepPayments(
  work: Work,
  head: BlockId,
  { rules }: Terms,
): (Payment & { execution: Execution })[] {
  return work.mined.flatMap(({ execution, ...payment }) => {
    const number = execution?.block.number
    if (number === undefined || head.number - number + 1 < rules.confirmations) return []
    return [{ ...payment, execution: execution as Execution }]
  })
}

/** Tells whether a request of rows that were lost may still execute in a payment's place. */
export const isInDoubt = ({ possibleLossAt }: Work, { acceptedAt }: Payment): boolean =>
  possibleLossAt !== undefined && acceptedAt >= possibleLossAt

/** Sets for how long after its deadline a payment in doubt is looked up, until its doubt ends. */
const lookUpSeconds = 10 * 60

/** Returns unsettled payments whose deadlines are before this time (Unix, in seconds). */
export function listOverduePayments(work: Work, chain: ChainSnapshot, seconds: number): Payment[] {
  const settled = new Set<string>()
  for (const fate of chain.nonceFates.values()) {
    if (fate.kind !== 'mined') continue
    for (const session of Object.keys(fate.report.executions)) settled.add(session)
  }
  return listPayments(work, phasesWithoutOutcome).filter((payment) => {
    const { order, session } = payment
    const { deadline } = order.request
    const isLookedUp = !isInDoubt(work, payment) || seconds <= deadline + lookUpSeconds
    return deadline < seconds && isLookedUp && !settled.has(session)
  })
}

/** Tells whether the head is past the deadline of a payment without an outcome. */
export function isAnyOverdue(work: Work, { timestampSeconds }: Head): boolean {
  return listPayments(work, phasesWithoutOutcome).some(
    ({ order }) => order.request.deadline < timestampSeconds,
  )
}

/** Returns recorded nonces behind more missing ones than the pool accepts. */
export function listOutOfReach(work: Work, chainNonce: number, { rules }: Terms): OpenNonce[] {
  let missing = 0
  let expected = chainNonce
  return listRecordedNonces(work).filter(({ nonce }) => {
    if (nonce < chainNonce) return false
    missing += nonce - expected
    expected = nonce + 1
    return missing > rules.maxInFlight
  })
}

/** Describes a transaction to send again. */
export type Resend = {
  open: OpenNonce
  latest: OpenNonce['transactions'][number]
  /** Is true if nothing was sent for this nonce yet, as far as the ledger knows. */
  isFirst: boolean
  /** Is true if these bytes were not sent yet, as far as the ledger knows. */
  isUnsent: boolean
  /** Is true if it has long been our next nonce: where a node has it, only a higher price helps. */
  isStuck: boolean
  /** Is true if no node took it the last time: the price may have risen since. */
  hasFailed: boolean
}

const isInReach = (nonce: number, chainNonce: number, { maxInFlight }: PoolRules): boolean =>
  nonce >= chainNonce && nonce < chainNonce + maxInFlight

/** Returns after how many ms without news a transaction is sent again. */
function getWaitMs(latest: Resend['latest'], rules: PoolRules, front: Front): number {
  const { sentAt, failures } = latest
  if (sentAt === undefined) return unsentAfterMs
  if (failures === 0) return rules.rebroadcastMs
  if (isUnblocked(latest, front)) return 0
  return getResendDelayMs(rules, failures, latest === front ? rules.roundMs : rules.rebroadcastMs)
}

type Front = Resend['latest'] | undefined

/** Returns what was last sent for the chain's next nonce. */
export const findFront = (work: Work, chainNonce: number): Front =>
  listRecordedNonces(work).find(({ nonce }) => nonce === chainNonce)?.transactions[0]

/** Tells whether a node took the chain's next nonce after it refused this transaction. */
const isUnblocked = ({ sentAt = 0, failures }: Resend['latest'], front: Front): boolean =>
  failures > 0 && front?.failures === 0 && (front.sentAt ?? 0) > sentAt

/** Tells whether a transaction that no node took is due before the usual time. */
export function isAnyDueSoon(work: Work, chainNonce: number, { rules }: Terms): boolean {
  const front = findFront(work, chainNonce)
  return listRecordedNonces(work).some(({ nonce, transactions: [latest] }) => {
    if (latest === undefined || !isInReach(nonce, chainNonce, rules)) return false
    return latest.failures === 1 || isUnblocked(latest, front)
  })
}

/** Tells whether payments wait for a nonce that the next block may free. */
export function isPoolFull(work: Work, chainNonce: number, { rules }: Terms): boolean {
  const front = findFront(work, chainNonce)
  const isMoving = front !== undefined && work.now - front.recordedAt < rules.replaceAfterMs
  return isMoving && work.queued.length > 0 && listRecordedNonces(work).length >= rules.maxInFlight
}

/** Tells whether a block left out a sent transaction: the pool may have lost it. */
export const wasSkipped = ({ sentAt, failures }: Resend['latest'], { head }: ChainSnapshot) =>
  sentAt !== undefined && failures === 0 && head.timestampSeconds * 1_000 > sentAt + propagationMs

/** Allows for the time that a transaction needs to reach the pools before a block. */
const propagationMs = 3_000

/** Returns what to send again: what the pool drops soon, has lost, or never got. */
export function listDueResends(work: Work, chain: ChainSnapshot, { rules }: Terms): Resend[] {
  const { chainNonce, firstMissingNonce } = chain
  const front = findFront(work, chainNonce)
  return listRecordedNonces(work).flatMap((open) => {
    const [latest] = open.transactions
    if (latest === undefined) return []
    if (!isInReach(open.nonce, chainNonce, rules)) return []
    const { sentAt, recordedAt } = latest
    const silentMs = work.now - (sentAt ?? recordedAt)
    const isTimed = silentMs >= getWaitMs(latest, rules, front)
    const isMissing = firstMissingNonce !== undefined && open.nonce >= firstMissingNonce
    if (!isTimed && !(isMissing && wasSkipped(latest, chain))) return []
    const isUnsent = sentAt === undefined
    const isFirst = isUnsent && open.transactions.length === 1
    // A lost transaction needs no better price, unless the pool loses it again and again.
    const patienceMs = isTimed ? rules.replaceAfterMs : 2 * rules.replaceAfterMs
    const isStuck =
      open.nonce === chainNonce &&
      sentAt !== undefined &&
      silentMs < rules.rebroadcastMs * 2 &&
      work.now - recordedAt >= patienceMs
    return [{ open, latest, isFirst, isUnsent, isStuck, hasFailed: latest.failures > 0 }]
  })
}

/** Tells whether a payment has waited longer than a pool keeps anything: its nonce is wrong. */
export function isPoolNonceWrong(work: Work): boolean {
  return listPayments(work, phasesWithoutOutcome).some((payment) => {
    // After its deadline a payment in doubt waits for no nonce.
    const isPast = payment.order.request.deadline * 1000 < work.now
    if (isPast && isInDoubt(work, payment)) return false
    return work.now - payment.acceptedAt > ledgerRules.displacedMs
  })
}

/** Returns queued payments, accounts taking turns, the oldest first; without overdue ones. */
export function listWaitingPayments(work: Work, { timestampSeconds }: Head): Payment[] {
  const turns = new Map<string, number>()
  const toTurn = ({ order: { request } }: Payment) => {
    const turn = turns.get(request.from) ?? 0
    turns.set(request.from, turn + 1)
    return turn
  }
  // A carried payment has used a turn.
  for (const payment of work.carried) toTurn(payment)
  return work.queued
    .filter(({ order }) => order.request.deadline > timestampSeconds)
    .map((payment) => ({ payment, turn: toTurn(payment) }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ payment }) => payment)
}

/** Assigns payments to a free nonce; without any, its transaction only closes a gap. */
export type Assignment = { nonce: number; payments: readonly Payment[] }

/** Assigns free nonces to waiting payments, in batches, and to gaps; replaces nothing. */
export function assignNonces(
  { work, refused }: LedgerSnapshot,
  { head, chainNonce }: ChainSnapshot,
  { rules }: Terms,
  poolNonce: number,
  isCarriable: (payment: Payment) => boolean,
): Assignment[] {
  const taken = new Set([...refused, ...work.nonces.map(({ nonce }) => nonce)])
  const top = Math.max(-1, ...work.nonces.map(({ nonce }) => nonce))
  let waiting = listWaitingPayments(work, head).filter(isCarriable)
  const filled: Assignment[] = []
  for (let nonce = chainNonce; nonce < chainNonce + rules.maxInFlight; nonce++) {
    if (taken.has(nonce) || nonce < poolNonce) continue
    const payments = waiting
      .filter((payment) => keepsOrder(work, payment, nonce))
      .slice(0, rules.maxInBatch)
    if (payments.length === 0 && nonce >= top) break
    filled.push({ nonce, payments })
    waiting = waiting.filter((payment) => !payments.includes(payment))
  }
  return filled
}

/** Tells whether the account's earlier payments, judged before it, have lower nonces. */
function keepsOrder(work: Work, payment: Payment, nonce: number): boolean {
  return !work.carried.some(
    (other) =>
      (other.nonce ?? -1) > nonce &&
      other.order.request.from === payment.order.request.from &&
      other.acceptedAt <= payment.acceptedAt,
  )
}

/** Tells whether a payment may have been executed: a transaction carried it without effect. */
export const mayBeExecuted = ({ attempts }: Payment): boolean => attempts > 0

/** Tells whether a payment is a cash-out to what was found to be no wallet, and never left. */
export function isPaidToNoWallet(payment: Payment, { payees }: Pick<ChainSnapshot, 'payees'>) {
  const payee = payees.get(payment.session) ?? 'unknown'
  return payee !== 'wallet' && payee !== 'unknown' && !mayBeExecuted(payment)
}

/**
 * Tells whether a payment may be sent: not if it is spent, or doubtful and unknown, nor to an
 * outside address that is no wallet, or of which that is unknown.
 */
export function mayCarry(
  payment: Payment,
  { spendings, payees }: Pick<ChainSnapshot, 'spendings' | 'payees'>,
): boolean {
  const { session, order } = payment
  if (findWallet(order.request) !== undefined && payees.get(session) !== 'wallet') return false
  const kind = spendings.get(session)?.kind
  return kind === 'unspent' || (kind !== 'spent' && !mayBeExecuted(payment))
}
