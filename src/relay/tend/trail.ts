import type { Head } from '../../chain/node.ts'
import { faultOf } from '../../runtime/log.ts'
import type { FollowedBlock, SignedNonce, Work } from '../ledger/port.ts'
import type { Relayer } from '../relayer.ts'

const nodeTimeoutMs = 5_000

/** What is known of a chain when a round begins. */
export type Followed = {
  /** The head and the blocks below it, as far as they were followed from one to the next; the head first. */
  trail: readonly FollowedBlock[]
  /** The account's count as the node told it; undefined where it was not asked. */
  toldCount: number | undefined
}

/**
 * The head with the blocks below it, each followed once from the block above by its parent's hash: so it
 * is known of each which transactions of ours it holds, and that it is part of the chain, and neither is
 * asked for again. Where the head does not go on from it, a new trail begins. It reaches down to the lowest
 * watched block that is to make an outcome final.
 *
 * @throws {TransportError} {@link RpcError}
 */
export async function followTrail(relayer: Relayer, work: Work, head: Head): Promise<Followed> {
  const { trail, toldCount } = await followUp(relayer, work, head)
  return { trail: await reachDown(relayer, work, head, trail), toldCount }
}

async function followUp(relayer: Relayer, work: Work, head: Head): Promise<Followed> {
  const { number, hash } = head
  const [top] = work.trail
  if (top?.hash === hash) return { trail: work.trail, toldCount: undefined }
  const fresh = [{ number, hash, count: 0 }]
  const added = await missingBlocks(relayer, work, head)
  const parent = added?.at(-1)?.parentHash
  if (added === undefined) return { trail: fresh, toldCount: await askCount(relayer) }
  const below = work.trail.slice(work.trail.findIndex((block) => block.hash === parent))
  // Asked now: a payment may have been recorded, sent and mined since the work was read.
  const trail = grown(await relayer.ledger.signed(), added, below).slice(
    0,
    relayer.rules.watchBlocks,
  )
  // What lost blocks held was counted.
  return { trail, toldCount: parent === top?.hash ? undefined : await askCount(relayer) }
}

/**
 * A trail that began above a block with something of ours goes on down to it: the round before found it late,
 * or the ledger had lost its rows. What is reached is kept, and a later round goes on from there.
 */
async function reachDown(
  relayer: Relayer,
  { mined }: Work,
  head: Head,
  trail: readonly FollowedBlock[],
): Promise<readonly FollowedBlock[]> {
  const watched = head.number - relayer.rules.watchBlocks
  const noted = mined.flatMap(({ execution }) => execution?.block.number ?? [])
  const lowest = Math.min(...noted.filter((number) => number > watched))
  const below: Head[] = []
  try {
    let last =
      (trail.at(-1)?.number ?? 0) > lowest ? await bottomOf(relayer, head, trail) : undefined
    while (last !== undefined && last.number > lowest) {
      last = await parentOf(relayer, last)
      if (last !== undefined) below.push(last)
    }
  } catch (error) {
    relayer.log({ level: 'warn', event: 'confirm.failed', message: faultOf(error) })
  }
  if (below.length === 0) return trail
  const reached = grown(await relayer.ledger.signed(), below, [])
  const passed = reached[0]?.count ?? 0
  const above = trail.map((block) => ({ ...block, count: Math.max(block.count, passed) }))
  return [...above, ...reached]
}

/**
 * The lowest block of a trail. Undefined where the node shows another there.
 *
 * @throws {TransportError} {@link RpcError}
 */
export async function bottomOf(
  { node, clock }: Relayer,
  head: Head,
  trail: readonly FollowedBlock[],
): Promise<Head | undefined> {
  const bottom = trail.at(-1)
  if (bottom === undefined || bottom.hash === head.hash) return head
  const there = await node.block(bottom.number, clock.timeout(nodeTimeoutMs))
  return there?.hash === bottom.hash ? there : undefined
}

/**
 * Transactions of the relayer's account in the chain.
 *
 * @throws {TransportError} {@link RpcError}
 */
export function askCount({ node, signer, clock }: Relayer): Promise<number> {
  return node.transactionCount(signer.address, clock.timeout(nodeTimeoutMs))
}

/**
 * The blocks from the head down to one whose parent is part of the trail, the highest first. Undefined
 * where they do not meet.
 */
async function missingBlocks(
  relayer: Relayer,
  { trail }: Work,
  head: Head,
): Promise<Head[] | undefined> {
  const [top, bottom] = [trail[0], trail.at(-1)]
  // Nothing is watched below such a gap.
  if (top === undefined || head.number - top.number >= relayer.rules.watchBlocks) return undefined
  const known = new Set(trail.map(({ hash }) => hash))
  const missing = [head]
  for (let lowest = head; !known.has(lowest.parentHash); ) {
    if (lowest.number <= (bottom?.number ?? 0)) return undefined
    const parent = await parentOf(relayer, lowest)
    if (parent === undefined) return undefined
    missing.push(parent)
    lowest = parent
  }
  return missing
}

/**
 * The block that another one names as the one below it. Undefined where the node shows another there:
 * replicas may be on different branches.
 *
 * @throws {TransportError} {@link RpcError}
 */
export async function parentOf(
  { node, clock }: Relayer,
  { number, parentHash }: Head,
): Promise<Head | undefined> {
  const parent = await node.block(number - 1, clock.timeout(nodeTimeoutMs))
  return parent?.hash === parentHash ? parent : undefined
}

/** Blocks above a part of the trail, which may hold something of ours. */
function grown(
  signed: readonly SignedNonce[],
  added: readonly Head[],
  below: readonly FollowedBlock[],
): FollowedBlock[] {
  const nonceOf = new Map(signed.map(({ hash, nonce }) => [hash, nonce]))
  const blocks = [...below]
  for (const { number, hash, transactions } of added.toReversed()) {
    const mined = transactions.map((transaction) => (nonceOf.get(transaction) ?? -1) + 1)
    blocks.unshift({ number, hash, count: Math.max(blocks[0]?.count ?? 0, ...mined) })
  }
  return blocks
}
