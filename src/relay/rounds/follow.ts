import { type Hex, numberToHex } from 'viem'
import type { Head } from '../../chain/node.ts'
import type { FollowedBlock } from '../ledger/meta.ts'
import type { SignedNonce } from '../ledger/payments/nonces.ts'
import type { Payment } from '../ledger/payments/payment-states.ts'
import { mayBeAssured } from '../ledger/records/settled.ts'
import { phasesWithoutOutcome } from '../ledger/transitions.ts'
import type { BlockId } from '../ledger/values.ts'
import { listPayments, type Work } from '../ledger/work.ts'
import { type Action, record } from './execute.ts'
import {
  type BlockStatus,
  compareBlock,
  getDeepNumber,
  judgeBlock,
  type Plan,
  type RoundFacts,
  type StageTerms,
} from './facts.ts'
import { type Asking, ask, askOrLog, askParent, walkDown } from './questions.ts'

/** Holds what is compared: recorded blocks, the highest first, with the chain as followed. */
type Comparison = {
  work: Work
  terms: StageTerms
  head: Head
  followedBlocks: readonly FollowedBlock[]
  chainNonce: number
  blocks: readonly BlockId[]
  statuses: Map<string, BlockStatus>
}

/** Is decided while the round may do nothing else. */
type Waiting = { actions: readonly Action[]; facts?: undefined }

/**
 * Follows the chain, and reopens what lost blocks settled. Waits while the chain is shorter or
 * unknown, since a replica may lag.
 */
export function* followChain(work: Work, terms: StageTerms): Asking<Plan | Waiting> {
  const { head: last } = work
  const firstHead = yield* ask('getHead')
  const lowest = Math.min(last?.number ?? -1, firstHead.number)
  const recent = yield* ask('listBlocks', lowest)
  // A recorded block is above the head, as a new one or a lost one: ask for the head again.
  const isAbove = (recent[0]?.number ?? -1) > firstHead.number
  const head = isAbove ? yield* ask('getHead') : firstHead
  const followed = yield* followBlocks(work, head, terms)
  const statuses = new Map<string, BlockStatus>()
  const isNewHead = last?.hash !== head.hash
  const facts = { ...startFacts, head, isNewHead, ...followed, statuses }
  const first = { work, terms, head, ...followed, blocks: recent, statuses }
  const waiting: Waiting = { actions: [record('recordHead', undefined)] }
  if (mayLag(first)) return waiting
  if (last !== undefined && !isChainShorter(first)) {
    statuses.set(last.hash, yield* compareLastHead(last, first))
    if (mayLag(first)) return waiting
  }
  const compared = yield* compareBlocks(first, lowest)
  if (mayLag(compared) || isReorgUnclear(compared)) return waiting
  const lost = compared.blocks.filter(
    ({ hash, number }) => number > head.number || statuses.get(hash) === 'lost',
  )
  const reorganized = isReorganized(compared) ? last : undefined
  // The next nonce may be from lost blocks, even above the last round's head: ask for it.
  const isLost = reorganized !== undefined || lost.length > 0
  const reportedNonce =
    followed.reportedNonce ?? (isLost ? yield* ask('getNextNonce', 'latest') : undefined)
  const { followedBlocks } = followed
  const finalSeconds = followedBlocks[terms.rules.confirmations - 1]?.timestampSeconds
  return {
    actions: [
      { kind: 'followHead', followedBlocks, reportedNonce, finalSeconds, lost, reorganized },
    ],
    facts: { ...facts, reportedNonce, chainNonce: reportedNonce ?? followed.chainNonce },
  }
}

const startFacts = { spendings: new Map(), payees: new Map(), refused: new Set<number>() }

/** Tells whether the chain is shorter than before: a replica lags, or it was reorganized. */
function isChainShorter({ work, head, blocks }: Comparison): boolean {
  return head.number < Math.max(work.head?.number ?? 0, blocks[0]?.number ?? 0)
}

