import type { BlockHash, Head } from '../../chain/node.ts'
import { faultOf } from '../../runtime/log.ts'
import type { BlockId, Means, Payment, Turn, Work } from '../ledger/port.ts'
import { findExecution, outcomeFor } from '../outcome/executions.ts'
import { readPassed } from '../outcome/settle.ts'
import { blockOfSpending } from '../outcome/spent.ts'
import type { Relayer } from '../relayer.ts'
import {
  type BlockStatus,
  beyondReach,
  type ChainSnapshot,
  chainAt,
  deepNumber,
  deepPayments,
  dueOffers,
  fillings,
  isAwaited,
  isCountShort,
  isDoubtful,
  isPassedOver,
  isPoolCountWrong,
  isReceiptOverdue,
  isReorganized,
  isShorter,
  isUnproven,
  type Known,
  type LedgerSnapshot,
  lostBlocks,
  mayCarry,
  type NonceFate,
  overduePayments,
  passedNonces,
  priceOf,
  recordedNonces,
  type Spending,
} from './facts.ts'
import type { Stage } from './plan.ts'
import { askCount, bottomOf, followTrail, parentOf } from './trail.ts'

const nodeTimeoutMs = 5_000

/**
 * What a stage has to know of the chain besides what is known already. It asks by what the ledger has
 * open, and no more than the stage can use: answers are paid for. Which question comes next may depend
 * on the answer before, so that each is asked in its turn. Where one fails, its answer is unknown, and
 * the others are asked all the same.
 */
export async function ask(
  stage: Exclude<Stage, 'follow'>,
  relayer: Relayer,
  ledger: LedgerSnapshot,
  chain: ChainSnapshot,
): Promise<ChainSnapshot> {
  switch (stage) {
    case 'settle':
      return askSettle(relayer, ledger.work, chain)
    case 'offer':
      return askOffer(relayer, ledger.work, chain)
    case 'carry':
      return askCarry(relayer, ledger, chain)
  }
}

/**
 * The head of the chain, and whether it still holds what it held.
 *
 * @throws {TransportError} {@link RpcError} nothing can be planned without these
 */
export async function askFollow(relayer: Relayer, ledger: LedgerSnapshot): Promise<ChainSnapshot> {
  const { node, clock } = relayer
  const { work } = ledger
  const seen = await node.head(clock.timeout(nodeTimeoutMs))
  const lowest = Math.min(work.head?.number ?? -1, seen.number)
  const blocks = await relayer.ledger.blocks(lowest)
  // A block was noted while the head was asked for, or the chain has lost it: asked once more.
  const isAbove = (blocks[0]?.number ?? -1) > seen.number
  const head = isAbove ? await node.head(clock.timeout(nodeTimeoutMs)) : seen
  const isNewHead = work.head?.hash !== head.hash
  const chain = {
    ...chainAt(head, 0),
    ...(await followed(relayer, work, head)),
    blocks,
    isNewHead,
  }
  if (isAwaited(ledger, chain, relayer)) return chain
  const known = work.head
  const places = new Map<string, BlockStatus>()
  if (known !== undefined && !isShorter(ledger, chain)) {
    const place = await answerOf(relayer, 'follow.failed', () =>
      placeOfLast(relayer, known, work, chain),
    )
    places.set(known.hash, place.kind === 'known' ? place.value : 'unknown')
    if (isAwaited(ledger, { ...chain, places }, relayer)) return { ...chain, places }
  }
  const asked = await askBlocks(relayer, ledger, { ...chain, places }, lowest)
  // A replica that still has what others have lost calls more held than is: nothing is final by that.
  const unheld = [...asked.places].filter(([, place]) => place !== 'held')
  const compared = { ...asked, places: new Map(unheld) }
  if (isUnproven(ledger, compared, relayer)) return compared
  const isLost = isReorganized(ledger, compared) || lostBlocks(compared).length > 0
  if (!isLost || compared.toldCount !== undefined) return compared
  // What lost blocks held was counted, also where the head of the last round was below them: a count may be
  // newer than the head that was read before it.
  const toldCount = await askCount(relayer)
  return { ...compared, toldCount, count: toldCount }
}

