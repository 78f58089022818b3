import type { BlockHash, Head } from '../../chain/node.ts'
import type { BlockId, Means, Payment, Turn, Work } from '../ledger/port.ts'
import { findExecution, toOutcome } from '../outcome/executions.ts'
import { readPassed } from '../outcome/settle.ts'
import { findSpendingBlock } from '../outcome/spent.ts'
import type { Relayer } from '../relayer.ts'
import {
  assignNonces,
  type BlockStatus,
  type ChainSnapshot,
  choosePrice,
  createChainSnapshot,
  findFront,
  getDeepNumber,
  isAwaited,
  isCountShort,
  isDoubtful,
  isPassedOver,
  isPoolCountWrong,
  isReceiptOverdue,
  isReorganized,
  isShorter,
  isUnproven,
  type LedgerSnapshot,
  listBeyondReach,
  listDeepPayments,
  listDueOffers,
  listLostBlocks,
  listOverduePayments,
  listPassedNonces,
  mayCarry,
  type NonceFate,
  type Spending,
} from './facts.ts'
import { askCount, askOrLog, findBottom, findParent, followTrail } from './followed-blocks.ts'
import type { Stage } from './plan.ts'
import { askProofs } from './proofs.ts'

const nodeTimeoutMs = 5_000

/** Reads what a stage still has to know; a failed request leaves it unknown. */
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

/** Asks for the head and what the chain still holds. @throws {TransportError} {@link RpcError} */
export async function askFollow(relayer: Relayer, ledger: LedgerSnapshot): Promise<ChainSnapshot> {
  const { node, clock } = relayer
  const { work } = ledger
  const firstHead = await node.getHead(clock.timeout(nodeTimeoutMs))
  const lowest = Math.min(work.head?.number ?? -1, firstHead.number)
  const blocks = await relayer.ledger.listBlocks(lowest)
  // A recorded block is above the head, as a new one or a lost one: ask for the head again.
  const isAbove = (blocks[0]?.number ?? -1) > firstHead.number
  const head = isAbove ? await node.getHead(clock.timeout(nodeTimeoutMs)) : firstHead
  const isNewHead = work.head?.hash !== head.hash
  const chain = {
    ...createChainSnapshot(head, 0),
    ...(await followChain(relayer, work, head)),
    blocks,
    isNewHead,
  }
  if (isAwaited(ledger, chain, relayer)) return chain
  const known = work.head
  const places = new Map<string, BlockStatus>()
  if (known !== undefined && !isShorter(ledger, chain)) {
    places.set(known.hash, await placeOfLast(relayer, known, work, chain))
    if (isAwaited(ledger, { ...chain, places }, relayer)) return { ...chain, places }
  }
  const checked = await askBlocks(relayer, ledger, { ...chain, places }, lowest)
  // A replica that is behind still shows lost blocks as held, which makes nothing final.
  const unheld = [...checked.places].filter(([, place]) => place !== 'held')
  const compared = { ...checked, places: new Map(unheld) }
  if (isUnproven(ledger, compared, relayer)) return compared
  const isLost = isReorganized(ledger, compared) || listLostBlocks(compared).length > 0
  if (!isLost || compared.toldCount !== undefined) return compared
  // The count may include lost blocks, even above the last round's head: ask for it.
  const toldCount = await askCount(relayer)
  return { ...compared, toldCount, count: toldCount }
}

/** Follows the chain, and counts by blocks and by node, because others may use the key. */
async function followChain(relayer: Relayer, work: Work, head: Head) {
  const { trail, toldCount: told } = await followTrail(relayer, work, head)
  // A refusal may mean that a block used the nonce: then the next block shows another count.
  const isRefused = work.nonces.some(({ transactions: [latest] }) => (latest?.failures ?? 0) > 0)
  const isDue = isRefused && work.head?.hash !== head.hash
  const toldCount = told ?? (isDue ? await askCount(relayer) : undefined)
  const known = Math.max(trail[0]?.count ?? 0, work.means.toldCount ?? 0)
  return { trail, toldCount, count: toldCount ?? known }
}

