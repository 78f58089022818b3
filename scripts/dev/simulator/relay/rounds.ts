import type { Address } from 'viem'
import type { LedgerSteps } from '../../../../src/compose/ledger.ts'
import { ledgerRules } from '../../../../src/relay/ledger/draft.ts'
import type { OpenNonce } from '../../../../src/relay/ledger/payments/nonces.ts'
import type { Payment } from '../../../../src/relay/ledger/payments/payment-states.ts'
import type { SyncPort } from '../../../../src/relay/ledger/port.ts'
import type { Work } from '../../../../src/relay/ledger/work.ts'
import type { Actor } from '../actors.ts'
import { undecided } from '../history.ts'
import { spendingKey } from '../model/contracts.ts'
import { selectLimits } from '../plan.ts'
import type { RoundStart, World } from '../world.ts'

// What a round has to have done is written here a second time, by what the chain is and not by what
// the relay has asked of it. Only what was so from its first moment to its last is held against it.

export function beginRound(world: World, ledger: SyncPort<LedgerSteps>): RoundStart | undefined {
  return isQuiet(world) ? { head: world.chain.head(), work: ledger.readWork() } : undefined
}

export function endRound(
  world: World,
  ledger: SyncPort<LedgerSteps>,
  actor: Actor,
  start?: RoundStart,
): void {
  if (start === undefined || !isQuiet(world) || world.chain.head() !== start.head) return
  const left = ledger.readWork()
  // A chain that is shorter than it was is waited for.
  const isBehind = start.work.behindSince !== undefined || left.behindSince !== undefined
  if (!actor.isAlive || actor.troubles.size > 0 || isBehind) return
  for (const words of undone(world, start, left)) found(world, `${actor.name} leaves ${words}`)
}

const found = ({ records }: World, words: string) => records.noticed.push(['done', words])

/** Whether nothing goes wrong at this time. */
const isQuiet = ({ conditions }: World): boolean => !conditions.isTroubled && conditions.isCalm

const isOneBranch = ({ records }: World): boolean => records.reorganizations.length === 0

/** Whether the ledger knows all bytes that were ever signed by its key. */
const isAlone = ({ records: { foreign, displacedTold, losses } }: World): boolean =>
  foreign.size + displacedTold + losses.length === 0

/** Tells whether a round has asked for the count since the last trouble, before this time. */
function isCounted({ records }: World, before: number): boolean {
  const quietFrom = records.quietFrom.at(-1) ?? Number.POSITIVE_INFINITY
  return records.asked.some(
    ({ at, by, method, params }) =>
      at > quietFrom &&
      at < before &&
      by.startsWith('round') &&
      method === 'eth_getTransactionCount' &&
      params[1] === 'latest',
  )
}

function* undone(world: World, start: RoundStart, left: Work): Generator<string> {
  // What held a nonce that the ledger does not know is left alone for longer than it is there.
  if (!isAlone(world)) return
  yield* greedy(world, left)
  yield* overtaken(world, start, left)
  yield* misoffered(world, start, left)
}

/** Finds accounts with more open payments than allowed, reopened payments apart. */
function* greedy(world: World, left: Work): Generator<string> {
  if (!isOneBranch(world)) return
  const open = Map.groupBy(undecided(left), ({ order }) => order.request.from)
  for (const [account, { length }] of open) {
    const caller = world.callers.indexOf(account.toLowerCase() as Address)
    const { openPayments } = selectLimits(world.plan.setup, caller)
    if (length > openPayments) yield `${account} with ${length} open payments`
  }
}