/**
 * What was followed, and the account's count: as its blocks show it, and as the node told it last, for
 * others may have used the key.
 */
async function followed(relayer: Relayer, work: Work, head: Head) {
  const { trail, toldCount: told } = await followTrail(relayer, work, head)
  // A refusal may say that the nonce is used: by a block, so that the count is another one with the next.
  const isRefused = work.nonces.some(({ transactions: [latest] }) => (latest?.failures ?? 0) > 0)
  const isDue = isRefused && work.head?.hash !== head.hash
  const toldCount = told ?? (isDue ? await askCount(relayer) : undefined)
  const known = Math.max(trail[0]?.count ?? 0, work.means.toldCount ?? 0)
  return { trail, toldCount, count: toldCount ?? known }
}

/**
 * Which blocks are lost. Those near the head may have been noted on different branches, by others
 * since the last look, so each is looked at; deeper ones were once seen together, so the first that is
 * held ends the search.
 */
async function askBlocks(
  relayer: Relayer,
  ledger: LedgerSnapshot,
  chain: ChainSnapshot,
  lowest: number,
): Promise<ChainSnapshot> {
  const { watchBlocks } = relayer.rules
  const known = ledger.work.head?.number
  const watched = chain.head.number - watchBlocks
  const isLost = isReorganized(ledger, chain)
  const above = isLost ? -1 : isCountShort(ledger, chain) ? watched : (known ?? -1)
  const seenTogether = isLost && known !== undefined ? known - watchBlocks : watched
  const listed = above < lowest ? await relayer.ledger.blocks(above) : chain.blocks
  // What was noted since the first list may be newer than the head: only what that list showed above the
  // head says that the chain is shorter.
  const highest = Math.max(chain.head.number, chain.blocks[0]?.number ?? -1)
  const blocks = listed.filter(({ number }) => number > above && number <= highest)
  const places = new Map(chain.places)
  const bottom = chain.trail.at(-1)?.number ?? chain.head.number
  const placeBelow = placesBelow(relayer, chain)
  for (const block of blocks) {
    const isBelow = isLost && block.number > watched && block.number < bottom
    const place = isBelow ? await placeBelow(block) : await placeOf(relayer, block, chain)
    places.set(block.hash, place)
    if (place === 'held' && block.number <= seenTogether) break
  }
  return { ...chain, blocks, places }
}

/**
 * Where blocks below the trail are once a head was lost, asked from the highest down. A node that is behind
 * still shows what is lost, and what is taken for held here no later round asks for: so a block is held
 * where the head leads down to it.
 */
function placesBelow(
  relayer: Relayer,
  chain: ChainSnapshot,
): (block: BlockId) => Promise<BlockStatus> {
  let lowest: Promise<Head | undefined> | undefined
  return async (block) => {
    const from = await (lowest ?? bottomOf(relayer, chain.head, chain.trail))
    lowest = stepDown(relayer, from, block.number)
    const there = await lowest
    if (there === undefined) return 'unknown'
    return there.hash === block.hash ? 'held' : 'lost'
  }
}

/**
 * Where the head of the last round is. One that is watched is held where the head leads down to it: what is
 * lost is shown by a node that is behind, and no later round asks for it again. After the time in which all
 * catch up each can be believed.
 */
async function placeOfLast(
  relayer: Relayer,
  last: BlockId,
  { now, behindSince }: Work,
  chain: ChainSnapshot,
): Promise<BlockStatus> {
  const { watchBlocks, regressionMs } = relayer.rules
  const gap = chain.head.number - last.number
  const isFollowed = chain.trail[gap] !== undefined
  const isCaughtUp = now - (behindSince ?? now) >= regressionMs
  if (isFollowed || isCaughtUp || gap >= watchBlocks) return placeOf(relayer, last, chain)
  return placesBelow(relayer, chain)(last)
}

/** From a block down to a height, from each to its parent. Undefined where replicas are on different branches. */
async function stepDown(
  relayer: Relayer,
  from: Head | undefined,
  number: number,
): Promise<Head | undefined> {
  let lowest = from
  while (lowest !== undefined && lowest.number > number) lowest = await parentOf(relayer, lowest)
  return lowest
}

