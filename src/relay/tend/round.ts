import type { Head } from '../../chain/node.ts'
import { faultOf } from '../../runtime/log.ts'
import { identityOf } from '../identity.ts'
import type { Tended } from '../ledger/keeper.ts'
import {
  type BlockId,
  ledgerRules,
  type OpenNonce,
  type Payment,
  type SignedTransaction,
  type Work,
} from '../ledger/port.ts'
import { broadcast } from '../outcome/broadcast.ts'
import { findExecution, outcomeFor } from '../outcome/executions.ts'
import { logTransitions } from '../outcome/log-transitions.ts'
import { settleNonce } from '../outcome/settle.ts'
import { isSpent } from '../outcome/spent.ts'
import { type Relayer, signFor } from '../relayer.ts'

const NODE_TIMEOUT_MS = 5_000

/** The request's own Worker sends recorded bytes first; after this time it has died. */
const UNSENT_AFTER_MS = 3_000

/** A passed nonce without a receipt of ours: replicas get this long to show it. */
const MISSING_RECEIPT_MS = 30_000

/**
 * One round of looking after everything that is open: settle what the chain has passed, send again
 * what it has not, fill gaps, carry what waits, take back what a reorganization removed.
 *
 * Safe to run twice, at any time, by anybody: each change is the ledger's compare-and-set.
 */
export async function tend(relayer: Relayer): Promise<Tended> {
  const { ledger, clock, node, signer, log } = relayer
  // What is too old may stay another round; what is open may not wait for it.
  await attempt(relayer, 'prune.failed', () => ledger.prune())
  const before = await ledger.work()
  if (isIdle(before)) return 'idle'
  const identified = await ledger.identify(identityOf(relayer))
  if (identified.kind === 'different') {
    log({
      level: 'error',
      event: 'identity.different',
      message: `A ledger with open payments was begun with other values of: ${identified.names.join(', ')}`,
    })
    return 'watching'
  }

  const [seen, chainNonce] = await Promise.all([
    node.head(clock.timeout(NODE_TIMEOUT_MS)),
    node.transactionCount(signer.address, clock.timeout(NODE_TIMEOUT_MS)),
  ])
  const head = await followHead(relayer, before, seen, chainNonce)
  if (head === undefined) return 'open'

  await mend(relayer, await ledger.work())
  await settlePassed(relayer, await ledger.work(), head, chainNonce)
  await confirmDeep(relayer, await ledger.work(), head)
  await expireOverdue(relayer, await ledger.work(), head)
  await comeBack(relayer, await ledger.work(), chainNonce)
  await keepInPool(relayer, await ledger.work(), chainNonce)
  await fillNonces(relayer, await ledger.work(), head, chainNonce)

  const after = await ledger.work()
  if (isOpen(after)) return 'open'
  return after.watching ? 'watching' : 'idle'
}

function isOpen(work: Work): boolean {
  return (
    work.nonces.length > 0 ||
    work.queued.length > 0 ||
    work.carried.length > 0 ||
    work.mined.length > 0
  )
}

function isIdle(work: Work): boolean {
  return !isOpen(work) && !work.watching
}

/** Whether a block is part of the chain as this head shows it. */
type Place = 'held' | 'lost' | 'unknown'

/**
 * Checks that the chain still holds what it held, and takes back what it does not. Gives the head to
 * go on with; undefined while the chain is shorter than what was seen of it: a lagging replica, until
 * that has lasted too long for one.
 */
async function followHead(
  relayer: Relayer,
  work: Work,
  seen: Head,
  chainNonce: number,
): Promise<Head | undefined> {
  const { ledger, node, clock, log, rules } = relayer
  const known = work.head
  const [highest] = await ledger.blocks(seen.number)
  // Somebody noted a block while the head was asked for, or the chain has lost it: asked once more.
  const head = highest === undefined ? seen : await node.head(clock.timeout(NODE_TIMEOUT_MS))
  const isShorter = head.number < Math.max(known?.number ?? 0, highest?.number ?? 0)
  if (isShorter) {
    await ledger.sawHead(undefined)
    const since = work.behindSince ?? work.now
    if (work.now - since < rules.regressionMs) return undefined
    for (const block of await ledger.blocks(head.number)) await takeBack(relayer, block)
  }
  if (known !== undefined && (isShorter || (await placeOf(relayer, known, head)) === 'lost')) {
    log({
      level: 'warn',
      event: 'chain.reorganized',
      message: 'The chain lost a block that it held; what it held of ours goes out again',
      block: known.number,
      head: head.number,
    })
    await takeBackLost(relayer, -1, head, known.number - rules.watchBlocks)
  } else {
    // Noted by others since the last look: of any branch. Also those that should have been counted.
    const isCountShort = openFrom(work, chainNonce) < work.nextNonce - chainNonce
    const above = isCountShort ? head.number - rules.watchBlocks : (known?.number ?? -1)
    await takeBackLost(relayer, above, head, head.number - rules.watchBlocks)
  }
  await ledger.sawHead({ number: head.number, hash: head.hash })
  return head
}

