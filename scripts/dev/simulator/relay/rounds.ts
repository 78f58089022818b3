import type { PoolRules } from '../../../../src/chain/chains.ts'
import type { OpenNonce, Payment, Work } from '../../../../src/relay/ledger/port.ts'
import type { AccountPool } from '../../rootstock-pool/account-pool.ts'
import type { Actor } from '../actors.ts'
import type { ModelBlock, ModelChain } from '../model/chain.ts'
import { spendingKey } from '../model/contracts.ts'
import type { Knobs } from '../plan.ts'
import { undecided } from './open.ts'

/** How things stand when a round begins. */
export type RoundStart = { head: ModelBlock; work: Work }

export type RoundWatchOptions = {
  knobs: Knobs
  chain: ModelChain
  pool: Pick<AccountPool<unknown>, 'nextNonce'>
  work: () => Work
  /** Whether nothing goes wrong at this time, and no row of the ledger was ever lost alone. */
  isQuiet: () => boolean
  /**
   * Whether a round has asked for the key's count since the last that could go wrong did, and before this time
   * (Unix, in ms): what a round asks at its end is for the next.
   */
  isCounted: (before: number) => boolean
  /** Whether the chain never took a block back. */
  isOneBranch: () => boolean
  /** Whether the ledger knows all bytes that were ever signed by its key. */
  isAlone: () => boolean
  found: (words: string) => void
}

/** Looks at what each round leaves. */
export type RoundWatch = {
  /** Undefined where the round is not judged. */
  begin(): RoundStart | undefined
  end(actor: Actor, start: RoundStart | undefined): void
  /** The ledger gave no lease of this nonce. */
  refused(nonce: number): void
  /** A payment that a round has wait again did not change. */
  requeuedInVain(): void
}

/** A request that lives has asked for its receipt so long after its poll. */
const watchEndsMs = 1_000

/**
 * What a round has to have done is written here a second time, by what the chain is and not by what the
 * relay has asked of it: a round that nothing disturbs leaves nothing undone. Only what was so from its
 * first moment to its last is held against it.
 */
export function createRoundWatch(options: RoundWatchOptions): RoundWatch {
  const { chain, work, isQuiet, found } = options
  let current: RoundStart | undefined
  return {
    begin() {
      current = isQuiet() ? { head: chain.head(), work: work() } : undefined
      return current
    },
    refused(nonce) {
      const wasHeld = current !== undefined && heldBy(current.work).includes(nonce)
      if (wasHeld && isQuiet()) found(`a round asks for nonce ${nonce}, which is taken`)
    },
    requeuedInVain() {
      if (current !== undefined && isQuiet()) found('a round has a payment wait again for nothing')
    },
    end(actor, start) {
      if (start === undefined || !isQuiet() || chain.head() !== start.head) return
      const left = work()
      // A chain that is shorter than it was is waited for.
      const isBehind = start.work.behindSince !== undefined || left.behindSince !== undefined
      if (!actor.isAlive || actor.troubles.size > 0 || isBehind) return
      for (const words of undone(options, start, left)) found(`${actor.name} leaves ${words}`)
    },
  }
}

function* undone(options: RoundWatchOptions, start: RoundStart, left: Work): Generator<string> {
  yield* unsettled(options, start, left)
  yield* unsaid(left)
  yield* givenUp(options, start, left)
  yield* greedy(options, left)
  // What held a nonce that the ledger does not know is left alone for longer than it is there.
  if (!options.isAlone()) return
  yield* unfilled(options, start, left)
  yield* overtaken(options, start, left)
  yield* misoffered(options, start, left)
}

/** An account with more open payments than it may have; what a block gave back was open before. */
function* greedy(
  { knobs: { limits }, isAlone, isOneBranch }: RoundWatchOptions,
  left: Work,
): Generator<string> {
  if (!isAlone() || !isOneBranch()) return
  const open = Map.groupBy(undecided(left), ({ order }) => order.request.from)
  for (const [account, { length }] of open) {
    if (length > limits.openPayments) yield `${account} with ${length} open payments`
  }
}

/** Recorded nonces behind more missing ones than the pool is deep, which wait in vain: these and no others. */
function* givenUp(
  { knobs: { rules }, isAlone }: RoundWatchOptions,
  { head, work }: RoundStart,
  left: Work,
): Generator<string> {
  const { nonce: count } = head.state
  const numbersOf = (of: Work) =>
    recorded(of)
      .map(({ nonce }) => nonce)
      .filter((nonce) => nonce >= count)
  const [before, after] = [numbersOf(work), numbersOf(left)]
  for (const nonce of before) {
    const [missing = 0, missingLeft = 0] = [before, after].map(
      (numbers) => nonce - count - numbers.filter((one) => one < nonce).length,
    )
    const isLeft = after.includes(nonce)
    // What a reorganization gave back in this round is missing no more.
    const isBeyond = Math.min(missing, missingLeft) > rules.maxInFlight
    if (isBeyond && isLeft) yield `nonce ${nonce} behind ${missing} missing ones`
    if (missing <= rules.maxInFlight && !isLeft && isAlone()) yield `nonce ${nonce} given up`
  }
}

