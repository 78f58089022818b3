import { isAddressEqual } from 'viem'
import type { MiningRules, PoolRules } from '../../chain/chains.ts'
import type { Head, Receipt } from '../../chain/node.ts'
import type { LogEvent } from '../../runtime/log.ts'
import { decodeResults } from '../forwarder/requests.ts'
import type { MinedReport } from '../ledger/carrying.ts'
import type { OpenNonce } from '../ledger/payments/nonces.ts'
import type { Payment } from '../ledger/payments/payment-states.ts'
import { phasesWithoutOutcome } from '../ledger/transitions.ts'
import type { BlockId, Execution } from '../ledger/values.ts'
import { listPayments, type Work } from '../ledger/work.ts'
import type { SearchState } from '../outcome/spent.ts'
import { type Action, record } from './execute.ts'
import {
  compareBlock,
  getDeepNumber,
  isInDoubt,
  listAssurableSoon,
  listRecordedNonces,
  type Plan,
  type RoundFacts,
  type StageTerms,
  settleElsewhere,
} from './facts.ts'
import { type Asking, askAll, askOrLog, walkDown } from './questions.ts'

/**
 * Settles what the chain has done, frees the payments of passed nonces, and gives up nonces that
 * are out of reach. An unknown fact about one payment delays no other.
 */
export function* settleOutcomes(work: Work, facts: RoundFacts, terms: StageTerms): Asking<Plan> {
  const passed = yield* settlePassed(work, facts, terms)
  const confirmed = yield* confirmDeep(work, facts, terms)
  const settled = passed.flatMap((action) =>
    action.kind === 'record' && action.method === 'recordMined'
      ? Object.keys(action.args[0].executions)
      : [],
  )
  const ended = yield* endOverdue(work, facts, terms, new Set(settled))
  const abandoned = yield* abandonFar(work, facts, terms)
  return { actions: [...passed, ...confirmed, ...ended, ...abandoned], facts }
}

/** Waits this long for a passed nonce's receipt: replicas may lag. */
const missingReceiptMs = 30_000
/** Waits this long where a payment of it may be executed: then there is a receipt. */
const laggingReceiptMs = 10 * 60_000
/** Waits this long after its poll before a payment's own request counts as dead. */
const watchEndsMs = 1_000

/** Returns recorded nonces that the chain has used and no request watches, or that are urgent. */
function listPassedNonces(work: Work, chainNonce: number, terms: StageTerms): OpenNonce[] {
  const watchedMs = terms.rules.pollMs + watchEndsMs
  const urgent = new Set(listAssurableSoon(work, terms).map(({ session }) => session))
  return listRecordedNonces(work).filter(
    ({ nonce, sessions, transactions: [latest, ...older] }) => {
      const isAlone = sessions.length === 1 && older.length === 0
      const isLeft = isAlone && !sessions.some((session) => urgent.has(session))
      const isWatched = isLeft && work.now - (latest?.recordedAt ?? 0) < watchedMs
      return nonce < chainNonce && !isWatched
    },
  )
}

/** Tells whether a passed nonce lacks a receipt for longer than this. */
function isReceiptOverdue(work: Work, { transactions: [latest] }: OpenNonce, ms: number): boolean {
  const since = latest?.sentAt ?? latest?.recordedAt ?? work.now
  return work.now - since > ms
}

/** Tells whether the intent of a nonce's payment may be spent, for all that the head shows. */
function* mayBeSpent(work: Work, { sessions }: OpenNonce, head: Head): Asking<boolean> {
  const at: SearchState = { ...head, blockHash: head.hash }
  const carried = work.carried.filter(({ session }) => sessions.includes(session))
  const asked = carried.map((payment): [Payment, SearchState] => [payment, at])
  const spendings = yield* askAll('settle.failed', 'readSpending', asked)
  return spendings.some((spending) => spending?.kind !== 'unspent')
}