/** Nonces from this one on that are leased or recorded. */
function openFrom(work: Work, chainNonce: number): number {
  return work.nonces.filter((open) => open.nonce >= chainNonce).length
}

/**
 * Takes back every block above a height that the chain does not hold. Blocks near the head may have
 * been noted on different branches, so each is looked at; those deeper than `mixedAbove` were once
 * seen together, so the first that is held ends the search.
 */
async function takeBackLost(
  relayer: Relayer,
  above: number,
  head: Head,
  mixedAbove: number,
): Promise<void> {
  for (const block of await relayer.ledger.blocks(above)) {
    const place = await placeOf(relayer, block, head)
    if (place === 'lost') await takeBack(relayer, block)
    if (place === 'held' && block.number <= mixedAbove) return
  }
}

/** A block above the head, or one that the node does not show, is unknown: a replica may lag. */
async function placeOf({ node, clock }: Relayer, block: BlockId, head: Head): Promise<Place> {
  if (block.number > head.number) return 'unknown'
  const there =
    block.number === head.number
      ? head
      : await node.block(block.number, clock.timeout(NODE_TIMEOUT_MS))
  if (there === undefined) return 'unknown'
  return there.hash === block.hash ? 'held' : 'lost'
}

async function takeBack({ ledger, log }: Relayer, block: BlockId): Promise<void> {
  logTransitions(log, await ledger.reopen(block.hash))
}

/**
 * Rows that were lost leave others behind that nothing would ever move: a payment without its nonce
 * waits for another one, and a nonce without its bytes is left to whatever it holds.
 */
async function mend(relayer: Relayer, work: Work): Promise<void> {
  const { ledger, log } = relayer
  const lost = (message: string) => log({ level: 'error', event: 'ledger.incomplete', message })
  const carriers = new Set<string | undefined>()
  for (const { nonce, session, state, transactions } of work.nonces) {
    if (state !== 'recorded') continue
    if (transactions.length > 0) carriers.add(session)
    else {
      lost(`The bytes that were recorded for nonce ${nonce} are gone`)
      logTransitions(log, await ledger.displaced(nonce))
    }
  }
  for (const { session, nonce } of work.carried) {
    if (carriers.has(session)) continue
    const requeued = await ledger.requeue(session)
    if (requeued.length > 0)
      lost(`Nonce ${nonce} does not carry the payment that it was recorded for`)
    logTransitions(log, requeued)
  }
}

/** Reads what passed nonces did. */
async function settlePassed(
  relayer: Relayer,
  work: Work,
  head: Head,
  chainNonce: number,
): Promise<void> {
  const { ledger, clock, log } = relayer
  const payments = bySession(work.carried)
  for (const open of work.nonces) {
    if (open.nonce >= chainNonce || open.state !== 'recorded') continue
    const payment = open.session === undefined ? undefined : payments.get(open.session)
    await attempt(relayer, 'settle.failed', async () => {
      const signal = clock.timeout(NODE_TIMEOUT_MS)
      const settled = await settleNonce(
        relayer,
        {
          nonce: open.nonce,
          session: open.session,
          transactions: open.transactions,
          request: payment?.order.request,
        },
        signal,
      )
      if (settled || !isOverdue(work, open)) return
      if (!(await isPassedDeep(relayer, open.nonce, head, signal))) return
      log({
        level: 'warn',
        event: 'nonce.foreign',
        message: 'The chain passed a nonce of ours with a transaction that is not ours',
        nonce: open.nonce,
      })
      logTransitions(log, await ledger.displaced(open.nonce))
    })
  }
}

