import type { Head } from '../../chain/node.ts'
import type { Payee } from '../../chain/payees.ts'
import type { Payment } from '../ledger/payments/payment-states.ts'
import type { AccountState, FactReading } from '../ledger/records/chain.ts'
import type { BlockId } from '../ledger/values.ts'
import type { Work } from '../ledger/work.ts'
import { findExecution } from '../outcome/executions.ts'
import { findWallet, readRequestPayee } from '../outcome/payees.ts'
import { readMinedReport } from '../outcome/settle.ts'
import { findSpendingBlock, type SearchState } from '../outcome/spent.ts'
import type { Relayer } from '../relayer.ts'
import {
  assignNonces,
  type BlockStatus,
  type ChainSnapshot,
  choosePrice,
  createChainSnapshot,
  findFront,
  getDeepNumber,
  isChainShorter,
  isNonceRowLost,
  isPaidToNoWallet,
  isPoolNonceWrong,
  isReceiptOverdue,
  isReorganized,
  isReorgUnclear,
  type LedgerSnapshot,
  listDeepPayments,
  listDueResends,
  listLostBlocks,
  listOutOfReach,
  listOverduePayments,
  listPassedNonces,
  mayBeExecuted,
  mayCarry,
  mayLag,
  type NonceFate,
  type Spending,
  wasSkipped,
} from './facts.ts'
import { askNextNonce, askOrLog, findBottom, findParent, followBlocks } from './followed-blocks.ts'
import type { Stage } from './plan.ts'
import { askProofs } from './proofs.ts'

const nodeTimeoutMs = 5_000

/** Reads what a stage still has to know; a failed request leaves it unknown. */
export async function askForStage(
  stage: Exclude<Stage, 'follow'>,
  relayer: Relayer,
  ledger: LedgerSnapshot,
  chain: ChainSnapshot,
): Promise<ChainSnapshot> {
  switch (stage) {
    case 'settle':
      return askForSettle(relayer, ledger.work, chain)
    case 'resend':
      return askForResend(relayer, ledger.work, chain)
    case 'carry':
      return askForCarry(relayer, ledger, chain)
  }
}

/** Asks for the head and what the chain still holds. @throws {TransportError} {@link RpcError} */
export async function askForFollow(
  relayer: Relayer,
  ledger: LedgerSnapshot,
): Promise<ChainSnapshot> {
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
  if (mayLag(ledger, chain, relayer)) return chain
  const known = work.head
  const statuses = new Map<string, BlockStatus>()
  if (known !== undefined && !isChainShorter(ledger, chain)) {
    statuses.set(known.hash, await getLastHeadStatus(relayer, known, work, chain))
    if (mayLag(ledger, { ...chain, statuses }, relayer)) return { ...chain, statuses }
  }
  const checked = await askBlocks(relayer, ledger, { ...chain, statuses }, lowest)
  // A replica that is behind still shows lost blocks as canonical, which makes nothing final.
  const others = [...checked.statuses].filter(([, status]) => status !== 'canonical')
  const compared = { ...checked, statuses: new Map(others) }
  if (isReorgUnclear(ledger, compared, relayer)) return compared
  const isLost = isReorganized(ledger, compared) || listLostBlocks(compared).length > 0
  if (!isLost || compared.reportedNonce !== undefined) return compared
  // The next nonce may be from lost blocks, even above the last round's head: ask for it.
  const reportedNonce = await askNextNonce(relayer)
  return { ...compared, reportedNonce, chainNonce: reportedNonce }
}

/** Follows the chain; the next nonce is by blocks and by node, as others may use the key. */
async function followChain(relayer: Relayer, work: Work, head: Head) {
  const { followedBlocks, ...followed } = await followBlocks(relayer, work, head)
  // A refusal may mean that a block used the nonce: then the next block shows a higher one.
  const isRefused = work.nonces.some(({ transactions: [latest] }) => (latest?.failures ?? 0) > 0)
  const isDue = isRefused && work.head?.hash !== head.hash
  const reportedNonce = followed.reportedNonce ?? (isDue ? await askNextNonce(relayer) : undefined)
  const known = Math.max(followedBlocks[0]?.count ?? 0, work.accountState.reportedNonce ?? 0)
  return { followedBlocks, reportedNonce, chainNonce: reportedNonce ?? known }
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
  const watchedAbove = chain.head.number - watchBlocks
  const isLost = isReorganized(ledger, chain)
  const above = isLost ? -1 : isNonceRowLost(ledger, chain) ? watchedAbove : (known ?? -1)
  const seenTogether = isLost && known !== undefined ? known - watchBlocks : watchedAbove
  const listed = above < lowest ? await relayer.ledger.listBlocks(above) : chain.blocks
  // Blocks recorded since the first list may be above the head; the chain is not shorter then.
  const highest = Math.max(chain.head.number, chain.blocks[0]?.number ?? -1)
  const blocks = listed.filter(({ number }) => number > above && number <= highest)
  const statuses = new Map(chain.statuses)
  const bottom = chain.followedBlocks.at(-1)?.number ?? chain.head.number
  const checkBelow = createLowerBlockCheck(relayer, chain)
  for (const block of blocks) {
    const isBelow = isLost && block.number > watchedAbove && block.number < bottom
    const status = isBelow ? await checkBelow(block) : await getBlockStatus(relayer, block, chain)
    statuses.set(block.hash, status)
    if (status === 'canonical' && block.number <= seenTogether) break
  }
  return { ...chain, blocks, statuses }
}

