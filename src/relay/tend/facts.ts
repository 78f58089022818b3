import { type PoolRules, resendAfterMs } from '../../chain/chains.ts'
import type { Head } from '../../chain/node.ts'
import type {
  BlockId,
  Execution,
  FollowedBlock,
  MinedReport,
  OpenNonce,
  Payment,
  Work,
} from '../ledger/port.ts'
import { ledgerRules, paymentsOf } from '../ledger/port.ts'
import { undecidedPhases } from '../ledger/transitions.ts'
import type { Terms } from '../relayer.ts'

/** What the ledger has open, as plain data, and what it has refused to this round since. */
export type LedgerSnapshot = {
  /** Read at one moment. Its `now` is the time that the plan goes by: the ledger's own clock. */
  work: Work
  /** Nonces that no payment can have in this round, whatever `work` tells of them. */
  refused: ReadonlySet<number>
}

/** An answer of the chain: unknown where the question failed or was not asked. */
export type Known<Value> = { kind: 'known'; value: Value } | { kind: 'unknown' }

/** Whether a block is part of the chain as the head shows it; unknown where a replica may lag. */
export type BlockStatus = 'held' | 'lost' | 'unknown'

/** What a nonce that the chain has passed did. */
export type NonceFate =
  | { kind: 'mined'; report: MinedReport }
  /** None of the transactions that were recorded for it has a receipt (yet). */
  | { kind: 'missing' }
  | { kind: 'unknown' }

/** Whether the forwarder has spent a payment's intent. */
export type Spending =
  | { kind: 'unspent' }
  /** By this execution; undefined where its event is not found (yet). */
  | { kind: 'spent'; by: Execution | undefined }
  | { kind: 'unknown' }

/** What is known of a chain when a round begins. */
export type Followed = {
  /** The head and the blocks below it, as far as they were followed from one to the next; the head first. */
  trail: readonly FollowedBlock[]
  /** The account's count as the node told it; undefined where it was not asked. */
  toldCount: number | undefined
}

/** What the chain says, as plain data. A round fills it as its stages ask; what is there is not asked again. */
export type ChainSnapshot = Followed & {
  head: Head
  /** Transactions of the relayer's account in the chain: the nonce of the next one. */
  count: number
  /** Blocks that hold something of ours and were compared with the chain, the highest first. */
  blocks: readonly BlockId[]
  /** By the block's hash. */
  places: ReadonlyMap<string, BlockStatus>
  /** By the nonce. */
  fates: ReadonlyMap<number, NonceFate>
  /** `count` at a block at which outcomes are final and that no replica is behind any more. */
  deepCount: Known<number>
  /** `count`, read a second time: one node's reading may be old. */
  countAgain: Known<number>
  /** Unix time in seconds of the block at the depth where outcomes are final. */
  deepTimeSeconds: Known<number>
  /** By the payment's session. */
  spent: ReadonlyMap<string, Spending>
  /** Below this nonce the node's pool holds something. */
  poolCount: Known<number>
  /** The same, asked where a block has passed over what waits: from here on the pool may have lost it. */
  missingFrom: Known<number>
  /** No round has seen this head before. */
  isNewHead: boolean
  gasPriceWei: Known<bigint>
}

/** What the node asks for a unit of gas, by what it said last. */
export function priceOf({ work }: LedgerSnapshot, { gasPriceWei }: ChainSnapshot): Known<bigint> {
  const value = work.means.gasPriceWei
  if (gasPriceWei.kind === 'known' || value === undefined) return gasPriceWei
  return { kind: 'known', value }
}

/** What a chain's snapshot begins with: its head, and nothing else asked. */
export function chainAt(head: Head, count: number): ChainSnapshot {
  return {
    head,
    trail: [],
    count,
    toldCount: undefined,
    blocks: [],
    places: new Map(),
    fates: new Map(),
    deepCount: { kind: 'unknown' },
    countAgain: { kind: 'unknown' },
    deepTimeSeconds: { kind: 'unknown' },
    spent: new Map(),
    poolCount: { kind: 'unknown' },
    missingFrom: { kind: 'unknown' },
    isNewHead: false,
    gasPriceWei: { kind: 'unknown' },
  }
}