function isOverdue(work: Work, open: OpenNonce): boolean {
  const [latest] = open.transactions
  const since = latest?.sentAt ?? latest?.recordedAt ?? work.now
  return work.now - since > MISSING_RECEIPT_MS
}

/**
 * Whether the chain has passed a nonce at the depth where outcomes are final. A receipt that is not
 * there before may be one that a lagging replica does not have yet.
 */
async function isPassedDeep(
  { node, signer, rules }: Relayer,
  nonce: number,
  head: Head,
  signal: AbortSignal,
): Promise<boolean> {
  const deep = Math.max(0, head.number - rules.confirmations + 1)
  return (await node.transactionCount(signer.address, signal, deep)) > nonce
}

/**
 * Outcomes become final at the chain's depth. Whoever noted a block may have seen another branch, so
 * each block is looked at once more before anything in it is final.
 */
async function confirmDeep(relayer: Relayer, work: Work, head: Head): Promise<void> {
  const { ledger, log, rules } = relayer
  const places = new Map<string, Place>()
  for (const payment of work.mined) {
    const block = payment.execution?.block
    if (block === undefined || head.number - block.number + 1 < rules.confirmations) continue
    await attempt(relayer, 'confirm.failed', async () => {
      const place = places.get(block.hash) ?? (await placeOf(relayer, block, head))
      places.set(block.hash, place)
      if (place === 'held') logTransitions(log, await ledger.confirm(payment.session, block.hash))
      if (place === 'lost') await takeBack(relayer, block)
    })
  }
}

/**
 * A payment is dead when its deadline lies before a block at confirmation depth and its intent is
 * unspent there: the forwarder will refuse it for ever.
 */
async function expireOverdue(relayer: Relayer, work: Work, head: Head): Promise<void> {
  const { node, clock, rules } = relayer
  const overdue = [...work.queued, ...work.carried].filter(
    (payment) => payment.order.request.deadline < head.timestampSeconds,
  )
  if (overdue.length === 0) return
  const depth = Math.max(0, head.number - rules.confirmations + 1)
  const deep = await attempt(relayer, 'expire.failed', () =>
    node.block(depth, clock.timeout(NODE_TIMEOUT_MS)),
  )
  if (deep === undefined) return
  for (const payment of overdue) {
    if (payment.order.request.deadline >= deep.timestampSeconds) continue
    await attempt(relayer, 'expire.failed', () => expireOrSettle(relayer, payment))
  }
}

async function expireOrSettle(relayer: Relayer, payment: Payment): Promise<void> {
  const { ledger, clock, log } = relayer
  const { request } = payment.order
  const signal = clock.timeout(NODE_TIMEOUT_MS)
  if (!(await isSpent(relayer, request, signal))) {
    return logTransitions(log, await ledger.expire(payment.session))
  }
  const found = await findExecution(relayer, request, signal)
  if (found !== undefined && payment.state === 'queued') {
    logTransitions(log, await ledger.settle(payment.session, outcomeFor(found)))
  }
}

/**
 * A counter that ran ahead of the chain (a node that lied about the count, lost storage) comes back:
 * nonces behind a gap wider than the pool is deep are given up, and their payments find others.
 */
async function comeBack(relayer: Relayer, work: Work, chainNonce: number): Promise<void> {
  const { ledger, node, signer, clock, log, rules } = relayer
  if (beyondReach(work, chainNonce, rules.maxInFlight).length === 0) return
  // One node's reading may be old: what is given up is out of reach by two.
  const again = await node.transactionCount(signer.address, clock.timeout(NODE_TIMEOUT_MS))
  for (const open of beyondReach(work, Math.max(chainNonce, again), rules.maxInFlight)) {
    log({
      level: 'warn',
      event: 'nonce.ahead',
      message: 'A nonce too far ahead of the chain was given up',
      nonce: open.nonce,
      chain: chainNonce,
    })
    logTransitions(log, await ledger.abandon(open.nonce))
  }
}

/** Recorded nonces behind more missing ones than the pool is deep. */
function beyondReach(work: Work, chainNonce: number, maxInFlight: number): OpenNonce[] {
  let missing = 0
  let expected = chainNonce
  return work.nonces.filter((open) => {
    if (open.state !== 'recorded' || open.nonce < chainNonce) return false
    missing += open.nonce - expected
    expected = open.nonce + 1
    return missing > maxInFlight
  })
}