/** What blocks of the right depth have decided. */
function* unsettled(
  { knobs, chain, isCounted }: RoundWatchOptions,
  { head, work }: RoundStart,
  left: Work,
): Generator<string> {
  const deepNumber = head.number - knobs.rules.confirmations + 1
  for (const { session, execution } of left.mined) {
    // What a reorganization moved into another block is confirmed by the next round.
    const wasMined = work.mined.some(
      (before) =>
        before.session === session && before.execution?.block.hash === execution?.block.hash,
    )
    if (wasMined && (execution?.block.number ?? deepNumber) < deepNumber + 1) {
      yield `a payment unconfirmed in block ${execution?.block.number} below ${head.number}`
    }
  }
  // A payment's own request asks for its receipt first.
  const watchedUntil = work.now - knobs.rules.pollMs - watchEndsMs
  const before = new Set(
    recorded(work)
      .filter(({ transactions: [latest] }) => (latest?.recordedAt ?? 0) <= watchedUntil)
      .map(({ nonce }) => nonce),
  )
  for (const { nonce, transactions } of recorded(left)) {
    const isMined = transactions.some(({ hash }) => chain.find(hash, head) !== undefined)
    // What a replica that was behind told of the count holds until it is asked again.
    if (isMined && before.has(nonce) && isCounted(work.now))
      yield `nonce ${nonce} open, which is mined`
  }
  const deep = chain.blockAt(Math.max(0, deepNumber), head)
  if (deep === undefined) return
  for (const { session, order } of undecided(left)) {
    const { from, intentId, deadline } = order.request
    const wasOpen = undecided(work).some((one) => one.session === session)
    const isDead =
      deadline < deep.timestampSeconds && !head.state.spentAt.has(spendingKey(from, intentId))
    if (wasOpen && isDead) yield `${intentId} open, whose deadline is over`
  }
}

/** A node has the bytes of a payment that is not said to be broadcast. */
function* unsaid(left: Work): Generator<string> {
  for (const { nonce, session, transactions } of recorded(left)) {
    const [latest] = transactions
    if (latest?.sentAt === undefined || latest.failures > 0) continue
    const payment = left.carried.find((one) => one.session === session && one.nonce === nonce)
    if (payment?.state === 'signed')
      yield `a payment signed whose bytes were taken at nonce ${nonce}`
  }
}

/** Nonces that the pool has room for, and payments that could have them. */
function* unfilled(
  { knobs, pool }: RoundWatchOptions,
  { head, work }: RoundStart,
  left: Work,
): Generator<string> {
  const { nonce: count } = head.state
  const held = new Set([...heldBy(work), ...heldBy(left)])
  const highest = Math.max(-1, ...recorded(left).map(({ nonce }) => nonce))
  const free = Array.from({ length: knobs.rules.maxInFlight }, (_, index) => count + index).filter(
    (nonce) => nonce >= pool.nextNonce(count) && !held.has(nonce),
  )
  for (const nonce of free.filter((one) => one < highest)) {
    yield `nonce ${nonce} free below ${highest}`
  }
  for (const { session, order, acceptedAt } of left.queued) {
    const { deadline, from, intentId } = order.request
    const wasQueued = work.queued.some((one) => one.session === session)
    const isTooLate = deadline <= head.timestampSeconds
    // One that was carried in vain goes out where its intent is unspent.
    if (!wasQueued || isTooLate || head.state.spentAt.has(spendingKey(from, intentId))) continue
    const last = left.carried
      .filter((other) => other.order.request.from === from && other.acceptedAt <= acceptedAt)
      .reduce((top, other) => Math.max(top, other.nonce ?? -1), -1)
    const nonce = free.find((one) => one > last)
    if (nonce !== undefined) yield `${intentId} without a nonce, and ${nonce} free`
  }
}

/**
 * Accounts without a payment under way that wait on while another account gets a later turn. A turn is
 * how many payments of its account come before a payment; those that ended in the round count or do not.
 */
function* overtaken(
  { isOneBranch }: RoundWatchOptions,
  { head, work }: RoundStart,
  left: Work,
): Generator<string> {
  if (!isOneBranch()) return
  const accountOf = ({ order }: Payment) => order.request.from
  const isIn = (payments: readonly Payment[], { session }: Payment) =>
    payments.some((one) => one.session === session)
  const queuedBefore = (payment: Payment) =>
    work.queued
      .slice(0, work.queued.indexOf(payment))
      .filter((other) => accountOf(other) === accountOf(payment)).length
  const carriedIn = (payments: readonly Payment[], payment: Payment) =>
    payments.filter((one) => accountOf(one) === accountOf(payment) && !isIn(work.queued, one))
      .length
  const turns = work.queued
    .filter((payment) => isIn(left.carried, payment))
    .map((payment) => queuedBefore(payment) + carriedIn(left.carried, payment))
  const latest = Math.max(0, ...turns)
  for (const payment of work.queued) {
    const { from, deadline, intentId } = payment.order.request
    const isReady = payment.attempts === 0 && deadline > head.timestampSeconds
    const isFirst = carriedIn(work.carried, payment) === 0
    if (!isReady || !isFirst || !isIn(left.queued, payment)) continue
    if (head.state.spentAt.has(spendingKey(from, intentId))) continue
    const turn = queuedBefore(payment)
    if (turn < latest) yield `${intentId} waiting at turn ${turn}, and turn ${latest} carried`
  }
}