/** A passed nonce without a receipt of ours: replicas get this long to show it. */
const missingReceiptMs = 30_000
/** The request's own Worker sends recorded bytes first; after this time it has died. */
const unsentAfterMs = 3_000

/** A block's name without the rest of its head. */
export const blockIdOf = ({ number, hash }: BlockId): BlockId => ({ number, hash })

/** The block at which outcomes are final, counted from a head. */
export function deepNumber({ number }: BlockId, { rules }: Terms): number {
  return Math.max(0, number - rules.confirmations + 1)
}

/** Whether the chain is shorter than what was seen of it: a lagging replica, or a reorganization. */
export function isShorter({ work }: LedgerSnapshot, { head, blocks }: ChainSnapshot): boolean {
  return head.number < Math.max(work.head?.number ?? 0, blocks[0]?.number ?? 0)
}

/**
 * Whether the chain has been shorter, or has not led down to what was seen of it, for less time than a
 * replica needs: nothing is decided by it.
 */
export function isAwaited(ledger: LedgerSnapshot, chain: ChainSnapshot, { rules }: Terms): boolean {
  const { now, behindSince, head } = ledger.work
  const isUnknown = head !== undefined && chain.places.get(head.hash) === 'unknown'
  const isBehind = isShorter(ledger, chain) || isUnknown
  return isBehind && now - (behindSince ?? now) < rules.regressionMs
}

/** Whether the chain has lost the head that everything was last checked against. */
export function isReorganized(ledger: LedgerSnapshot, chain: ChainSnapshot): boolean {
  const { head } = ledger.work
  if (head === undefined) return false
  return isShorter(ledger, chain) || chain.places.get(head.hash) === 'lost'
}

/** Blocks with something of ours that are not part of the chain any more. */
export function lostBlocks({ head, blocks, places }: ChainSnapshot): BlockId[] {
  return blocks.filter(({ hash, number }) => number > head.number || places.get(hash) === 'lost')
}

/**
 * Whether a head was lost, and of a watched block that may have gone with it no node on the same branch
 * tells. What lies deeper is waited for by nothing: a node may not have it any more.
 */
export function isUnproven(
  ledger: LedgerSnapshot,
  chain: ChainSnapshot,
  { rules }: Terms,
): boolean {
  const { head, blocks, places } = chain
  const isUnknown = blocks.some(
    ({ hash, number }) =>
      number <= head.number &&
      number > head.number - rules.watchBlocks &&
      places.get(hash) === 'unknown',
  )
  return isUnknown && isReorganized(ledger, chain)
}

/** Whether nonces are neither passed nor open that were handed out: something noted them and was lost. */
export function isCountShort({ work }: LedgerSnapshot, { count }: ChainSnapshot): boolean {
  const open = work.nonces.filter(({ nonce }) => nonce >= count).length
  return open < work.nextNonce - count
}

/** Nonces with recorded bytes; their first transaction has the highest price. */
export function recordedNonces(work: Work): OpenNonce[] {
  return work.nonces.filter(({ transactions }) => transactions.length > 0)
}

/** A payment's own request has asked for its receipt by so long after its poll, or has died. */
const watchEndsMs = 1_000

/** Recorded nonces that the chain has passed, but those whose receipt the payment's own request asks for. */
export function passedNonces(work: Work, count: number, { rules }: Terms): OpenNonce[] {
  const watchedMs = rules.pollMs + watchEndsMs
  return recordedNonces(work).filter(({ nonce, sessions, transactions: [latest, ...older] }) => {
    const isAlone = sessions.length === 1 && older.length === 0
    const isWatched = isAlone && work.now - (latest?.recordedAt ?? 0) < watchedMs
    return nonce < count && !isWatched
  })
}

/** Whether a passed nonce has been without a receipt for longer than a replica lags. */
export function isReceiptOverdue(work: Work, { transactions: [latest] }: OpenNonce): boolean {
  const since = latest?.sentAt ?? latest?.recordedAt ?? work.now
  return work.now - since > missingReceiptMs
}