/** Sends recorded bytes again before the pool drops them, and outbids the one that all others wait for. */
async function keepInPool(relayer: Relayer, work: Work, chainNonce: number): Promise<void> {
  const { rules } = relayer
  for (const open of work.nonces) {
    if (open.state !== 'recorded' || open.nonce < chainNonce) continue
    const [latest] = open.transactions
    if (latest === undefined || open.nonce >= chainNonce + rules.maxInFlight) continue
    await attempt(relayer, 'rebroadcast.failed', () =>
      sendAgain(relayer, work, open, latest, open.nonce === chainNonce),
    )
  }
}

/**
 * The same bytes go out again when it is time. Only those that a pool holds, that nothing else waits
 * before and that it had from us lately, are outbid: a price mends nothing else.
 */
async function sendAgain(
  relayer: Relayer,
  work: Work,
  open: OpenNonce,
  latest: OpenNonce['transactions'][number],
  isFront: boolean,
): Promise<void> {
  const { clock, rules } = relayer
  const silentMs = work.now - (latest.sentAt ?? latest.recordedAt)
  const isDue = silentMs >= (latest.sentAt === undefined ? UNSENT_AFTER_MS : rules.rebroadcastMs)
  if (!isDue) return
  const isFirst = latest.sentAt === undefined && open.transactions.length === 1
  const signal = clock.timeout(NODE_TIMEOUT_MS)
  const verdict = await broadcast(relayer, open.nonce, latest, isFirst, signal)
  const isStuck =
    isFront &&
    latest.sentAt !== undefined &&
    silentMs < rules.rebroadcastMs * 2 &&
    work.now - latest.recordedAt >= rules.replaceAfterMs
  if (isStuck && (verdict === 'taken' || verdict === 'price_too_low')) {
    await replace(relayer, work, open, latest)
  }
}

/** New bytes over our own, at the price that the pool asks of a replacement; the request stays as it was signed. */
async function replace(
  relayer: Relayer,
  work: Work,
  open: OpenNonce,
  latest: SignedTransaction,
): Promise<void> {
  const { ledger, node, clock, log, rules, fees } = relayer
  const payment = bySession(work.carried).get(open.session ?? '')
  const slot = { nonce: open.nonce, priorGasPriceWei: latest.gasPriceWei }
  const price = await node.gasPrice(clock.timeout(NODE_TIMEOUT_MS))
  const transaction = await signFor(relayer, slot, price, payment?.order.request)
  const isSpentOut = open.transactions.length > rules.maxReplacements
  if (isSpentOut || transaction.gasPriceWei > fees.maxWei) {
    log({
      level: 'error',
      event: 'nonce.stuck',
      message: 'A nonce waits for its block and may not be outbid any further',
      nonce: open.nonce,
      replacements: open.transactions.length - 1,
    })
    return
  }
  const recorded = await ledger.replace({
    nonce: open.nonce,
    over: latest.hash,
    carriesPayment: payment !== undefined,
    transaction,
  })
  if (recorded.kind === 'fenced') return
  log({
    level: 'warn',
    event: 'nonce.replaced',
    message: 'A nonce that waited too long was outbid',
    nonce: open.nonce,
    hash: transaction.hash,
    over: latest.hash,
  })
  await broadcast(relayer, open.nonce, transaction, false, clock.timeout(NODE_TIMEOUT_MS))
}

/**
 * Carries waiting payments on free nonces: first on those that leave a gap below a recorded one,
 * which otherwise are used up by transactions that carry nothing. A nonce that held something unknown
 * is free again when no pool can hold that any more.
 */