/** Tells whether to wait: a shorter or unknown chain may be that of a lagging replica. */
function mayLag(comparison: Comparison): boolean {
  const { work, terms, statuses } = comparison
  const { now, behindSince, head } = work
  const isUnknown = head !== undefined && statuses.get(head.hash) === 'unknown'
  const isBehind = isChainShorter(comparison) || isUnknown
  return isBehind && now - (behindSince ?? now) < terms.rules.regressionMs
}

/** Tells whether the chain has lost the last round's head. */
function isReorganized(comparison: Comparison): boolean {
  const { head } = comparison.work
  if (head === undefined) return false
  return isChainShorter(comparison) || comparison.statuses.get(head.hash) === 'lost'
}

/** Tells whether the head was lost while a watched block is unknown; deeper ones are final. */
function isReorgUnclear(comparison: Comparison): boolean {
  const { terms, head, blocks, statuses } = comparison
  const isUnknown = blocks.some(
    ({ hash, number }) =>
      number <= head.number &&
      number > head.number - terms.rules.watchBlocks &&
      statuses.get(hash) === 'unknown',
  )
  return isUnknown && isReorganized(comparison)
}

/** Tells whether an assigned nonce is neither passed nor open: its row was lost. */
function isNonceRowLost({ work, chainNonce }: Comparison): boolean {
  const open = work.nonces.filter(({ nonce }) => nonce >= chainNonce).length
  return open < work.nextNonce - chainNonce
}

/** Compares the last head by parents' hashes; after a while as any node shows it. */
function* compareLastHead(last: BlockId, comparison: Comparison): Asking<BlockStatus> {
  const { work, terms, head, followedBlocks } = comparison
  const { watchBlocks, regressionMs } = terms.rules
  const gap = head.number - last.number
  const isFollowed = followedBlocks[gap] !== undefined
  const isCaughtUp = work.now - (work.behindSince ?? work.now) >= regressionMs
  if (isFollowed || isCaughtUp || gap >= watchBlocks) {
    return yield* compareBlock(undefined, last, comparison)
  }
  const bottom = yield* askBottom('follow.failed', head, followedBlocks)
  return judgeBlock(last, yield* walkDownTo('follow.failed', bottom, last.number))
}

/** Finds lost blocks: all near the head, and deeper ones down to the first that is held. */
function* compareBlocks(comparison: Comparison, lowest: number): Asking<Comparison> {
  const { work, terms, head, followedBlocks, blocks: recent, statuses } = comparison
  const { watchBlocks } = terms.rules
  const last = work.head?.number
  const watchedAbove = head.number - watchBlocks
  const isLost = isReorganized(comparison)
  const above = isLost ? -1 : isNonceRowLost(comparison) ? watchedAbove : (last ?? -1)
  const seenTogether = isLost && last !== undefined ? last - watchBlocks : watchedAbove
  const listed = above < lowest ? yield* ask('listBlocks', above) : recent
  // Blocks recorded since the first list may be above the head; the chain is not shorter then.
  const highest = Math.max(head.number, recent[0]?.number ?? -1)
  const blocks = listed.filter(({ number }) => number > above && number <= highest)
  const bottomNumber = followedBlocks.at(-1)?.number ?? head.number
  let lower: Head | 'unread' | undefined = 'unread'
  for (const block of blocks) {
    let status = statuses.get(block.hash)
    if (isLost && block.number > watchedAbove && block.number < bottomNumber) {
      // A lagging node shows lost blocks, so this one is reached by parents' hashes.
      if (lower === 'unread') lower = yield* askBottom(undefined, head, followedBlocks)
      lower = yield* walkDownTo(undefined, lower, block.number)
      status = judgeBlock(block, lower)
    }
    status ??= yield* compareBlock(undefined, block, comparison)
    statuses.set(block.hash, status)
    if (status === 'canonical' && block.number <= seenTogether) break
  }
  // A replica that is behind still shows lost blocks as canonical, which makes nothing final.
  for (const [hash, status] of statuses) if (status === 'canonical') statuses.delete(hash)
  return { ...comparison, blocks }
}