/** Finds accounts that wait while another account gets two turns. */
function* overtaken(world: World, { head, work }: RoundStart, left: Work): Generator<string> {
  if (!isOneBranch(world)) return
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

/** Finds transactions that were sent too late or too early, for nonces that the pool accepts. */
function* misoffered(world: World, start: RoundStart, left: Work): Generator<string> {
  const { head, work } = start
  const { rules } = world.plan.setup
  const { nonce: count } = head.state
  // What a lost block had is offered no sooner than what a node took: no pool need have it.
  const isLeftLying = (sentAt: number | undefined) =>
    sentAt !== undefined && work.now - sentAt >= Math.min(5_000, rules.roundMs)
  // A replica on a branch that the chain has lost may have told that it passed them.
  if (!isCounted(world, work.now)) return
  for (const { nonce, transactions } of recorded(left)) {
    const [latest] = transactions
    const [was] = recorded(work).find((one) => one.nonce === nonce)?.transactions ?? []
    const isWithin = nonce >= count && nonce < count + rules.maxInFlight
    if (latest === undefined || !isWithin) continue
    if (was !== undefined) {
      const bytes = { nonce, was, latest, signed: transactions.length, to: left.now }
      yield* misofferedAt(world, start, bytes)
    } else if (isLeftLying(latest.sentAt)) {
      yield `nonce ${nonce}, which is back, not offered`
    }
  }
}

type Transaction = OpenNonce['transactions'][number]

/** Holds a nonce's latest bytes before and after a round, how many there are, and its end. */
type Bytes = { nonce: number; was: Transaction; latest: Transaction; signed: number; to: number }

/** Finds sends that were due during a whole round and missed, or done too early. */
function* misofferedAt(
  { chain, pool, plan }: World,
  { head, work }: RoundStart,
  { nonce, was, latest, signed, to }: Bytes,
): Generator<string> {
  const { rules, maxGasPriceWei } = plan.setup
  const { rebroadcastMs, replaceAfterMs, roundMs } = rules
  const from = work.now
  const isNext = nonce === head.state.nonce
  const isSame = latest.hash === was.hash
  const since = was.sentAt ?? was.recordedAt
  const isOffered = !isSame || latest.sentAt !== was.sentAt
  // A block could have included the transaction, so the pool may have lost it.
  const isPassedOver = head.timestampSeconds * 1_000 > since + propagationMs
  const isTaken = was.failures === 0 && was.sentAt !== undefined
  const isSeen = work.head?.hash === head.hash || isAged(work)
  const isLost = isNext && isPassedOver && isTaken && !isSeen && pool.nextNonce(nonce) === nonce
  if (isLost && latest.sentAt === was.sentAt) {
    yield `nonce ${nonce}, which the pool has lost, not offered`
  }
  // The Worker that recorded the transaction may still send it.
  const refusedMs = Math.min(5_000, roundMs) * 4 ** (was.failures - 1)
  const mostMs = isNext && was.failures > 0 ? roundMs : rebroadcastMs
  const offeredMs = was.failures === 0 ? rebroadcastMs : Math.min(mostMs, refusedMs)
  const first = recorded(work).find((one) => one.nonce === head.state.nonce)?.transactions[0]
  // A node accepts the next nonce again, and so the nonces behind it.
  const isFreed = was.failures > 0 && first?.failures === 0 && (first.sentAt ?? 0) > since
  const waitsMs = was.sentAt === undefined ? sentByWorkerMs : isFreed ? 0 : offeredMs
  if (from - since >= waitsMs && !isOffered) yield `nonce ${nonce} not offered`
  if (was.sentAt === undefined) return
  const isSooner = isOffered && !isPassedOver && (latest.sentAt ?? to) - since < waitsMs
  if (isSooner) yield `nonce ${nonce} offered too soon`
  // The pool refuses the transaction for its price.
  const isRefused = was.failures > 0 && was.gasPriceWei < chain.minGasPriceWei()
  const isStuck = isNext && was.failures === 0 && from - was.recordedAt >= replaceAfterMs
  const isDue = from - since >= waitsMs && to - since < 2 * rebroadcastMs
  const mayBeOutbid =
    head.state.relayerWei >= enoughWei &&
    signed <= rules.maxReplacements &&
    was.gasPriceWei * BigInt(100 + rules.replacementPercent) <= maxGasPriceWei * 100n
  if ((isStuck || isRefused) && isDue && mayBeOutbid && isSame) yield `nonce ${nonce} not outbid`
  if (isSame || isRefused) return
  const isLate = from - since >= 2 * rebroadcastMs
  if (!isNext || isLate) yield `nonce ${nonce} outbid, which lacks no price`
  if (latest.recordedAt - was.recordedAt < replaceAfterMs) yield `nonce ${nonce} outbid too soon`
}

/** A balance above the cost of all transactions of a history. */
const enoughWei = 10n ** 17n

/** Tells whether a transaction may have left the pool, so that the pool's count is unsure. */
const isAged = (work: Work): boolean =>
  undecided(work).some(({ acceptedAt }) => work.now - acceptedAt > ledgerRules.displacedMs)

/** Time before a block at which a transaction must be in the pools to be included. */
const propagationMs = 3_000

/** Time after which a Worker that has not sent its transaction has died. */
const sentByWorkerMs = 3_000

const recorded = (work: Work): OpenNonce[] =>
  work.nonces.filter(({ transactions }) => transactions.length > 0)