/** A block above the head, or one that the node does not show, is unknown: a replica may lag. */
async function placeOf(
  { node, clock }: Relayer,
  block: BlockId,
  { head, trail, places }: ChainSnapshot,
): Promise<BlockStatus> {
  if (block.number > head.number) return 'unknown'
  const known = places.get(block.hash)
  if (known !== undefined) return known
  const there =
    trail[head.number - block.number] ??
    (await node.block(block.number, clock.timeout(nodeTimeoutMs)))
  if (there === undefined) return 'unknown'
  return there.hash === block.hash ? 'held' : 'lost'
}

async function askSettle(
  relayer: Relayer,
  work: Work,
  before: ChainSnapshot,
): Promise<ChainSnapshot> {
  const { node, signer, clock } = relayer
  const { count } = before
  const fates = await askFates(relayer, work, count)
  const deepCount = passedNonces(work, count, relayer).some(
    (open) => fates.get(open.nonce)?.kind === 'missing' && isReceiptOverdue(work, open),
  )
    ? await answerOf(relayer, 'settle.failed', async () => {
        const number = await knownEverywhere(relayer, work, before)
        return node.transactionCount(signer.address, clock.timeout(nodeTimeoutMs), number)
      })
    : before.deepCount
  const places = await askDeepPlaces(relayer, work, before)
  const chain = await askSpendings(relayer, work, { ...before, fates, deepCount, places })
  if (beyondReach(work, count, relayer).length === 0) return chain
  const countAgain = await answerOf(relayer, 'abandon.failed', () =>
    node.transactionCount(signer.address, clock.timeout(nodeTimeoutMs)),
  )
  return { ...chain, countAgain }
}

/**
 * The number of a block at which outcomes are final and that is so old that no replica is behind it: with
 * few confirmations the first may be true seconds before the second. Looks back in growing steps.
 */
async function knownEverywhere(
  relayer: Relayer,
  { now }: Work,
  { head }: ChainSnapshot,
): Promise<number> {
  const { node, clock, rules } = relayer
  // A local chain's clock may be ahead of ours.
  const before = Math.max(now, head.timestampSeconds * 1_000) - rules.regressionMs
  for (let number = deepNumber(head, relayer), step = 1; number > 0; number -= step, step *= 2) {
    const block = await node.block(number, clock.timeout(nodeTimeoutMs))
    if (block !== undefined && block.timestampSeconds * 1_000 <= before) return number
  }
  return 0
}

/** What passed nonces did, by their receipts. */
async function askFates(
  relayer: Relayer,
  work: Work,
  count: number,
): Promise<Map<number, NonceFate>> {
  const carried = new Map(work.carried.map(({ session, order }) => [session, order.request]))
  const fates = new Map<number, NonceFate>()
  for (const { nonce, sessions, transactions } of passedNonces(work, count, relayer)) {
    const requests = new Map(
      sessions.flatMap((session) => {
        const request = carried.get(session)
        return request === undefined ? [] : [[session, request]]
      }),
    )
    const passed = { nonce, sessions, transactions, requests }
    const read = await answerOf(relayer, 'settle.failed', () =>
      readPassed(relayer, passed, relayer.clock.timeout(nodeTimeoutMs)),
    )
    fates.set(nonce, fateOf(read))
  }
  return fates
}

function fateOf(read: Known<Awaited<ReturnType<typeof readPassed>>>): NonceFate {
  if (read.kind === 'unknown') return read
  return read.value === undefined ? { kind: 'missing' } : { kind: 'mined', report: read.value }
}

/**
 * Where the blocks are that make outcomes final. One that is watched has to be part of the trail: a node that
 * is behind shows what is lost, and what is final is not asked for again.
 */