/** Checks blocks below the followed ones by parents' hashes: a lagging node shows lost ones. */
function createLowerBlockCheck(
  relayer: Relayer,
  chain: ChainSnapshot,
): (block: BlockId) => Promise<BlockStatus> {
  let lowest: Promise<Head | undefined> | undefined
  return async (block) => {
    const from = await (lowest ?? findBottom(relayer, chain.head, chain.followedBlocks))
    lowest = walkDownTo(relayer, from, block.number)
    const shownBlock = await lowest
    if (shownBlock === undefined) return 'unknown'
    return shownBlock.hash === block.hash ? 'canonical' : 'lost'
  }
}

/** Checks the last head by parents' hashes, after a while by any node. @throws no answer then */
async function getLastHeadStatus(
  relayer: Relayer,
  last: BlockId,
  { now, behindSince }: Work,
  chain: ChainSnapshot,
): Promise<BlockStatus> {
  const { watchBlocks, regressionMs } = relayer.rules
  const gap = chain.head.number - last.number
  const isFollowed = chain.followedBlocks[gap] !== undefined
  const isCaughtUp = now - (behindSince ?? now) >= regressionMs
  if (isFollowed || isCaughtUp || gap >= watchBlocks) return getBlockStatus(relayer, last, chain)
  const status = await askOrLog(relayer, 'follow.failed', () =>
    createLowerBlockCheck(relayer, chain)(last),
  )
  return status ?? 'unknown'
}

/** Goes down to a height by parents' hashes; undefined where replicas are on different branches. */
async function walkDownTo(
  relayer: Relayer,
  from: Head | undefined,
  number: number,
): Promise<Head | undefined> {
  let lowest = from
  while (lowest !== undefined && lowest.number > number) lowest = await findParent(relayer, lowest)
  return lowest
}

/** Compares a block; above the head or not shown it is unknown: a replica may lag. */
async function getBlockStatus(
  { node, clock }: Relayer,
  block: BlockId,
  { head, followedBlocks, statuses }: ChainSnapshot,
): Promise<BlockStatus> {
  if (block.number > head.number) return 'unknown'
  const knownStatus = statuses.get(block.hash)
  if (knownStatus !== undefined) return knownStatus
  const shownBlock =
    followedBlocks[head.number - block.number] ??
    (await node.getBlock(block.number, clock.timeout(nodeTimeoutMs)))
  if (shownBlock === undefined) return 'unknown'
  return shownBlock.hash === block.hash ? 'canonical' : 'lost'
}

async function askForSettle(
  relayer: Relayer,
  work: Work,
  before: ChainSnapshot,
): Promise<ChainSnapshot> {
  const { chainNonce } = before
  const nonceFates = await askNonceFates(relayer, work, chainNonce)
  const finalNonce = listPassedNonces(work, chainNonce, relayer).some(
    (open) => nonceFates.get(open.nonce)?.kind === 'missing' && isReceiptOverdue(work, open),
  )
    ? await askOrLog(relayer, 'settle.failed', async () =>
        askNextNonce(relayer, await findBlockOfAllReplicas(relayer, work, before)),
      )
    : before.finalNonce
  const statuses = await askDeepBlocks(relayer, work, before)
  const proofs = await askProofs(relayer, work, { ...before, statuses })
  const chain = await askSpendings(relayer, work, {
    ...before,
    nonceFates,
    finalNonce,
    statuses,
    proofs,
  })
  if (listOutOfReach(work, chainNonce, relayer).length === 0) return chain
  const rereadNonce = await askOrLog(relayer, 'abandon.failed', () => askNextNonce(relayer))
  return { ...chain, rereadNonce }
}