/** Settles passed nonces; another transaction used one if old blocks hold no receipt of ours. */
function* settlePassed(work: Work, facts: RoundFacts, terms: StageTerms): Asking<Action[]> {
  const { head, chainNonce } = facts
  const requestBySession = new Map(work.carried.map((one) => [one.session, one.order.request]))
  const fates: { open: OpenNonce; report: MinedReport | 'missing' | undefined }[] = []
  for (const open of listPassedNonces(work, chainNonce, terms)) {
    const requests = new Map(
      open.sessions.flatMap((session) => {
        const request = requestBySession.get(session)
        return request === undefined ? [] : [[session, request]]
      }),
    )
    const report = yield* askOrLog('settle.failed', 'readMined', { ...open, requests })
    fates.push({ open, report })
  }
  // A local chain's clock may be ahead of ours.
  const nowMs = Math.max(work.now, head.timestampSeconds * 1_000)
  const [deep, beforeMs] = [getDeepNumber(head, terms), nowMs - terms.rules.regressionMs]
  const finalNonce = fates.some(
    ({ open, report }) => report === 'missing' && isReceiptOverdue(work, open, missingReceiptMs),
  )
    ? yield* askOrLog('settle.failed', 'getNextNonceBefore', deep, beforeMs)
    : undefined
  const actions: Action[] = []
  for (const { open, report } of fates) {
    if (report !== undefined && report !== 'missing') actions.push(record('recordMined', report))
    const isPassed = finalNonce !== undefined && finalNonce > open.nonce
    if (report !== 'missing' || !isPassed) continue
    if (!isReceiptOverdue(work, open, missingReceiptMs)) continue
    // One node that is behind lacks the receipt of what the others have in a block.
    const mayLag = !isReceiptOverdue(work, open, laggingReceiptMs)
    if (mayLag && (yield* mayBeSpent(work, open, head))) continue
    actions.push({ ...record('recordDisplaced', open.nonce), line: describeForeign(open) })
  }
  return actions
}

const describeForeign = ({ nonce }: OpenNonce): LogEvent => ({
  level: 'warn',
  event: 'nonce.foreign',
  message: 'The chain passed a nonce of ours with a transaction that is not ours',
  nonce,
})

export type ExecutedPayment = Payment & { execution: Execution }

const listDeepPayments = (
  work: Work,
  head: BlockId,
  { confirmations }: PoolRules,
): ExecutedPayment[] =>
  work.mined.flatMap(({ execution, ...payment }) => {
    const isDeep = execution && head.number - execution.block.number + 1 >= confirmations
    return isDeep ? [{ ...payment, execution }] : []
  })

/** Confirms deep outcomes, each after comparing its block again; near the head if followed. */
function* confirmDeep(work: Work, facts: RoundFacts, terms: StageTerms): Asking<Action[]> {
  const { head, followedBlocks } = facts
  const deep = listDeepPayments(work, head, terms.rules)
  const statuses = new Map(facts.statuses)
  const watchedAbove = head.number - terms.rules.watchBlocks
  const bottom = followedBlocks.at(-1)?.number ?? head.number
  for (const { block } of deep.map(({ execution }) => execution)) {
    const isBelow = block.number > watchedAbove && block.number < bottom
    if (isBelow || statuses.has(block.hash)) continue
    statuses.set(block.hash, yield* compareBlock('confirm.failed', block, facts))
  }
  const canonical = deep.filter(({ execution }) => {
    return statuses.get(execution.block.hash) === 'canonical'
  })
  const proofs = yield* askProofs(canonical, facts, terms)
  const lost = deep.flatMap(({ session, execution: { block } }) => {
    const isLost = statuses.get(block.hash) === 'lost' || proofs.get(session) === 'refuted'
    return isLost ? [block.hash] : []
  })
  return [
    ...planConfirmations(canonical, proofs),
    ...[...new Set(lost)].map((hash) => record('reopen', hash)),
  ]
}

/** Plans one step for the outcomes of a block that hashes prove, and one for those they do not. */
function planConfirmations(
  payments: readonly ExecutedPayment[],
  proofs: ReadonlyMap<string, Proof>,
): Action[] {
  const provable = payments.filter(({ session }) => {
    const proof = proofs.get(session)
    return proof !== undefined && proof !== 'refuted'
  })
  const together = Map.groupBy(
    provable,
    ({ session, execution }) => `${execution.block.hash} ${proofs.get(session)}`,
  )
  return [...together.values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    const lacksProof = proofs.get(first.session) === 'unproved'
    const sessions = alike.map(({ session }) => session)
    return [{ kind: 'confirm', sessions, block: first.execution.block, lacksProof }]
  })
}