async function fillNonces(
  relayer: Relayer,
  work: Work,
  head: Head,
  chainNonce: number,
): Promise<void> {
  const { ledger, node, clock, rules } = relayer
  const taken = new Set(
    work.nonces.filter((open) => open.state === 'recorded' || open.leaseLive).map(nonceOf),
  )
  const recorded = work.nonces.filter((open) => open.state === 'recorded').map(nonceOf)
  const top = Math.max(chainNonce - 1, ...recorded)
  const limit = chainNonce + rules.maxInFlight
  // Past its deadline the forwarder would refuse it: it waits for the depth that makes that final.
  const waiting = work.queued.filter(
    ({ order, attempts }) =>
      order.request.deadline > head.timestampSeconds && attempts < ledgerRules.maxAttempts,
  )
  let price: Promise<bigint> | undefined
  const askPrice = () => {
    price ??= node.gasPrice(clock.timeout(NODE_TIMEOUT_MS))
    return price
  }
  let poolNonce: Promise<number> | undefined
  const askPool = () => {
    poolNonce ??= countedByPool(relayer, work, limit)
    return poolNonce
  }
  for (let nonce = chainNonce; nonce < limit; nonce++) {
    if (taken.has(nonce)) continue
    const isGap = nonce < top
    const index = waiting.findIndex((payment) => keepsOrder(work, payment, nonce))
    const payment = waiting[index]
    if (payment === undefined && !isGap) break
    // The pool holds something there that is not ours: it is never bumped over.
    if (nonce < (await askPool())) continue
    const filled = await attempt(relayer, 'fill.failed', () =>
      fill(relayer, nonce, chainNonce, payment, askPrice),
    )
    // What holds the nonce is not known: the payment tries the next one.
    if (filled !== 'taken' && payment !== undefined) waiting.splice(index, 1)
  }
  const abandoned = work.nonces.filter((open) => open.state === 'leased' && !open.leaseLive)
  await ledger.release(abandoned.map(nonceOf), chainNonce)
}

/**
 * Below which nonce the pool says that something waits. All of them where it does not answer; none
 * where a payment has waited for longer than a pool keeps anything: then it is the count that is wrong.
 */
async function countedByPool(relayer: Relayer, work: Work, limit: number): Promise<number> {
  const { node, signer, clock } = relayer
  const isCountWrong = [...work.queued, ...work.carried].some(
    ({ acceptedAt }) => work.now - acceptedAt > ledgerRules.displacedMs,
  )
  if (isCountWrong) return 0
  const count = await attempt(relayer, 'fill.failed', () =>
    node.transactionCount(signer.address, clock.timeout(NODE_TIMEOUT_MS), 'pending'),
  )
  return count ?? limit
}

/** Whether all earlier payments of the account come before it: it was judged as the one after them. */
function keepsOrder(work: Work, payment: Payment, nonce: number): boolean {
  return !work.carried.some(
    (other) =>
      other.nonce !== undefined &&
      other.nonce > nonce &&
      other.order.request.from === payment.order.request.from &&
      other.acceptedAt <= payment.acceptedAt,
  )
}

async function fill(
  relayer: Relayer,
  nonce: number,
  chainNonce: number,
  payment: Payment | undefined,
  askPrice: () => Promise<bigint>,
): Promise<'taken' | 'done'> {
  const { ledger, clock, log, newToken } = relayer
  if (payment !== undefined && payment.attempts > 0) {
    const signal = clock.timeout(NODE_TIMEOUT_MS)
    const { request } = payment.order
    if (await isSpent(relayer, request, signal)) {
      const found = await findExecution(relayer, request, signal)
      if (found !== undefined) {
        logTransitions(log, await ledger.settle(payment.session, outcomeFor(found)))
      }
      return 'done'
    }
  }
  const token = newToken()
  const session = payment?.session
  const leased = await ledger.lease({ nonce, token, chainNonce, session })
  if (leased.kind === 'taken') return 'taken'
  const transaction = await signFor(relayer, leased.slot, await askPrice(), payment?.order.request)
  const attached = await ledger.attach({ nonce, token, transaction })
  if (attached.kind === 'fenced') return 'done'
  const isFirst = leased.slot.priorGasPriceWei === undefined
  await broadcast(relayer, nonce, transaction, isFirst, clock.timeout(NODE_TIMEOUT_MS))
  return 'done'
}

/** One thing's failure is logged and does not keep the round from the others. */
async function attempt<Result>(
  relayer: Relayer,
  event: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    relayer.log({ level: 'warn', event, message: faultOf(error) })
    return undefined
  }
}

const nonceOf = (open: OpenNonce): number => open.nonce

function bySession(payments: readonly Payment[]): Map<string, Payment> {
  return new Map(payments.map((payment) => [payment.session, payment]))
}