/** Finds lost blocks: all near the head, and deeper ones down to the first that is held. */
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
  const listed = above < lowest ? await relayer.ledger.listBlocks(above) : chain.blocks
  // Blocks recorded since the first list may be above the head; the chain is not shorter then.
  const highest = Math.max(chain.head.number, chain.blocks[0]?.number ?? -1)
  const blocks = listed.filter(({ number }) => number > above && number <= highest)
  const places = new Map(chain.places)
  const bottom = chain.trail.at(-1)?.number ?? chain.head.number
  const placeBelow = findPlacesBelow(relayer, chain)
  for (const block of blocks) {
    const isBelow = isLost && block.number > watched && block.number < bottom
    const place = isBelow ? await placeBelow(block) : await findPlace(relayer, block, chain)
    places.set(block.hash, place)
    if (place === 'held' && block.number <= seenTogether) break
  }
  return { ...chain, blocks, places }
}

/** Checks blocks below the followed ones by parents' hashes: a lagging node shows lost ones. */
function findPlacesBelow(
  relayer: Relayer,
  chain: ChainSnapshot,
): (block: BlockId) => Promise<BlockStatus> {
  let lowest: Promise<Head | undefined> | undefined
  return async (block) => {
    const from = await (lowest ?? findBottom(relayer, chain.head, chain.trail))
    lowest = stepDown(relayer, from, block.number)
    const shownBlock = await lowest
    if (shownBlock === undefined) return 'unknown'
    return shownBlock.hash === block.hash ? 'held' : 'lost'
  }
}

/** Checks the last head by parents' hashes, after a while by any node. @throws no answer then */
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
  if (isFollowed || isCaughtUp || gap >= watchBlocks) return findPlace(relayer, last, chain)
  const place = await askOrLog(relayer, 'follow.failed', () =>
    findPlacesBelow(relayer, chain)(last),
  )
  return place ?? 'unknown'
}

/** Goes down to a height by parents' hashes; undefined where replicas are on different branches. */
async function stepDown(
  relayer: Relayer,
  from: Head | undefined,
  number: number,
): Promise<Head | undefined> {
  let lowest = from
  while (lowest !== undefined && lowest.number > number) lowest = await findParent(relayer, lowest)
  return lowest
}

/** Compares a block; above the head or not shown it is unknown: a replica may lag. */
async function findPlace(
  { node, clock }: Relayer,
  block: BlockId,
  { head, trail, places }: ChainSnapshot,
): Promise<BlockStatus> {
  if (block.number > head.number) return 'unknown'
  const knownStatus = places.get(block.hash)
  if (knownStatus !== undefined) return knownStatus
  const shownBlock =
    trail[head.number - block.number] ??
    (await node.getBlock(block.number, clock.timeout(nodeTimeoutMs)))
  if (shownBlock === undefined) return 'unknown'
  return shownBlock.hash === block.hash ? 'held' : 'lost'
}

async function askSettle(
  relayer: Relayer,
  work: Work,
  before: ChainSnapshot,
): Promise<ChainSnapshot> {
  const { node, signer, clock } = relayer
  const { count } = before
  const fates = await askFates(relayer, work, count)
  const deepCount = listPassedNonces(work, count, relayer).some(
    (open) => fates.get(open.nonce)?.kind === 'missing' && isReceiptOverdue(work, open),
  )
    ? await askOrLog(relayer, 'settle.failed', async () => {
        const number = await findKnownEverywhere(relayer, work, before)
        return node.getTransactionCount(signer.address, clock.timeout(nodeTimeoutMs), number)
      })
    : before.deepCount
  const places = await askDeepPlaces(relayer, work, before)
  const proofs = await askProofs(relayer, work, { ...before, places })
  const chain = await askSpendings(relayer, work, { ...before, fates, deepCount, places, proofs })
  if (listBeyondReach(work, count, relayer).length === 0) return chain
  const countAgain = await askOrLog(relayer, 'abandon.failed', () =>
    node.getTransactionCount(signer.address, clock.timeout(nodeTimeoutMs)),
  )
  return { ...chain, countAgain }
}

/** Finds a final block that is old enough for every replica to have it. */
async function findKnownEverywhere(
  relayer: Relayer,
  { now }: Work,
  { head }: ChainSnapshot,
): Promise<number> {
  const { node, clock, rules } = relayer
  // A local chain's clock may be ahead of ours.
  const before = Math.max(now, head.timestampSeconds * 1_000) - rules.regressionMs
  for (let number = getDeepNumber(head, relayer), step = 1; number > 0; number -= step, step *= 2) {
    const block = await node.getBlock(number, clock.timeout(nodeTimeoutMs))
    if (block !== undefined && block.timestampSeconds * 1_000 <= before) return number
  }
  return 0
}