/** Tells what hashes prove about an outcome that is deep enough to be final. */
type Proof =
  /** Has a receipt that fits a mined header, with enough work on it; or needs none. */
  | 'proved'
  /** Has no proof: the nodes do not serve one. */
  | 'unproved'
  /** Has a proved receipt that shows another outcome. */
  | 'refuted'

/**
 * Proves outcomes by receipt, header and work, by session. One without an answer, or with too
 * little work on it so far, is left out: the next round asks again.
 */
function* askProofs(
  payments: readonly ExecutedPayment[],
  facts: RoundFacts,
  terms: StageTerms,
): Asking<Map<string, Proof>> {
  const { proofs: miningRules } = terms
  if (miningRules === undefined) return new Map(payments.map(({ session }) => [session, 'proved']))
  const proofs = new Map<string, Proof>()
  // A receipt is asked for once, although its transaction carries many payments.
  const paymentsByReceipt = Map.groupBy(
    payments,
    ({ execution }) => `${execution.hash} ${execution.block.hash}`,
  )
  for (const carried of paymentsByReceipt.values()) {
    const [{ execution }] = carried as [ExecutedPayment]
    const receipt = yield* askOrLog('confirm.failed', 'getReceipt', execution.hash)
    const workProof = receipt && (yield* checkWork(execution.block, facts, terms, miningRules))
    if (receipt === undefined || workProof === undefined) continue
    for (const payment of carried) {
      const proof = checkProof(terms, receipt, payment)
      if (proof !== undefined) proofs.set(payment.session, proof === 'proved' ? workProof : proof)
    }
  }
  return proofs
}

/** Compares an outcome with its receipt; undefined if the next round has to ask again. */
export function checkProof(
  { forwarder }: Pick<StageTerms, 'forwarder'>,
  receipt: Receipt | 'unproved',
  { order, execution }: ExecutedPayment,
): Proof | undefined {
  if (receipt === 'unproved' || receipt.proof === 'unproved') return 'unproved'
  // A lie would look the same: another node has to give the same receipt, or a proof.
  if (receipt.proof === 'alone') return undefined
  if (receipt.block.hash !== execution.block.hash) return undefined
  const { from, intentId } = order.request
  const isInReceipt = decodeResults(forwarder, receipt.logs).some(
    (result) =>
      result.intentId === intentId &&
      isAddressEqual(result.from, from) &&
      result.status === execution.outcome,
  )
  return isInReceipt ? 'proved' : 'refuted'
}

/**
 * Checks the work on a block: the difficulties of the linked blocks from this one up must sum to
 * `confirmations` times the network's least, and times the floor of each followed block. Returns
 * undefined if they do not yet, or without an answer.
 */
function* checkWork(
  block: BlockId,
  { head, followedBlocks }: RoundFacts,
  { rules }: StageTerms,
  { minDifficulty }: MiningRules,
): Asking<'proved' | 'unproved' | undefined> {
  const followed = followedBlocks.slice(0, head.number - block.number + 1)
  const haveDifficulties = followed.every(({ difficulty }) => difficulty !== undefined)
  const reachesBlock = haveDifficulties && followed.at(-1)?.hash === block.hash
  const blocks = reachesBlock ? followed : yield* readConfirmations(block, rules)
  if (blocks === undefined) return undefined
  const difficulties = blocks.flatMap(({ difficulty }) => (difficulty ? [BigInt(difficulty)] : []))
  if (difficulties.length < blocks.length) return 'unproved'
  const sum = difficulties.reduce((total, difficulty) => total + difficulty, 0n)
  const floors = [minDifficulty, ...followedBlocks.map(({ floor = '0x0' }) => BigInt(floor))]
  const confirmations = BigInt(rules.confirmations)
  return floors.every((floor) => sum >= confirmations * floor) ? 'proved' : undefined
}