/** Finds a final block that is old enough for every replica to have it. */
async function findBlockOfAllReplicas(
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
async function askNonceFates(
  relayer: Relayer,
  work: Work,
  chainNonce: number,
): Promise<Map<number, NonceFate>> {
  const carried = new Map(work.carried.map(({ session, order }) => [session, order.request]))
  const nonceFates = new Map<number, NonceFate>()
  for (const { nonce, sessions, transactions } of listPassedNonces(work, chainNonce, relayer)) {
    const requests = new Map(
      sessions.flatMap((session) => {
        const request = carried.get(session)
        return request === undefined ? [] : [[session, request]]
      }),
    )
    const passed = { nonce, sessions, transactions, requests }
    const fate = await askOrLog(relayer, 'settle.failed', async (): Promise<NonceFate> => {
      const report = await readMinedReport(relayer, passed, relayer.clock.timeout(nodeTimeoutMs))
      return report === undefined ? { kind: 'missing' } : { kind: 'mined', report }
    })
    nonceFates.set(nonce, fate ?? { kind: 'unknown' })
  }
  return nonceFates
}

/** Checks the blocks of deep outcomes; those near the head only among followed blocks. */
async function askDeepBlocks(
  relayer: Relayer,
  work: Work,
  chain: ChainSnapshot,
): Promise<Map<string, BlockStatus>> {
  const { head, followedBlocks } = chain
  const statuses = new Map(chain.statuses)
  const watchedAbove = head.number - relayer.rules.watchBlocks
  const bottom = followedBlocks.at(-1)?.number ?? head.number
  for (const { execution } of listDeepPayments(work, head, relayer)) {
    const { block } = execution
    const isBelow = block.number > watchedAbove && block.number < bottom
    if (isBelow || statuses.has(block.hash)) continue
    const status = await askOrLog(relayer, 'confirm.failed', () =>
      getBlockStatus(relayer, block, chain),
    )
    statuses.set(block.hash, status ?? 'unknown')
  }
  return statuses
}

/** Asks by a followed block's hash whether overdue payments were executed. */
async function askSpendings(
  relayer: Relayer,
  work: Work,
  chain: ChainSnapshot,
): Promise<ChainSnapshot> {
  const { node, clock } = relayer
  const { head, followedBlocks } = chain
  if (listOverduePayments(work, chain, head.timestampSeconds).length === 0) return chain
  const number = getDeepNumber(head, relayer)
  const followed = followedBlocks[head.number - number]
  // Below the watched blocks none is followed, and no replica is on another branch.
  const isWatched = number > head.number - relayer.rules.watchBlocks
  if (isWatched && followed === undefined) return chain
  const deep = await askOrLog(relayer, 'expire.failed', () =>
    node.getBlock(number, clock.timeout(nodeTimeoutMs)),
  )
  if (deep === undefined) return chain
  const { hash, timestampSeconds } = deep
  if (isWatched && hash !== followed?.hash) return chain
  const spendings = new Map(chain.spendings)
  const at: SearchState = { ...deep, blockHash: hash, knownBlocks: [] }
  for (const payment of listOverduePayments(work, chain, timestampSeconds)) {
    spendings.set(payment.session, await askSpending(relayer, 'expire.failed', payment, at))
  }
  return { ...chain, deepTimeSeconds: timestampSeconds, spendings }
}

/** Asks whether a payment's intent is spent, and for a queued one by which execution. */
async function askSpending(
  relayer: Relayer,
  event: string,
  payment: Payment,
  at?: SearchState,
): Promise<Spending> {
  const { request } = payment.order
  const spending = await askOrLog(relayer, event, async (): Promise<Spending> => {
    if (payment.nonce !== undefined) {
      const block = await findSpendingBlock(relayer, request, at)
      return block === undefined ? { kind: 'unspent' } : { kind: 'spent', by: undefined }
    }
    const by = await findExecution(relayer, request, at)
    return by === undefined ? { kind: 'unspent' } : { kind: 'spent', by }
  })
  return spending ?? { kind: 'unknown' }
}

async function askForResend(relayer: Relayer, work: Work, before: ChainSnapshot) {
  const next = findFront(work, before.chainNonce)
  const isMissed = before.isNewHead && next !== undefined && wasSkipped(next, before)
  const chain: ChainSnapshot =
    isMissed && !isPoolNonceWrong(work)
      ? { ...before, firstMissingNonce: await askPoolNonce(relayer, 'rebroadcast.failed') }
      : before
  const isPriced = listDueResends(work, chain, relayer).some(
    ({ isStuck, hasFailed }) => isStuck || hasFailed,
  )
  return isPriced ? askGasPrice(relayer, 'rebroadcast.failed', chain) : chain
}

/** Asks what the pool holds, and whether doubtful payments that get a nonce were executed. */
async function askForCarry(
  relayer: Relayer,
  ledger: LedgerSnapshot,
  before: ChainSnapshot,
): Promise<ChainSnapshot> {
  if (assignNonces(ledger, before, relayer, 0, () => true).length === 0) return before
  const chain = await askPool(relayer, ledger.work, before)
  const { poolNonce } = chain
  if (poolNonce === undefined) return chain
  const [spendings, payees] = [new Map(chain.spendings), new Map(chain.payees)]
  const known = { ...chain, spendings, payees }
  const mustAsk = (payment: Payment) => mayBeExecuted(payment) && !spendings.has(payment.session)
  const mustAskPayee = ({ session, order }: Payment) =>
    findWallet(order.request) !== undefined && !payees.has(session)
  // Takes what was not asked as unspent and as a wallet, to see which payments would get a nonce.
  const fill = () =>
    assignNonces(ledger, chain, relayer, poolNonce, (payment) => {
      return mustAsk(payment) || mustAskPayee(payment) || mayCarry(payment, known)
    })
  const list = (isAsked: (payment: Payment) => boolean) =>
    fill().flatMap(({ payments }) => payments.filter(isAsked))
  for (let unasked = list(mustAskPayee); unasked.length > 0; unasked = list(mustAskPayee)) {
    await askPayees(relayer, unasked, known)
  }
  for (let [doubtful] = list(mustAsk); doubtful !== undefined; [doubtful] = list(mustAsk)) {
    spendings.set(doubtful.session, await askSpending(relayer, 'fill.failed', doubtful))
  }
  const isPriced = fill().length === 0 || choosePrice(ledger, known) !== undefined
  return isPriced ? known : askGasPrice(relayer, 'fill.failed', known)
}

/**
 * Asks whom cash-outs pay. Of one that goes to no wallet it also asks whether it was executed: an
 * older copy of the ledger may have come back, which does not know that it was sent.
 */
async function askPayees(
  relayer: Relayer,
  payments: readonly Payment[],
  { payees, spendings }: { payees: Map<string, Payee>; spendings: Map<string, Spending> },
): Promise<void> {
  const answers = payments.map(async (payment) => {
    const { session, order } = payment
    payees.set(session, (await readRequestPayee(relayer, order.request)) ?? 'unknown')
    if (spendings.has(session) || !isPaidToNoWallet(payment, { payees })) return
    spendings.set(session, await askSpending(relayer, 'expire.failed', payment))
  })
  await Promise.all(answers)
}

/** Reads the pool's next nonce; zero if it is wrong, since a payment waits too long for it. */
async function askPool(relayer: Relayer, work: Work, chain: ChainSnapshot): Promise<ChainSnapshot> {
  if (chain.poolNonce !== undefined) return chain
  if (isPoolNonceWrong(work)) return { ...chain, poolNonce: 0 }
  return { ...chain, poolNonce: await askPoolNonce(relayer, 'fill.failed') }
}

const askPoolNonce = (relayer: Relayer, event: string) =>
  askOrLog(relayer, event, () => askNextNonce(relayer, 'pending'))

async function askGasPrice(
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
export async function askAccountState(
  relayer: Relayer,
  work: Work,
  chain: ChainSnapshot,
): Promise<{ accountState: AccountState; checked: FactReading | undefined }> {
  const { gasPriceWei, chainNonce } = chain
  const accountState: AccountState = {
    chainNonce,
    ...(gasPriceWei !== undefined && { gasPriceWei }),
  }
  const reading = findNextReading(work, chain)
  if (reading === undefined) return { accountState, checked: undefined }
  const answer = await askOrLog(relayer, 'readings.failed', () => takeReading(relayer, reading))
  return { accountState: { ...accountState, ...answer }, checked: answer && reading }
}

function findNextReading(
  { head, nextReading, nonces }: Work,
  chain: ChainSnapshot,
): FactReading | undefined {
  const { chainNonce, reportedNonce, poolNonce } = chain
  if (head?.hash === chain.head.hash || reportedNonce !== undefined) return undefined
  if (poolNonce === undefined) return nextReading
  // If the pool holds more than ours, the next nonce may be from a replica that lags.
  const own = nonces.filter(({ nonce }) => nonce >= chainNonce)
  return poolNonce > chainNonce + own.length ? 'reportedNonce' : undefined
}

async function takeReading(relayer: Relayer, name: FactReading): Promise<AccountState> {
  const { node, signer, clock } = relayer
  const signal = clock.timeout(nodeTimeoutMs)
  switch (name) {
    case 'gasPriceWei':
      return { gasPriceWei: await node.getGasPrice(signal) }
    case 'balanceWei':
      return { balanceWei: await node.getBalance(signer.address, signal) }
    case 'reportedNonce':
      return { reportedNonce: await askNextNonce(relayer) }
  }
}