async function askDeepPlaces(
  relayer: Relayer,
  work: Work,
  chain: ChainSnapshot,
): Promise<Map<string, BlockStatus>> {
  const { head, trail } = chain
  const places = new Map(chain.places)
  const watched = head.number - relayer.rules.watchBlocks
  const bottom = trail.at(-1)?.number ?? head.number
  for (const { block } of deepPayments(work, head, relayer)) {
    const isBelow = block.number > watched && block.number < bottom
    if (isBelow || places.has(block.hash)) continue
    const place = await answerOf(relayer, 'confirm.failed', () => placeOf(relayer, block, chain))
    places.set(block.hash, place.kind === 'known' ? place.value : 'unknown')
  }
  return places
}

/**
 * Whether payments past their deadline were executed, as of a block to which the head leads down, and by
 * its hash: of a branch that is lost, or before the deadline, they may be unspent, and that is final.
 */
async function askSpendings(
  relayer: Relayer,
  work: Work,
  chain: ChainSnapshot,
): Promise<ChainSnapshot> {
  const { node, clock } = relayer
  const { head, trail } = chain
  if (overduePayments(work, chain, head.timestampSeconds).length === 0) return chain
  const number = deepNumber(head, relayer)
  const followed = trail[head.number - number]
  // Deeper than blocks are watched none is followed, and no replica is on another branch.
  const isWatched = number > head.number - relayer.rules.watchBlocks
  if (isWatched && followed === undefined) return chain
  const deep = await answerOf(relayer, 'expire.failed', () =>
    node.block(number, clock.timeout(nodeTimeoutMs)),
  )
  if (deep.kind === 'unknown' || deep.value === undefined) return chain
  const { hash, timestampSeconds } = deep.value
  if (isWatched && hash !== followed?.hash) return chain
  const spent = new Map(chain.spent)
  for (const payment of overduePayments(work, chain, timestampSeconds)) {
    const spending = await askSpending(relayer, 'expire.failed', payment, {
      ...deep.value,
      blockHash: hash,
    })
    spent.set(payment.session, spending)
  }
  return { ...chain, deepTimeSeconds: { kind: 'known', value: timestampSeconds }, spent }
}

/** What spent a payment's intent is asked for where it waits; else its nonce shows it. */
async function askSpending(
  relayer: Relayer,
  event: string,
  payment: Payment,
  at?: BlockHash & Head,
): Promise<Spending> {
  const { request } = payment.order
  const spending = await answerOf(relayer, event, async (): Promise<Spending> => {
    if (payment.nonce !== undefined) {
      const block = await blockOfSpending(relayer, request, at)
      return block === undefined ? { kind: 'unspent' } : { kind: 'spent', by: undefined }
    }
    const found = await findExecution(relayer, request, at)
    return found === undefined ? { kind: 'unspent' } : { kind: 'spent', by: outcomeFor(found) }
  })
  return spending.kind === 'known' ? spending.value : spending
}

async function askOffer(relayer: Relayer, work: Work, before: ChainSnapshot) {
  const [next] =
    recordedNonces(work).find(({ nonce }) => nonce === before.count)?.transactions ?? []
  const isMissed = before.isNewHead && next !== undefined && isPassedOver(next, before)
  const chain =
    isMissed && !isPoolCountWrong(work)
      ? { ...before, missingFrom: await askPending(relayer, 'rebroadcast.failed') }
      : before
  const isPriced = dueOffers(work, chain, relayer).some(
    ({ isStuck, isUntaken }) => isStuck || isUntaken,
  )
  return isPriced ? askPrice(relayer, 'rebroadcast.failed', chain) : chain
}

/** What the pool holds, and whether what may go out was executed already, as far as a nonce is free for it. */
async function askCarry(
  relayer: Relayer,
  ledger: LedgerSnapshot,
  before: ChainSnapshot,
): Promise<ChainSnapshot> {
  if (fillings(ledger, before, relayer, 0, () => true).length === 0) return before
  const chain = await askPool(relayer, ledger.work, before)
  const { poolCount } = chain
  if (poolCount.kind === 'unknown') return chain
  const spent = new Map(chain.spent)
  const isUnasked = (payment: Payment) => isDoubtful(payment) && !spent.has(payment.session)
  // As if the chain would say that nothing is spent: so far as there are nonces it is asked.
  const fill = () =>
    fillings(ledger, chain, relayer, poolCount.value, (payment) => {
      return isUnasked(payment) || mayCarry(payment, { spent })
    })
  const next = () => fill().flatMap(({ payments }) => payments.filter(isUnasked))[0]
  for (let doubtful = next(); doubtful !== undefined; doubtful = next()) {
    spent.set(doubtful.session, await askSpending(relayer, 'fill.failed', doubtful))
  }
  const known = { ...chain, spent }
  const isPriced = fill().length === 0 || priceOf(ledger, known).kind === 'known'
  return isPriced ? known : askPrice(relayer, 'fill.failed', known)
}