/** Reads the blocks of a confirmation that were not followed, or not proved then. */
function* readConfirmations(
  { number, hash }: BlockId,
  rules: PoolRules,
): Asking<Head[] | undefined> {
  const top = yield* askOrLog('confirm.failed', 'getBlock', number + rules.confirmations - 1)
  const blocks = top && (yield* walkDown(top, (block) => block.number <= number))
  return blocks?.at(-1)?.hash === hash ? blocks : undefined
}

/** Sets for how long after its deadline a payment in doubt is looked up, until its doubt ends. */
const lookUpSeconds = 10 * 60

/** Returns payments without an outcome whose deadlines are before this time (Unix, in seconds). */
const listOverduePayments = (work: Work, seconds: number): Payment[] =>
  listPayments(work, phasesWithoutOutcome).filter((payment) => {
    const { deadline } = payment.order.request
    const isLookedUp = !isInDoubt(work, payment) || seconds <= deadline + lookUpSeconds
    return deadline < seconds && isLookedUp
  })

/**
 * Asks by a followed block's hash what became of overdue payments. Expires those with unspent
 * intents; settles one that another transaction spent.
 */
function* endOverdue(
  work: Work,
  { head, followedBlocks }: RoundFacts,
  terms: StageTerms,
  settled: ReadonlySet<string>,
): Asking<Action[]> {
  const list = (seconds: number) =>
    listOverduePayments(work, seconds).filter(({ session }) => !settled.has(session))
  if (list(head.timestampSeconds).length === 0) return []
  const number = getDeepNumber(head, terms)
  const followed = followedBlocks[head.number - number]
  // Below the watched blocks none is followed, and no replica is on another branch.
  const isWatched = number > head.number - terms.rules.watchBlocks
  if (isWatched && followed === undefined) return []
  const deep = yield* askOrLog('expire.failed', 'getBlock', number)
  if (deep === undefined || (isWatched && deep.hash !== followed?.hash)) return []
  const at: SearchState = { ...deep, blockHash: deep.hash, knownBlocks: [] }
  const seconds = deep.timestampSeconds
  const actions: Action[] = []
  for (const payment of list(seconds)) {
    const { session, nonce } = payment
    const spending = yield* askOrLog('expire.failed', 'readSpending', payment, at)
    // A payment that an open nonce carries is settled by that nonce.
    const isCarried = work.nonces.some((open) => open.nonce === nonce)
    const isUnspent = spending?.kind === 'unspent' && !isInDoubt(work, payment)
    if (isUnspent) actions.push(record('expire', session, seconds))
    if (spending?.kind !== 'spent' || spending.by === undefined || isCarried) continue
    actions.push(settleElsewhere(payment, spending.by))
  }
  return actions
}

/** Gives up nonces behind a gap wider than the pool, left by a wrong answer or lost rows. */
function* abandonFar(work: Work, { chainNonce }: RoundFacts, terms: StageTerms): Asking<Action[]> {
  if (listOutOfReach(work, chainNonce, terms.rules).length === 0) return []
  // Asks a second time, because one node's answer may be outdated.
  const again = yield* askOrLog('abandon.failed', 'getNextNonce', 'latest')
  if (again === undefined) return []
  const outOfReach = listOutOfReach(work, Math.max(chainNonce, again), terms.rules)
  return outOfReach.map(({ nonce }) => ({
    ...record('abandon', nonce),
    line: {
      level: 'warn',
      event: 'nonce.ahead',
      message: 'A nonce too far ahead of the chain was given up',
      nonce,
      chain: chainNonce,
    },
  }))
}

/** Returns recorded nonces behind more missing ones than the pool accepts. */
function listOutOfReach(work: Work, chainNonce: number, { maxInFlight }: PoolRules): OpenNonce[] {
  let missing = 0
  let expected = chainNonce
  return listRecordedNonces(work).filter(({ nonce }) => {
    if (nonce < chainNonce) return false
    missing += nonce - expected
    expected = nonce + 1
    return missing > maxInFlight
  })
}