/** Payments whose outcome lies at the depth where it is final, with its block. */
export function deepPayments(
  work: Work,
  head: BlockId,
  { rules }: Terms,
): { session: string; block: BlockId }[] {
  return work.mined.flatMap(({ session, execution }) => {
    const block = execution?.block
    if (block === undefined || head.number - block.number + 1 < rules.confirmations) return []
    return [{ session, block }]
  })
}

/**
 * Payments whose deadline lies before a time of the chain (Unix, in seconds), but those whose outcome
 * a passed nonce has shown.
 */
export function overduePayments(work: Work, chain: ChainSnapshot, seconds: number): Payment[] {
  const settled = new Set<string>()
  for (const fate of chain.fates.values()) {
    if (fate.kind !== 'mined') continue
    for (const session of Object.keys(fate.report.executions)) settled.add(session)
  }
  return paymentsOf(work, undecidedPhases).filter(
    ({ order, session }) => order.request.deadline < seconds && !settled.has(session),
  )
}

/** Whether a payment that has no outcome yet is past its deadline, as the head has it. */
export function isAnyOverdue(work: Work, { timestampSeconds }: Head): boolean {
  return paymentsOf(work, undecidedPhases).some(
    ({ order }) => order.request.deadline < timestampSeconds,
  )
}

/** Recorded nonces behind more missing ones than the pool is deep. */
export function beyondReach(work: Work, count: number, { rules }: Terms): OpenNonce[] {
  let missing = 0
  let expected = count
  return recordedNonces(work).filter(({ nonce }) => {
    if (nonce < count) return false
    missing += nonce - expected
    expected = nonce + 1
    return missing > rules.maxInFlight
  })
}

/** Bytes that have to be offered to the pool again. */
export type Offer = {
  open: OpenNonce
  latest: OpenNonce['transactions'][number]
  /** Nothing was ever offered for this nonce, as far as the ledger knows. */
  isFirst: boolean
  /**
   * It waits for its block for too long, nothing else of ours waits before it, and the pool had it
   * lately from us: only then a price is what it lacks.
   */
  isStuck: boolean
  /** No node took it when it was offered last: where the price has risen since, the pool waits for a better one. */
  isUntaken: boolean
}

const isInReach = (nonce: number, count: number, { maxInFlight }: PoolRules): boolean =>
  nonce >= count && nonce < count + maxInFlight

/** After how many ms of silence bytes are offered again. */
function offeredAfterMs({ sentAt, failures }: Offer['latest'], rules: PoolRules): number {
  if (sentAt === undefined) return unsentAfterMs
  return failures === 0 ? rules.rebroadcastMs : resendAfterMs(rules, failures)
}

/** Whether bytes are to be offered again before the usual time: no node took them when they were offered. */
export function isAnyRefusedOnce(work: Work, count: number, { rules }: Terms): boolean {
  return recordedNonces(work).some(
    ({ nonce, transactions: [latest] }) => latest?.failures === 1 && isInReach(nonce, count, rules),
  )
}

/**
 * Whether a block could have had the bytes that a node took, and the chain waits for them or for others of ours
 * before them: the pool may have lost them.
 */
export const isPassedOver = ({ sentAt, failures }: Offer['latest'], { head }: ChainSnapshot) =>
  sentAt !== undefined && failures === 0 && head.timestampSeconds * 1_000 > sentAt + propagationMs

/** A block has what reached the pools so long before its time. */
const propagationMs = 3_000

/**
 * What is offered again: before the pool drops it, where the pool shows that it has lost it, or since nothing says
 * that it was offered at all.
 */