/**
 * Below which nonce the pool says that something waits. None where a payment has waited for longer
 * than a pool keeps anything: then it is the count that is wrong.
 */
async function askPool(relayer: Relayer, work: Work, chain: ChainSnapshot): Promise<ChainSnapshot> {
  if (chain.poolCount.kind === 'known') return chain
  if (isPoolCountWrong(work)) return { ...chain, poolCount: { kind: 'known', value: 0 } }
  return { ...chain, poolCount: await askPending(relayer, 'fill.failed') }
}

const askPending = (relayer: Relayer, event: string) =>
  answerOf(relayer, event, () => {
    const { node, signer, clock } = relayer
    return node.transactionCount(signer.address, clock.timeout(nodeTimeoutMs), 'pending')
  })

async function askPrice(
  relayer: Relayer,
  event: string,
  chain: ChainSnapshot,
): Promise<ChainSnapshot> {
  const { node, clock } = relayer
  if (chain.gasPriceWei.kind === 'known') return chain
  const gasPriceWei = await answerOf(relayer, event, () =>
    node.gasPrice(clock.timeout(nodeTimeoutMs)),
  )
  return { ...chain, gasPriceWei }
}

/**
 * What payments go by until it is read again. A new block has one of it asked for, in turn, where the
 * stages have asked for nothing of the kind: so what is open costs two calls a block, and payments none.
 */
export async function askMeans(
  relayer: Relayer,
  work: Work,
  chain: ChainSnapshot,
): Promise<{ means: Means; asked: Turn | undefined }> {
  const { gasPriceWei, count } = chain
  const means: Means = {
    count,
    ...(gasPriceWei.kind === 'known' && { gasPriceWei: gasPriceWei.value }),
  }
  const turn = turnOf(work, chain)
  if (turn === undefined) return { means, asked: undefined }
  const answer = await answerOf(relayer, 'means.failed', () => askOne(relayer, turn))
  if (answer.kind === 'unknown') return { means, asked: undefined }
  return { means: { ...means, ...answer.value }, asked: turn }
}

function turnOf({ head, nextMeans, nonces }: Work, chain: ChainSnapshot): Turn | undefined {
  const { count, toldCount, poolCount } = chain
  if (head?.hash === chain.head.hash || toldCount !== undefined) return undefined
  if (poolCount.kind === 'unknown') return nextMeans
  // Where more waits than is ours, it may be the count that a replica told before it had all blocks.
  const own = nonces.filter(({ nonce }) => nonce >= count)
  return poolCount.value > count + own.length ? 'toldCount' : undefined
}

async function askOne(relayer: Relayer, name: Turn): Promise<Means> {
  const { node, signer, clock } = relayer
  const signal = clock.timeout(nodeTimeoutMs)
  switch (name) {
    case 'gasPriceWei':
      return { gasPriceWei: await node.gasPrice(signal) }
    case 'balanceWei':
      return { balanceWei: await node.balance(signer.address, signal) }
    case 'toldCount':
      return { toldCount: await askCount(relayer) }
  }
}

/** One question's failure is logged, and its answer is unknown. */
async function answerOf<Value>(
  { log }: Relayer,
  event: string,
  question: () => Promise<Value>,
): Promise<Known<Value>> {
  try {
    return { kind: 'known', value: await question() }
  } catch (error) {
    log({ level: 'warn', event, message: faultOf(error) })
    return { kind: 'unknown' }
  }
}