/** Goes down to a height by parents' hashes; undefined where replicas are on different branches. */
function* walkDownTo(
  event: string | undefined,
  from: Head | undefined,
  number: number,
): Asking<Head | undefined> {
  let lowest = from
  while (lowest !== undefined && lowest.number > number) lowest = yield* askParent(event, lowest)
  return lowest
}

/** Asks for the lowest followed block; undefined if the nodes show another one there. */
function* askBottom(
  event: string | undefined,
  head: Head,
  followedBlocks: readonly FollowedBlock[],
): Asking<Head | undefined> {
  const bottom = followedBlocks.at(-1)
  if (bottom === undefined || bottom.hash === head.hash) return head
  const shown = yield* askOrLog(event, 'getBlock', bottom.number)
  return shown?.hash === bottom.hash ? shown : undefined
}

/**
 * Follows parents' hashes from the head down to the lowest watched block that an outcome depends
 * on, each block once. Starts again if they do not reach the blocks followed earlier. The next
 * nonce is by blocks and by node, as others may use the key.
 */
function* followBlocks(
  work: Work,
  head: Head,
  terms: StageTerms,
): Asking<Pick<RoundFacts, 'followedBlocks' | 'reportedNonce' | 'chainNonce'>> {
  const isFollowed = work.followedBlocks[0]?.hash === head.hash
  const upper: Walk = isFollowed
    ? { followedBlocks: work.followedBlocks, reported: undefined, bottom: undefined }
    : yield* extendUp(work, head, terms)
  const followedBlocks = yield* extendDown(work, head, terms, upper)
  // A refusal may mean that a block used the nonce: then the next block shows a higher one.
  const isRefused = work.nonces.some(({ transactions: [latest] }) => (latest?.failures ?? 0) > 0)
  const isDue = isRefused && work.head?.hash !== head.hash
  const reportedNonce = upper.reported ?? (isDue ? yield* ask('getNextNonce', 'latest') : undefined)
  const known = Math.max(followedBlocks[0]?.count ?? 0, work.accountState.reportedNonce ?? 0)
  return { followedBlocks, reportedNonce, chainNonce: reportedNonce ?? known }
}

/** Holds followed blocks; `bottom` is the lowest as a whole block, undefined if only stored. */
type Walk = {
  followedBlocks: readonly FollowedBlock[]
  reported: number | undefined
  bottom: Head | undefined
}

/** Follows the chain from the head down to the stored blocks, or to the lowest watched one. */
function* extendUp({ followedBlocks: stored }: Work, head: Head, terms: StageTerms): Asking<Walk> {
  const { watchBlocks } = terms.rules
  const [top, storedBottom] = [stored[0], stored.at(-1)]
  const storedHashes = new Set(stored.map(({ hash }) => hash))
  // Nothing is watched below a gap that is wider than the watched blocks.
  const isGap = top === undefined || head.number - top.number >= watchBlocks
  const end = isGap
    ? head.number
    : Math.max(storedBottom?.number ?? 0, head.number - watchBlocks + 1)
  const isLast = ({ number, parentHash }: Head) => number <= end || storedHashes.has(parentHash)
  const newBlocks = yield* walkDown(head, isLast)
  const bottom = newBlocks.at(-1)
  const overlap = stored.findIndex(({ hash }) => hash === bottom?.parentHash)
  const older = overlap < 0 ? [] : stored.slice(overlap)
  // Read now, because a payment may have been recorded and mined since the work was read.
  const signed = yield* ask('listSigned')
  const blocks = appendBlocks(terms, signed, newBlocks, older, top)
  // Asks the node if stored blocks were lost, or if the new blocks do not reach the stored ones.
  const reported = overlap === 0 ? undefined : yield* ask('getNextNonce', 'latest')
  const followedBlocks = blocks.slice(0, watchBlocks)
  return { followedBlocks, reported, bottom: older.length === 0 ? bottom : undefined }
}