/** Reads the receipts of passed nonces. */
async function askFates(
  relayer: Relayer,
  work: Work,
  count: number,
): Promise<Map<number, NonceFate>> {
  const carried = new Map(work.carried.map(({ session, order }) => [session, order.request]))
  const fates = new Map<number, NonceFate>()
  for (const { nonce, sessions, transactions } of listPassedNonces(work, count, relayer)) {
    const requests = new Map(
      sessions.flatMap((session) => {
        const request = carried.get(session)
        return request === undefined ? [] : [[session, request]]
      }),
    )
    const passed = { nonce, sessions, transactions, requests }
    const fate = await askOrLog(relayer, 'settle.failed', async (): Promise<NonceFate> => {
      const report = await readPassed(relayer, passed, relayer.clock.timeout(nodeTimeoutMs))
      return report === undefined ? { kind: 'missing' } : { kind: 'mined', report }
    })
    fates.set(nonce, fate ?? { kind: 'unknown' })
  }
  return fates
}

/** Checks the blocks of deep outcomes; those near the head only among followed blocks. */
async function askDeepPlaces(
  relayer: Relayer,
  work: Work,
  chain: ChainSnapshot,
): Promise<Map<string, BlockStatus>> {
  const { head, trail } = chain
  const places = new Map(chain.places)
  const watched = head.number - relayer.rules.watchBlocks
  const bottom = trail.at(-1)?.number ?? head.number
  for (const { execution } of listDeepPayments(work, head, relayer)) {
    const { block } = execution
    const isBelow = block.number > watched && block.number < bottom
    if (isBelow || places.has(block.hash)) continue
    const place = await askOrLog(relayer, 'confirm.failed', () => findPlace(relayer, block, chain))
    places.set(block.hash, place ?? 'unknown')
  }
  return places
}

/** Asks by a followed block's hash whether overdue payments were executed. */
async function askSpendings(
  relayer: Relayer,
  work: Work,
  chain: ChainSnapshot,
): Promise<ChainSnapshot> {
  const { node, clock } = relayer
  const { head, trail } = chain
  if (listOverduePayments(work, chain, head.timestampSeconds).length === 0) return chain
  const number = getDeepNumber(head, relayer)
  const followed = trail[head.number - number]
  // Below the watched blocks none is followed, and no replica is on another branch.
  const isWatched = number > head.number - relayer.rules.watchBlocks
  if (isWatched && followed === undefined) return chain
  const deep = await askOrLog(relayer, 'expire.failed', () =>
    node.getBlock(number, clock.timeout(nodeTimeoutMs)),
  )
  if (deep === undefined) return chain
  const { hash, timestampSeconds } = deep
  if (isWatched && hash !== followed?.hash) return chain
  const spent = new Map(chain.spent)
  for (const payment of listOverduePayments(work, chain, timestampSeconds)) {
    const spending = await askSpending(relayer, 'expire.failed', payment, {
      ...deep,
      blockHash: hash,
    })
    spent.set(payment.session, spending)
  }
  return { ...chain, deepTimeSeconds: timestampSeconds, spent }
}

/** Asks whether a payment's intent is spent, and for a queued one by which execution. */
async function askSpending(
  relayer: Relayer,
  event: string,
  payment: Payment,
  at?: BlockHash & Head,
): Promise<Spending> {
  const { request } = payment.order
  const spending = await askOrLog(relayer, event, async (): Promise<Spending> => {
    if (payment.nonce !== undefined) {
      const block = await findSpendingBlock(relayer, request, at)
      return block === undefined ? { kind: 'unspent' } : { kind: 'spent', by: undefined }
    }
    const execution = await findExecution(relayer, request, at)
    return execution === undefined
      ? { kind: 'unspent' }
      : { kind: 'spent', by: toOutcome(execution) }
  })
  return spending ?? { kind: 'unknown' }
}

