import { type Hex, numberToHex } from 'viem'
import type { Head } from '../../chain/node.ts'
import { describeFault } from '../../runtime/log.ts'
import type { SignedNonce } from '../ledger/payments/nonces.ts'
import type { FollowedBlock } from '../ledger/records/chain.ts'
import type { Work } from '../ledger/work.ts'
import type { Relayer } from '../relayer.ts'
import { type Followed, getDeepNumber, isAnyOverdue } from './facts.ts'

const nodeTimeoutMs = 5_000

/**
 * Follows parents' hashes from the head down to the lowest watched block that an outcome depends
 * on, each block once. Starts again if they do not reach the blocks followed earlier.
 * @throws {TransportError} {@link RpcError}
 */
export async function followBlocks(relayer: Relayer, work: Work, head: Head): Promise<Followed> {
  const { followedBlocks, reportedNonce, bottom } = await extendToHead(relayer, work, head)
  return {
    followedBlocks: await extendDown(relayer, work, head, { followedBlocks, bottom }),
    reportedNonce,
  }
}

/** Holds followed blocks; `bottom` is the lowest as a whole block, undefined if only stored. */
type Walk = { followedBlocks: readonly FollowedBlock[]; bottom: Head | undefined }

async function extendToHead(relayer: Relayer, work: Work, head: Head): Promise<Walk & Followed> {
  if (work.followedBlocks[0]?.hash === head.hash) {
    return { followedBlocks: work.followedBlocks, reportedNonce: undefined, bottom: undefined }
  }
  const newBlocks = await readMissingBlocks(relayer, work, head)
  const bottom = newBlocks.at(-1)
  const overlapIndex = work.followedBlocks.findIndex(({ hash }) => hash === bottom?.parentHash)
  const olderBlocks = overlapIndex < 0 ? [] : work.followedBlocks.slice(overlapIndex)
  // Read now, because a payment may have been recorded and mined since the work was read.
  const signed = await relayer.ledger.listSigned()
  const extended = appendBlocks(relayer, signed, newBlocks, olderBlocks, work.followedBlocks[0])
  const followedBlocks = extended.slice(0, relayer.rules.watchBlocks)
  // Asks the node if stored blocks were lost, or if the new blocks do not reach the stored ones.
  const reportedNonce = overlapIndex === 0 ? undefined : await askNextNonce(relayer)
  return { followedBlocks, reportedNonce, bottom: olderBlocks.length === 0 ? bottom : undefined }
}

/** Extends the followed blocks down to a late outcome, or to the end of an overdue payment. */
async function extendDown(
  relayer: Relayer,
  work: Work,
  head: Head,
  { followedBlocks, bottom }: Walk,
): Promise<readonly FollowedBlock[]> {
  const watchedAbove = head.number - relayer.rules.watchBlocks
  const executionHeights = work.mined.flatMap(({ execution }) => execution?.block.number ?? [])
  const heights = isAnyOverdue(work, head)
    ? [...executionHeights, getDeepNumber(head, relayer)]
    : executionHeights
  const lowest = Math.min(...heights.filter((number) => number > watchedAbove))
  if ((followedBlocks.at(-1)?.number ?? 0) <= lowest) return followedBlocks
  const from =
    bottom ??
    (await askOrLog(relayer, 'follow.failed', () => findBottom(relayer, head, followedBlocks)))
  if (from === undefined) return followedBlocks
  const [, ...olderBlocks] = await walkDown(relayer, from, ({ number }) => number <= lowest)
  if (olderBlocks.length === 0) return followedBlocks
  const lowerBlocks = appendBlocks(relayer, await relayer.ledger.listSigned(), olderBlocks, [])
  const nonceCountBelow = lowerBlocks[0]?.count ?? 0
  const upperBlocks = followedBlocks.map((block) => ({
    ...block,
    count: Math.max(block.count, nonceCountBelow),
  }))
  return [...upperBlocks, ...lowerBlocks]
}

/** Returns the lowest followed block if a node has it. @throws {TransportError} {@link RpcError} */
export async function findBottom(
  { node, clock }: Relayer,
  head: Head,
  followedBlocks: readonly FollowedBlock[],
): Promise<Head | undefined> {
  const bottom = followedBlocks.at(-1)
  if (bottom === undefined || bottom.hash === head.hash) return head
  const shownBlock = await node.getBlock(bottom.number, clock.timeout(nodeTimeoutMs))
  return shownBlock?.hash === bottom.hash ? shownBlock : undefined
}

/** Returns the relayer's next nonce as of a block. @throws {TransportError} {@link RpcError} */
export const askNextNonce = (
  { node, signer, clock }: Relayer,
  at: number | 'latest' | 'pending' = 'latest',
): Promise<number> => node.getTransactionCount(signer.address, clock.timeout(nodeTimeoutMs), at)

/** Returns the blocks from the head down to the followed ones, or to the lowest watched one. */
async function readMissingBlocks(
  relayer: Relayer,
  { followedBlocks }: Work,
  head: Head,
): Promise<Head[]> {
  const [top, bottom] = [followedBlocks[0], followedBlocks.at(-1)]
  // Nothing is watched below such a gap.
  if (top === undefined || head.number - top.number >= relayer.rules.watchBlocks) return [head]
  const followedHashes = new Set(followedBlocks.map(({ hash }) => hash))
  const end = Math.max(bottom?.number ?? 0, head.number - relayer.rules.watchBlocks + 1)
  return walkDown(
    relayer,
    head,
    ({ number, parentHash }) => followedHashes.has(parentHash) || number <= end,
  )
}

/** Returns a block and its ancestors, down to the last wanted one or to where the node fails. */
export async function walkDown(
  relayer: Relayer,
  from: Head,
  isLast: (block: Head) => boolean,
): Promise<Head[]> {
  const walked = [from]
  for (let lowest = from; !isLast(lowest); ) {
    const block = lowest
    const parent = await askOrLog(relayer, 'follow.failed', () => findParent(relayer, block))
    if (parent === undefined) break
    walked.push(parent)
    lowest = parent
  }
  return walked
}

/** Asks, or logs the failure and returns undefined. */
export async function askOrLog<Value>(
  { log }: Relayer,
  event: string,
  question: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await question()
  } catch (error) {
    log({ level: 'warn', event, message: describeFault(error) })
    return undefined
  }
}

/** Returns a block's parent if the node has it. @throws {TransportError} {@link RpcError} */
export async function findParent(
  { node, clock }: Relayer,
  { number, parentHash }: Head,
): Promise<Head | undefined> {
  const parent = await node.getBlock(number - 1, clock.timeout(nodeTimeoutMs))
  return parent?.hash === parentHash ? parent : undefined
}

/** Adds blocks on top of followed ones, or above a gap, with the relayer's next nonce. */
function appendBlocks(
  { proofs }: Relayer,
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