/**
 * Extends the followed blocks down to a late outcome, or to the final block where that ends an
 * overdue payment or may assure one.
 */
function* extendDown(
  work: Work,
  head: Head,
  terms: StageTerms,
  { followedBlocks, bottom }: Walk,
): Asking<readonly FollowedBlock[]> {
  const watchedAbove = head.number - terms.rules.watchBlocks
  const isAnyOverdue = listPayments(work, phasesWithoutOutcome).some(
    ({ order }) => order.request.deadline < head.timestampSeconds,
  )
  const heights = work.mined.flatMap(({ execution }) => execution?.block.number ?? [])
  const isAssurable = (payment: Payment) => mayBeAssured(payment, work.now)
  const mayAssure = terms.readSettled !== undefined && work.mined.some(isAssurable)
  if (isAnyOverdue || mayAssure) heights.push(getDeepNumber(head, terms))
  const lowest = Math.min(...heights.filter((number) => number > watchedAbove))
  if ((followedBlocks.at(-1)?.number ?? 0) <= lowest) return followedBlocks
  const from = bottom ?? (yield* askBottom('follow.failed', head, followedBlocks))
  if (from === undefined) return followedBlocks
  const [, ...blocks] = yield* walkDown(from, ({ number }) => number <= lowest)
  if (blocks.length === 0) return followedBlocks
  const lowerBlocks = appendBlocks(terms, yield* ask('listSigned'), blocks, [])
  const countBelow = lowerBlocks[0]?.count ?? 0
  const upperBlocks = followedBlocks.map((block) => ({
    ...block,
    count: Math.max(block.count, countBelow),
  }))
  return [...upperBlocks, ...lowerBlocks]
}

/** Adds blocks on top of followed ones, or above a gap, with the relayer's next nonce. */
function appendBlocks(
  { proofs }: StageTerms,
  signed: readonly SignedNonce[],
  newBlocks: readonly Head[],
  olderBlocks: readonly FollowedBlock[],
  previousTop?: FollowedBlock,
): FollowedBlock[] {
  const nonceByHash = new Map(signed.map(({ hash, nonce }) => [hash, nonce]))
  const blocks = [...olderBlocks]
  for (const head of newBlocks.toReversed()) {
    const { transactions, parentHash: _, leastPriceWei: __, difficulty, ...block } = head
    const nextNonces = transactions.map((transaction) => (nonceByHash.get(transaction) ?? -1) + 1)
    const count = Math.max(blocks[0]?.count ?? 0, ...nextNonces)
    const floor = getDifficultyFloor(blocks[0] ?? previousTop, block.number, difficulty)
    blocks.unshift({ ...block, count, ...(proofs && { difficulty, floor }) })
  }
  return blocks
}

/** Limits how much a difficulty may fall from block to block (RSKIP156). */
const maxFallPerBlock = 1 / 400

/** Returns the least difficulty to accept above a block: half of its own, or the floor before. */
export function getDifficultyFloor(
  lower: Pick<FollowedBlock, 'number' | 'floor'> | undefined,
  number: number,
  difficulty = '0x0',
): Hex {
  const own = BigInt(difficulty) / 2n
  const blocks = Math.max(1, number - (lower?.number ?? 0))
  // In fixed point with 40 bits, because a bigint has no fractions.
  const remainingShare = BigInt(Math.floor((1 - maxFallPerBlock) ** blocks * 2 ** 40))
  const inheritedFloor = (BigInt(lower?.floor ?? 0) * remainingShare) >> 40n
  return numberToHex(own > inheritedFloor ? own : inheritedFloor)
}