/** The bytes of nonces that the pool has room for: offered when it is time, and not before. */
function* misoffered(
  { knobs: { rules, maxGasPriceWei }, chain, isCounted }: RoundWatchOptions,
  { head, work }: RoundStart,
  left: Work,
): Generator<string> {
  const { nonce: count } = head.state
  // A replica on a branch that the chain has lost may have told that it passed them.
  if (!isCounted(work.now)) return
  for (const { nonce, transactions } of recorded(left)) {
    const [latest] = transactions
    const [was] = recorded(work).find((one) => one.nonce === nonce)?.transactions ?? []
    const isWithin = nonce >= count && nonce < count + rules.maxInFlight
    if (latest === undefined || !isWithin) continue
    if (was === undefined) {
      if (isLeftLying(rules, latest, work.now)) yield `nonce ${nonce}, which is back, not offered`
      continue
    }
    const mayBeOutbid =
      head.state.relayerWei >= enoughWei &&
      transactions.length <= rules.maxReplacements &&
      was.gasPriceWei * BigInt(100 + rules.replacementPercent) <= maxGasPriceWei * 100n
    const isRefused = was.failures > 0 && was.gasPriceWei < chain.minGasPriceWei()
    const bytes = { nonce, isNext: nonce === count, isRefused, mayBeOutbid, was, latest }
    yield* misofferedAt(rules, bytes, work.now, left.now)
  }
}

/** Whether what a lost block had is offered no sooner than what a node took: no pool need have it. */
function isLeftLying({ tendMs }: PoolRules, { sentAt }: Transaction, from: number): boolean {
  return sentAt !== undefined && sentAt < from && from - sentAt >= Math.min(5_000, tendMs)
}

type Transaction = OpenNonce['transactions'][number]

/** A nonce's latest bytes, as a round finds and leaves them. */
type Bytes = {
  nonce: number
  /** The chain waits for it. */
  isNext: boolean
  /** The pool does not take it for its price. */
  isRefused: boolean
  mayBeOutbid: boolean
  was: Transaction
  latest: Transaction
}

/** From before a round to after it: what was due all the time, and what was done too early. */
function* misofferedAt(
  { rebroadcastMs, replaceAfterMs, tendMs }: PoolRules,
  { nonce, isNext, isRefused, mayBeOutbid, was, latest }: Bytes,
  from: number,
  to: number,
): Generator<string> {
  const isSame = latest.hash === was.hash
  const since = was.sentAt ?? was.recordedAt
  const isOffered = !isSame || latest.sentAt !== was.sentAt
  // The Worker that recorded it may send it meanwhile.
  const refusedMs = Math.min(5_000, tendMs) * 4 ** (was.failures - 1)
  const offeredMs = was.failures === 0 ? rebroadcastMs : Math.min(rebroadcastMs, refusedMs)
  const waitsMs = was.sentAt === undefined ? sentByWorkerMs : offeredMs
  if (from - since >= waitsMs && !isOffered) yield `nonce ${nonce} not offered`
  if (was.sentAt === undefined) return
  if (isOffered && (latest.sentAt ?? to) - since < waitsMs) yield `nonce ${nonce} offered too soon`
  const isStuck = isNext && from - was.recordedAt >= replaceAfterMs
  const isLate = from - since >= 2 * rebroadcastMs
  const isLateAfterwards = to - since >= 2 * rebroadcastMs
  const isDue = from - since >= waitsMs && !isLateAfterwards
  if ((isStuck || isRefused) && isDue && mayBeOutbid && isSame) yield `nonce ${nonce} not outbid`
  if (isSame || isRefused) return
  if (!isNext || isLate) yield `nonce ${nonce} outbid, which lacks no price`
  if (latest.recordedAt - was.recordedAt < replaceAfterMs) yield `nonce ${nonce} outbid too soon`
}

/** More than the transactions of a history cost. */
const enoughWei = 10n ** 17n

/** A Worker that has not sent what it recorded has died by then. */
const sentByWorkerMs = 3_000

const recorded = (work: Work): OpenNonce[] =>
  work.nonces.filter(({ state, transactions }) => state === 'recorded' && transactions.length > 0)

const heldBy = ({ nonces }: Work): number[] =>
  nonces
    .filter(({ state, leaseLive }) => state === 'recorded' || leaseLive)
    .map(({ nonce }) => nonce)