async function askOffer(relayer: Relayer, work: Work, before: ChainSnapshot) {
  const next = findFront(work, before.count)
  const isMissed = before.isNewHead && next !== undefined && isPassedOver(next, before)
  const chain =
    isMissed && !isPoolCountWrong(work)
      ? { ...before, missingFrom: await askPending(relayer, 'rebroadcast.failed') }
      : before
  const isPriced = listDueOffers(work, chain, relayer).some(
    ({ isStuck, isUntaken }) => isStuck || isUntaken,
  )
  return isPriced ? askPrice(relayer, 'rebroadcast.failed', chain) : chain
}

/** Asks what the pool holds, and whether doubtful payments that get a nonce were executed. */
async function askCarry(
  relayer: Relayer,
  ledger: LedgerSnapshot,
  before: ChainSnapshot,
): Promise<ChainSnapshot> {
  if (assignNonces(ledger, before, relayer, 0, () => true).length === 0) return before
  const chain = await askPool(relayer, ledger.work, before)
  const { poolCount } = chain
  if (poolCount === undefined) return chain
  const spent = new Map(chain.spent)
  const isUnasked = (payment: Payment) => isDoubtful(payment) && !spent.has(payment.session)
  // Takes unasked payments as unspent, to see which of them would get a nonce.
  const fill = () =>
    assignNonces(ledger, chain, relayer, poolCount, (payment) => {
      return isUnasked(payment) || mayCarry(payment, { spent })
    })
  const next = () => fill().flatMap(({ payments }) => payments.filter(isUnasked))[0]
  for (let doubtful = next(); doubtful !== undefined; doubtful = next()) {
    spent.set(doubtful.session, await askSpending(relayer, 'fill.failed', doubtful))
  }
  const known = { ...chain, spent }
  const isPriced = fill().length === 0 || choosePrice(ledger, known) !== undefined
  return isPriced ? known : askPrice(relayer, 'fill.failed', known)
}

/** Reads the pool's count; zero if it is wrong, since a payment waits too long for it. */
async function askPool(relayer: Relayer, work: Work, chain: ChainSnapshot): Promise<ChainSnapshot> {
  if (chain.poolCount !== undefined) return chain
  if (isPoolCountWrong(work)) return { ...chain, poolCount: 0 }
  return { ...chain, poolCount: await askPending(relayer, 'fill.failed') }
}

const askPending = (relayer: Relayer, event: string) =>
  askOrLog(relayer, event, () => {
    const { node, signer, clock } = relayer
    return node.getTransactionCount(signer.address, clock.timeout(nodeTimeoutMs), 'pending')
  })

async function askPrice(
  relayer: Relayer,
  event: string,
  chain: ChainSnapshot,
): Promise<ChainSnapshot> {
  const { node, clock } = relayer
  if (chain.gasPriceWei !== undefined) return chain
  const gasPriceWei = await askOrLog(relayer, event, () =>
    node.getGasPrice(clock.timeout(nodeTimeoutMs)),
  )
  return { ...chain, gasPriceWei }
}

/** Returns facts for new payments; with a new block it reads one more, in turn. */
export async function askMeans(
  relayer: Relayer,
  work: Work,
  chain: ChainSnapshot,
): Promise<{ means: Means; checked: Turn | undefined }> {
  const { gasPriceWei, count } = chain
  const means: Means = { count, ...(gasPriceWei !== undefined && { gasPriceWei }) }
  const turn = findTurn(work, chain)
  if (turn === undefined) return { means, checked: undefined }
  const answer = await askOrLog(relayer, 'means.failed', () => askOne(relayer, turn))
  return { means: { ...means, ...answer }, checked: answer && turn }
}

function findTurn({ head, nextMeans, nonces }: Work, chain: ChainSnapshot): Turn | undefined {
  const { count, toldCount, poolCount } = chain
  if (head?.hash === chain.head.hash || toldCount !== undefined) return undefined
  if (poolCount === undefined) return nextMeans
  // If the pool holds more than ours, the count may be from a replica that lags.
  const own = nonces.filter(({ nonce }) => nonce >= count)
  return poolCount > count + own.length ? 'toldCount' : undefined
}

async function askOne(relayer: Relayer, name: Turn): Promise<Means> {
  const { node, signer, clock } = relayer
  const signal = clock.timeout(nodeTimeoutMs)
  switch (name) {
    case 'gasPriceWei':
      return { gasPriceWei: await node.getGasPrice(signal) }
    case 'balanceWei':
      return { balanceWei: await node.getBalance(signer.address, signal) }
    case 'toldCount':
      return { toldCount: await askCount(relayer) }
  }
}