export function dueOffers(work: Work, chain: ChainSnapshot, { rules }: Terms): Offer[] {
  const { count, missingFrom } = chain
  return recordedNonces(work).flatMap((open) => {
    const [latest] = open.transactions
    if (latest === undefined) return []
    if (!isInReach(open.nonce, count, rules)) return []
    const { sentAt, recordedAt } = latest
    const silentMs = work.now - (sentAt ?? recordedAt)
    const isTimed = silentMs >= offeredAfterMs(latest, rules)
    const isMissing = missingFrom.kind === 'known' && open.nonce >= missingFrom.value
    if (!isTimed && !(isMissing && isPassedOver(latest, chain))) return []
    const isFirst = sentAt === undefined && open.transactions.length === 1
    // What a pool loses lacks no price, unless it does so again and again.
    const patienceMs = isTimed ? rules.replaceAfterMs : 2 * rules.replaceAfterMs
    const isStuck =
      open.nonce === count &&
      sentAt !== undefined &&
      silentMs < rules.rebroadcastMs * 2 &&
      work.now - recordedAt >= patienceMs
    return [{ open, latest, isFirst, isStuck, isUntaken: latest.failures > 0 }]
  })
}

/** Whether a payment has waited for longer than a pool keeps anything: then its count is wrong. */
export function isPoolCountWrong(work: Work): boolean {
  return paymentsOf(work, undecidedPhases).some(
    ({ acceptedAt }) => work.now - acceptedAt > ledgerRules.displacedMs,
  )
}

/**
 * Payments that wait for a nonce, in the order in which they get one: accounts take turns, and within
 * an account the oldest is first. Past its deadline the forwarder would refuse one: it waits for the
 * depth that makes that final.
 */
export function waitingPayments(work: Work, { timestampSeconds }: Head): Payment[] {
  const turns = new Map<string, number>()
  const turnOf = ({ order: { request } }: Payment) => {
    const turn = turns.get(request.from) ?? 0
    turns.set(request.from, turn + 1)
    return turn
  }
  // What is carried already was a turn.
  for (const payment of work.carried) turnOf(payment)
  return work.queued
    .filter(({ order }) => order.request.deadline > timestampSeconds)
    .map((payment) => ({ payment, turn: turnOf(payment) }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ payment }) => payment)
}

/** A free nonce, and the payments that it gets; none: a transaction that carries nothing. */
export type Filling = { nonce: number; payments: readonly Payment[] }

/**
 * Which payments get which free nonce, both from the lowest, {@link PoolRules.maxInBatch} at most: first those that
 * leave a gap below a recorded one, which get a transaction that carries nothing where no payment can take
 * them. The pool holds something unknown below its count: that is never bumped over.
 *
 * @param isGood whether a payment may go out; one that may not keeps no other from the nonce
 */
export function fillings(
  { work, refused }: LedgerSnapshot,
  { head, count }: ChainSnapshot,
  { rules }: Terms,
  poolCount: number,
  isGood: (payment: Payment) => boolean,
): Filling[] {
  const taken = new Set([...refused, ...work.nonces.map(({ nonce }) => nonce)])
  const top = Math.max(-1, ...work.nonces.map(({ nonce }) => nonce))
  let waiting = waitingPayments(work, head).filter(isGood)
  const filled: Filling[] = []
  for (let nonce = count; nonce < count + rules.maxInFlight; nonce++) {
    if (taken.has(nonce) || nonce < poolCount) continue
    const payments = waiting
      .filter((payment) => keepsOrder(work, payment, nonce))
      .slice(0, rules.maxInBatch)
    if (payments.length === 0 && nonce >= top) break
    filled.push({ nonce, payments })
    waiting = waiting.filter((payment) => !payments.includes(payment))
  }
  return filled
}

/** Whether all earlier payments of the account come before it: it was judged as the one after them. */
function keepsOrder(work: Work, payment: Payment, nonce: number): boolean {
  return !work.carried.some(
    (other) =>
      (other.nonce ?? -1) > nonce &&
      other.order.request.from === payment.order.request.from &&
      other.acceptedAt <= payment.acceptedAt,
  )
}

/** Whether a payment may have been executed already: a transaction carried it, in vain as far as was seen. */
export const isDoubtful = ({ attempts }: Payment): boolean => attempts > 0

/** Whether a payment may go out: not where it is spent, or where that is unknown and to be doubted. */
export function mayCarry(payment: Payment, { spent }: Pick<ChainSnapshot, 'spent'>): boolean {
  const spending = spent.get(payment.session)
  switch (spending?.kind) {
    case 'spent':
      return false
    case 'unspent':
      return true
    case 'unknown':
    case undefined:
      return !isDoubtful(payment)
  }
}
