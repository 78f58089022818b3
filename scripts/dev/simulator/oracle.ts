import type { Hex } from 'viem'
import { callOf, refusalOf } from '../../../src/loan/calls.ts'
import { ledgerRules } from '../../../src/relay/ledger/port.ts'
import { requestLifetimeSeconds } from '../../../src/relay/relayer.ts'
import type { Arrival, Delivery, History, Loss, OnChain, Statement } from './history.ts'
import { Status } from './model/contracts.ts'
import { type Dial, type Item, principalWei } from './plan.ts'
import { unsettled } from './relay/open.ts'

/** A promise that a run broke, and how. */
export type Violation = { rule: Rule; words: string }

/** The promises, in the words with which a story ends. */
export const rules = {
  submitted:
    'Who is told "submitted" is paid once, or told of a failure or of an expired deadline.',
  nothing_sent: 'Who is told that nothing was sent has nothing sent, for ever.',
  unasked: 'Nothing executes that nobody asked for.',
  identical: 'The same question gets the same answer, to the byte.',
  one_question: 'A session answers one paying question.',
  ended: 'Who is told that a session has ended makes no payment in it from then on.',
  once: 'A request reaches a block once.',
  admitted: 'Nobody is told "submitted" while the chain shows that nothing can be carried.',
  in_time: 'Every delivery is answered within 8 s.',
  unanswered: 'Nobody is turned away while nothing is wrong.',
  stated: 'The outcome that is stated is the one that the chain has.',
  settled: 'Nothing is open when enough time has passed.',
  made: 'A payment expires only where it was carried in vain as often as may be.',
  done: 'A round that nothing disturbs leaves nothing undone.',
  armed: 'A round is due soon after what opens work, and after nothing else.',
  gap: 'Nothing of ours waits in the pool when nothing is open.',
  conserved: 'No call makes money or destroys it.',
  bump: 'The pool never finds our own bytes too cheap over our own.',
  told: 'A failure that is final is told to whom asks again, and nothing else is called a failure.',
  priced: 'No transaction offers more for gas than the operator allows.',
  overdrawn: 'Two payments do not both pass on one balance.',
  lent: 'Two loans do not both pass on what is left for one.',
  claimed: "A claim is the one that was asked for, and its nonce is nobody else's.",
  counted: 'What the ledger counts adds up, and it forgets what is settled in its time.',
  refused: 'What comes too late, or from a process that holds nothing, changes nothing.',
  budget: 'Rounds ask the node for its head, and for two things a block besides.',
  uncaught: 'No error goes uncaught.',
} as const

export type Rule = keyof typeof rules

/** What a screen says about a payment. */
type Said =
  | 'submitted'
  | 'failed'
  | 'nothing_sent'
  /** The session was decided by another question: it may have paid, or it has not. */
  | 'ended'
  | 'closed'
  | 'uncertain'
  | 'unavailable'

/** What was delivered for one session of one caller: one payment at most. */
type Asked = {
  intentId: Hex
  /** Of two phases that are so far apart that the session of the second is another one. */
  phase: 0 | 1
  deliveries: Delivery[]
  /** Bytes that carried it to a node. */
  arrivals: Arrival[]
  processed: OnChain[]
  statements: Statement[]
  /** When the ledger lost what it remembered of it, by table. */
  lost: { answer: number[]; request: number[] }
}

type Found = (rule: Rule, words: string) => void

const answeredWithinMs = 8_000

/** Trouble of one delivery is felt by others for so long: leases, shared questions, retries. */
const troubleFeltMs = 45_000

const lifetimeMs = requestLifetimeSeconds * 1000

/** The ledger keeps sessions so long that the same session before and after is the same payment. */
const retentionDays = 8

/** Reads what the replies and the chain say, and names each promise that they break. */
export function judge(history: History): Violation[] {
  const violations: Violation[] = []
  const found: Found = (rule, words) => violations.push({ rule, words })
  const asked = askedOf(history)
  for (const one of asked) {
    judgeReplies(history, one, found)
    judgeEnds(history, one, found)
    judgeOutcome(history, one, found)
    judgeFailure(history, one, found)
    judgeRepetition(history, one, found)
  }
  judgeUnasked(history, asked, found)
  judgeAdmission(history, asked, found)
  judgeTimes(history, found)
  judgeChain(history, found)
  judgeBudget(history, found)
  judgeEnd(history, found)
  return violations
}

/** Deliveries and events by the payment that they belong to. */
function askedOf(history: History): Asked[] {
  const { plan, deliveries, arrivals, processed, statements, losses, phaseStarts } = history
  const isRecycled = (plan.knobs.pauseDays ?? 0) >= retentionDays
  const boundary = phaseStarts[1] ?? Number.POSITIVE_INFINITY
  const phaseOf = (time: number): 0 | 1 => (isRecycled && time >= boundary ? 1 : 0)
  const all = new Map<string, Asked>()
  for (const delivery of deliveries) {
    const phase = phaseOf(delivery.startedAt)
    const key = `${delivery.intentId} ${phase}`
    const known = all.get(key)
    if (known !== undefined) {
      known.deliveries.push(delivery)
      continue
    }
    const { intentId, session, startedAt } = delivery
    const since = (tables: string[]) =>
      losses
        .filter(({ at }) => at > startedAt && phaseOf(at) === phase)
        .filter(({ row }) => isLossOf(row, session, tables))
        .map(({ at }) => at)
    all.set(key, {
      intentId,
      phase,
      deliveries: [delivery],
      arrivals: arrivals.filter(
        ({ at, transaction }) =>
          phaseOf(at) === phase &&
          transaction.requests.some((request) => request.intentId === intentId),
      ),
      processed: processed.filter(
        (one) => one.processed.intentId === intentId && phaseOf(one.mined.block.since) === phase,
      ),
      statements: statements.filter(
        (statement) => statement.intentId === intentId && phaseOf(statement.at) === phase,
      ),
      lost: { answer: since(['sessions']), request: since(['payments']) },
    })
  }
  return [...all.values()]
}

function isLossOf(row: Loss['row'], session: string, tables: string[]): boolean {
  return row === undefined || (row.session === session && tables.includes(row.table))
}

function judgeReplies(history: History, one: Asked, found: Found): void {
  const { deliveries, lost, intentId } = one
  const decided = deliveries.filter((delivery) => {
    const said = saidOf(delivery.reply)
    return said === 'submitted' || said === 'nothing_sent'
  })
  const texts = new Set(decided.map(({ dial }) => dial.text))
  if (texts.size > 1 && lost.answer.length === 0) {
    found('one_question', `${intentId} was answered as ${[...texts].join(' and ')}`)
  }
  for (const delivery of deliveries) {
    const said = saidOf(delivery.reply)
    const { wanted } = delivery.dial
    if (said !== 'ended' && (said !== 'closed' || wanted.kind === 'nothing')) continue
    const isAlone = deliveries.every(({ dial }) => dial.text === delivery.dial.text)
    const before = decided.find(({ dial }) => dial.text === delivery.dial.text)
    if (lost.answer.length === 0 && (isAlone || before !== undefined)) {
      found('identical', `${delivery.actor.name} is told that its session has ended`)
    }
  }
  const inOrder = decided.toSorted((a, b) => (a.repliedAt ?? 0) - (b.repliedAt ?? 0))
  for (const [index, delivery] of inOrder.entries()) {
    const earlier = inOrder.slice(0, index).findLast(({ dial }) => dial.text === delivery.dial.text)
    if (earlier === undefined || earlier.reply === delivery.reply) continue
    if (!isForgotten(history, one, earlier, delivery)) {
      found(
        'identical',
        `${earlier.actor.name} and ${delivery.actor.name} are told different things`,
      )
    }
  }
}

/** An end is an end: what was accepted until it was shown may have been paid, and nothing after. */
function judgeEnds(history: History, one: Asked, found: Found): void {
  if (one.lost.answer.length > 0) return
  const ends = one.deliveries.filter(({ reply }) => isEnd(saidOf(reply)))
  const shownAt = Math.min(...ends.map(({ repliedAt }) => repliedAt ?? Number.POSITIVE_INFINITY))
  const recycles = (history.plan.knobs.pauseDays ?? 0) >= retentionDays
  const payment = history.payments.at(recycles ? one.phase : -1)?.get(one.intentId)
  if (payment !== undefined && payment.acceptedAt > shownAt) {
    found('ended', `${one.intentId} is accepted after its caller was told of the end`)
  }
}

/** What ends a session without a payment, from the moment at which it is shown. */
const isEnd = (said: Said | undefined): boolean =>
  said === 'ended' || said === 'closed' || said === 'nothing_sent'

/** Whether the first answer was lost when the second was made, and the chain did not show it yet. */
function isForgotten(history: History, one: Asked, first: Delivery, second: Delivery): boolean {
  const { plan, reorganizations } = history
  const end = Math.max(first.repliedAt ?? 0, second.repliedAt ?? 0)
  if (!one.lost.answer.some((at) => at < end)) return false
  // What the chain shows can be hidden by reorganizations and by whatever troubles the asker.
  if (!plan.knobs.preflight || second.actor.troubles.size > 0) return true
  // A phone that asks too often costs no look at the chain.
  if (second.reply?.includes('Too many requests') === true) return true
  if (reorganizations.length > 0 || plan.items.some(({ kind }) => kind === 'unlisted')) return true
  // What a troubled one had begun before may have been stored after.
  if (one.deliveries.some(({ actor }) => actor.troubles.size > 0)) return true
  const madeAt = firstSentAt(one, hashShown(second.reply)) ?? second.startedAt
  const isShown = one.processed.some(
    ({ mined, processed }) =>
      isSpending(processed.status) &&
      mined.block.since < madeAt - 5_000 &&
      mined.transaction.hash.startsWith(hashShown(first.reply) ?? 'none'),
  )
  return !isShown
}

function firstSentAt({ arrivals }: Asked, hash: string | undefined): number | undefined {
  if (hash === undefined) return undefined
  return arrivals.find(({ transaction }) => transaction.hash.startsWith(hash))?.at
}

function judgeOutcome(history: History, one: Asked, found: Found): void {
  const { deliveries, processed, lost, intentId } = one
  const spending = processed.filter((each) => isSpending(each.processed.status))
  if (spending.length > 1) {
    found('submitted', `${intentId} was executed ${spending.length} times`)
  }
  const submitted = deliveries.find(({ reply }) => saidOf(reply) === 'submitted')
  const refused = deliveries.find(({ reply }) =>
    ['nothing_sent', 'closed'].includes(saidOf(reply) ?? ''),
  )
  if (refused !== undefined && lost.answer.length === 0) {
    const [sent] = one.arrivals
    if (sent !== undefined) {
      found(
        'nothing_sent',
        `${refused.actor.name} is told that nothing was sent, and ${sent.transaction.hash} was`,
      )
    }
  }
  if (submitted === undefined) return
  const last = (history.plan.knobs.pauseDays ?? 0) >= retentionDays ? one.phase : -1
  const payment = history.payments.at(last)?.get(intentId)
  const [execution] = spending
  if (execution === undefined) {
    if (payment?.state !== 'expired' && lost.request.length === 0) {
      found('submitted', `${submitted.actor.name} is told "submitted", and nothing came of it`)
    }
  } else {
    const request = execution.mined.transaction.requests.find(
      (candidate) => candidate.intentId === intentId,
    )
    if (request?.data !== dataOf(history, submitted) && lost.answer.length === 0) {
      found('submitted', `${submitted.actor.name} is told of another payment than was made`)
    }
  }
  if (payment === undefined) {
    if (lost.request.length === 0) found('stated', `${intentId} has no outcome to read`)
    return
  }
  const executed = execution?.mined.transaction.requests.find(
    (candidate) => candidate.intentId === intentId,
  )
  // A ledger that had lost its rows may have accepted another intent of a session that was spent.
  const isAnother = executed !== undefined && executed.data !== payment.order.request.data
  const expected =
    execution === undefined
      ? 'expired'
      : execution.processed.status === Status.executed && !isAnother
        ? 'confirmed'
        : 'reverted'
  if (payment.state !== expected) {
    found('stated', `${intentId} is ${payment.state}, and the chain says ${expected}`)
  } else if (
    execution !== undefined &&
    payment.execution?.hash !== execution.mined.transaction.hash
  ) {
    found('stated', `${intentId} is settled by another transaction than the chain says`)
  }
  // What was said before a block was taken back, or a row was lost, was true when it was said.
  if (history.reorganizations.length > 0 || isAnother || lost.answer.length > 0) return
  if (execution !== undefined) judgeWaiting(history, one, execution.mined.block.since, found)
  for (const { to } of one.statements) {
    if (['confirmed', 'reverted', 'expired'].includes(to) && to !== expected) {
      found('stated', `${intentId} was stated to be ${to}, and the chain says ${expected}`)
    }
  }
}

/** What keeps a block from being seen, or a line of the log from being written when it was so. */
const blurring = ['replica_behind', 'stalls', 'reply_late', 'request_late']

/** What a block has executed does not wait again, as far as anything was there to show the block. */
function judgeWaiting(
  { faults, losses, foreign }: History,
  { statements, intentId }: Asked,
  since: number,
  found: Found,
): void {
  const isBlurred = [...faults.values()].some(({ kind }) => blurring.includes(kind))
  if (isBlurred || losses.length + foreign.size > 0) return
  const isToldLate = statements.some(({ to, at }) => to === 'queued' && at > since)
  if (isToldLate) found('stated', `${intentId} is stated to wait, and a block has executed it`)
}

/** What became of a payment may change with a branch, and what was lost cannot be told. */
function judgeFailure(history: History, one: Asked, found: Found): void {
  const { deliveries, statements, intentId } = one
  if (history.reorganizations.length > 0 || history.losses.length > 0) return
  const isRecycled = (history.plan.knobs.pauseDays ?? 0) >= retentionDays
  const state = history.payments.at(isRecycled ? one.phase : -1)?.get(intentId)?.state
  const hasFailed = state === 'reverted' || state === 'expired'
  const failedAt = statements.find(({ to }) => to === 'reverted' || to === 'expired')?.at
  for (const { actor, reply, startedAt } of deliveries) {
    const said = saidOf(reply)
    if (said === 'submitted' && failedAt !== undefined && failedAt < startedAt) {
      found('told', `${actor.name} is told "submitted" of ${intentId}, which has failed`)
    }
    // Who ended an outcome may have died before it was logged.
    if (said === 'failed' && !hasFailed) {
      found('told', `${actor.name} is told of a failure of ${intentId}`)
    }
  }
}

/** A request that reaches a second block costs gas, and only the forwarder keeps it from paying twice. */
function judgeRepetition(history: History, { intentId, processed }: Asked, found: Found): void {
  const { losses, foreign, plan, reorganizations, faults } = history
  if (losses.length > 0 || foreign.size > 0) return
  // A few confirmations may be younger than a replica is behind.
  const isBehind = [...faults.values()].some(({ kind }) => kind === 'replica_behind')
  if (isBehind && !isDeeperThanReplicas(history)) return
  // A transaction that reverted as a whole, and whose request went out again, may be mined once more.
  if (reorganizations.length > 0 && plan.items.some(({ kind }) => kind === 'unlisted')) return
  const hashes = processed
    .filter(({ mined }) => !isLeftFar(history, mined.transaction))
    .map(({ mined }) => mined.transaction.hash)
  if (hashes.length > 1) {
    found('once', `${intentId} reached blocks in ${hashes.join(' and ')}`)
  }
}

/** Whether every replica shows what lies at the depth at which outcomes are final. */
function isDeeperThanReplicas({ plan: { knobs }, reorganizations }: History): boolean {
  const { rules, blockMs, isRegular, maxBehindMs } = knobs
  // A reorganization adds several blocks at a time.
  if (isRegular && reorganizations.length === 0) {
    return (rules.confirmations - 1) * blockMs > maxBehindMs
  }
  return rules.confirmations >= 12 && maxBehindMs <= 25_000
}

function judgeUnasked(history: History, asked: readonly Asked[], found: Found): void {
  for (const one of history.processed) {
    if (!isSpending(one.processed.status)) continue
    const { intentId } = one.processed
    const owner = asked.find(({ processed }) => processed.includes(one))
    const request = one.mined.transaction.requests.find(
      (candidate) => candidate.intentId === intentId,
    )
    const isAsked = owner?.deliveries.some(
      (delivery) =>
        delivery.account === request?.from && dataOf(history, delivery) === request.data,
    )
    if (isAsked !== true) found('unasked', `${intentId} executed, and nobody asked for it`)
  }
}

/** A session that was decided before, or that the chain has spent, is answered as it was. */
function judgeAdmission({ losses }: History, asked: readonly Asked[], found: Found): void {
  if (losses.length > 0) return
  for (const { deliveries } of asked) {
    const [first] = deliveries
    if (first?.isHopeless === true && saidOf(first.reply) === 'submitted') {
      found('admitted', `${first.actor.name} is told "submitted"`)
    }
  }
}

function judgeTimes(history: History, found: Found): void {
  const { deliveries, plan, losses } = history
  const troubled = deliveries.filter(isTroubled)
  const isDistrusted = plan.items.some(({ kind }) => kind === 'unlisted')
  for (const [
    index,
    { actor, startedAt, repliedAt, reply, dial, intentId },
  ] of deliveries.entries()) {
    const isStalled = actor.troubles.has('stalls')
    const took = repliedAt === undefined ? undefined : repliedAt - startedAt
    if (took === undefined ? actor.isAlive : took > answeredWithinMs && !isStalled) {
      found(
        'in_time',
        `${actor.name} ${took === undefined ? 'is never answered' : `waits ${took / 1000} s`}`,
      )
    }
    const isTurnedAway =
      saidOf(reply) === 'uncertain' ||
      saidOf(reply) === 'unavailable' ||
      reply?.includes('Service not available') === true
    const isRepeated = deliveries
      .slice(0, index)
      .some(
        (earlier) =>
          earlier.intentId === intentId &&
          earlier.dial.text === dial.text &&
          (earlier.reply === reply || isTroubled(earlier)),
      )
    if (!isTurnedAway || isRepeated || losses.length > 0 || isDistrusted) continue
    if (isMovedAway(history, dial) || isInOwnLine(deliveries, deliveries[index])) continue
    if (isShortened(history, actor.name, startedAt)) continue
    const isExcused = troubled.some(
      (other) =>
        other.startedAt <= (repliedAt ?? startedAt) &&
        (other.repliedAt ?? other.startedAt) + troubleFeltMs >= startedAt,
    )
    if (!isExcused && !isRestarted(history, startedAt, repliedAt)) {
      found('unanswered', `${actor.name} is told ${reply?.replaceAll('\n', ' / ')}`)
    }
  }
}

/** So many payments of one account are simulated one after the other while one more of it waits. */
const ownLine = 8

/** An account's payments take turns: who sends a crowd of them at once has some of it wait too long. */
function isInOwnLine(deliveries: readonly Delivery[], waiting: Delivery | undefined): boolean {
  if (waiting === undefined) return false
  const { account, startedAt, repliedAt = Number.POSITIVE_INFINITY } = waiting
  const served = deliveries.filter(
    (other) =>
      other.account === account &&
      saidOf(other.reply) === 'submitted' &&
      other.repliedAt !== undefined &&
      other.repliedAt >= startedAt &&
      other.repliedAt <= repliedAt,
  )
  return served.length >= ownLine
}

/** Something went wrong with it, or it ended with the Worker that another one's trouble ended. */
const isTroubled = ({ actor, reply }: Delivery): boolean =>
  actor.troubles.size > 0 || (!actor.isAlive && reply === undefined)

/**
 * Whether a lost block may have held a payment of a caller whose money was moved away: a node that cannot
 * execute it again looks as if it were behind, until a round has taken the block back.
 */
function isMovedAway({ plan, reorganizations }: History, { caller }: Dial): boolean {
  const isMoved = plan.items.some((item) => item.kind === 'withdrawal' && item.caller === caller)
  return isMoved && reorganizations.length > 0
}

/**
 * Whether the chain was not yet as long again as before a reorganization: it looks like a replica that is
 * behind, and for as long as one may be, nothing is decided by it.
 */
function isShortened({ asked, reorganizations }: History, by: string, startedAt: number): boolean {
  const heads = asked.filter((call) => call.by === by).map(({ head }) => head)
  return reorganizations.some(({ at }) => {
    const before = asked.filter((call) => call.at < at).map(({ head }) => head)
    return at <= startedAt && Math.min(...heads) < Math.max(...before)
  })
}

/** Whether a Worker or the ledger's object was ended from outside at about this time. */
function isRestarted({ plan, phaseStarts }: History, from: number, to = from): boolean {
  return plan.items.some((item) => {
    const at = (phaseStarts[item.phase] ?? 0) + item.at
    return (
      (item.kind === 'restart' || item.kind === 'worker_restart') &&
      at <= to &&
      at + troubleFeltMs >= from
    )
  })
}

function judgeChain(history: History, found: Found): void {
  const { arrivals, losses, foreign, totalsWei, processed, plan } = history
  if (totalsWei[0] !== totalsWei[1]) {
    found('conserved', `${totalsWei[0]} wei have become ${totalsWei[1]}`)
  }
  for (const { transaction } of arrivals) {
    const { hash, gasPriceWei } = transaction
    if (gasPriceWei > plan.knobs.maxGasPriceWei)
      found('priced', `${hash} offers ${gasPriceWei} wei`)
  }
  if (losses.length === 0 && foreign.size === 0) {
    for (const { transaction, refusal, over } of arrivals) {
      if (over === undefined || refusal === undefined) continue
      const isBump = /not enough to bump|replacement transaction underpriced/.test(refusal)
      if (isBump && transaction.gasPriceWei >= over.gasPriceWei) {
        found('bump', `${transaction.hash} over ${over.hash}: ${refusal}`)
      }
    }
  }
  if (!plan.knobs.preflight || !isUndisturbed(history)) return
  for (const { processed: result } of processed) {
    if (result.status !== Status.failed) continue
    const { reason } = refusalOf(result.returnData)
    if (reason === 'balance_too_low') {
      found('overdrawn', `${result.intentId} passed on a balance that another payment had used up`)
    }
    if (reason === 'no_liquidity') {
      found('lent', `${result.intentId} passed on what another loan had used up`)
    }
  }
}

/** Nothing but the account's own payments, in their order, changes what a payment can spend. */
function isUndisturbed({ plan, losses, reorganizations }: History): boolean {
  const disturbing: Item['kind'][] = ['withdrawal', 'pause', 'foreign', 'unlisted']
  return (
    losses.length === 0 &&
    reorganizations.length === 0 &&
    !plan.items.some(({ kind }) => disturbing.includes(kind))
  )
}

/** What one payment has asked for itself. All else is asked for all of them together. */
const ownQuestions = [
  ...['eth_getTransactionReceipt', 'eth_sendRawTransaction', 'eth_call', 'eth_getLogs'],
  'eth_getTransactionByHash',
]

/** Blocks come by chance: more often than they should for a while, and then the first round catches up. */
const blocksAtMost = (spanMs: number, blockMs: number) => 1.25 * (spanMs / blockMs) + 5

/**
 * How many rounds send in a block in which another has sent: where rounds come more often than blocks, a
 * crowd's payments settle one round after the other, and what the pool holds and what a block wants is asked
 * before anything is sent.
 */
function sendAgain(asked: History['asked'], rounds: ReadonlySet<string>): number {
  const sending = asked.filter(
    ({ by, method }) => rounds.has(by) && method === 'eth_sendRawTransaction',
  )
  const blocks = new Set(sending.map(({ head }) => head))
  return new Set(sending.map(({ by }) => by)).size - blocks.size
}

/** Whether deadlines pass in it without a block: then each round asks for the block that is final, too. */
const isLongPause = (item: History['plan']['items'][number]) =>
  item.kind === 'no_blocks' && item.forMs > lifetimeMs

/**
 * While nothing fails, what is open is not asked about more often because it is open for longer. What was
 * lost, on the chain or in the ledger, is searched for, and what others send with the key is waited for.
 */
function judgeBudget(history: History, found: Found): void {
  const { asked, quietFrom, plan, losses, reorganizations, foreign } = history
  if (losses.length + reorganizations.length + foreign.size > 0) return
  const quiet = quietFrom.at(-1) ?? Number.POSITIVE_INFINITY
  const shared = asked.filter(
    ({ at, by, method }) => at > quiet && by.startsWith('round') && !ownQuestions.includes(method),
  )
  const [first, last] = [shared[0], shared.at(-1)]
  if (first === undefined || last === undefined) return
  const rounds = new Set(shared.map(({ by }) => by))
  const blocks = blocksAtMost(last.at - first.at, plan.knobs.blockMs)
  // What rounds had not followed by then is followed block by block, as far as it is watched.
  const missed = Math.min(
    first.head - followedTo(history, first.head),
    plan.knobs.rules.watchBlocks,
  )
  const own = rounds.size * (plan.items.some(isLongPause) ? 2 : 1)
  if (shared.length <= own + missed + 2 * (blocks + sendAgain(asked, rounds))) return
  found(
    'budget',
    `${rounds.size} rounds of about ${Math.ceil(blocks)} blocks ask ${shared.length} times`,
  )
}

/** The highest block that rounds had followed; where none, they follow down to what is ours. */
function followedTo({ followed, processed }: History, head: number): number {
  return followed.at(-1) ?? Math.min(head, ...processed.map(({ mined }) => mined.block.number))
}

function judgeEnd(history: History, found: Found): void {
  const open = [
    ...history.work.nonces.map(({ nonce, state }) => `nonce ${nonce} is ${state}`),
    ...unsettled(history.work).map(({ order, state }) => `${order.request.intentId} is ${state}`),
  ]
  if (open.length > 0) found('settled', open.join('; '))
  const left = history.pool.filter(
    (transaction) => !history.foreign.has(transaction.hash) && !isLeftFar(history, transaction),
  )
  if (open.length === 0 && left.length > 0 && history.losses.length === 0) {
    found('gap', left.map(({ nonce, hash }) => `nonce ${nonce} (${hash}) waits`).join('; '))
  }
  // A row that is lost alone is missing in what counts it.
  if (open.length === 0 && history.losses.every(({ row }) => row === undefined)) {
    for (const words of history.audit) found('counted', words)
  }
  for (const words of history.unrefused) found('refused', words)
  for (const words of history.misclaimed) found('claimed', words)
  for (const words of history.misarmed) found('armed', words)
  for (const words of history.undone) found('done', words)
  for (const payments of history.payments) {
    for (const [intentId, { state, attempts }] of payments) {
      const isInVain =
        attempts >= ledgerRules.maxAttempts || history.losses.length > 0 || isOutlasted(history)
      if (state === 'expired' && !isInVain) found('made', `${intentId} has expired`)
    }
  }
  const isBehind = [...history.faults.values()].some(({ kind }) => kind === 'replica_behind')
  if (history.reorganizationsTold > 0 && history.reorganizations.length === 0 && !isBehind) {
    found('stated', 'the log tells of a reorganization, and there was none')
  }
  const isWhole = history.losses.length + history.reorganizations.length === 0
  const isMissed = isBehind && !isDeeperThanReplicas(history)
  if (history.displacedTold > 0 && history.foreign.size === 0 && isWhole && !isMissed) {
    found('stated', 'the log tells of a transaction of another program, and there was none')
  }
  for (const error of history.uncaught) found('uncaught', error)
}

/**
 * Whether these bytes were sent before their nonce was given up, and a pool may hold them still: geth's
 * takes any nonce. The next payment with that nonce outbids them; if the chain reaches it first, they get
 * into a block after all, and the forwarder turns down what has been executed.
 */
function isLeftFar(
  { plan, givenUp, arrivals }: History,
  { hash, nonce }: { hash: Hex; nonce: number },
): boolean {
  const taken = givenUp.findLast((one) => one.nonce === nonce)
  if (plan.knobs.family !== 'geth' || taken === undefined) return false
  return arrivals.some(({ at, transaction }) => transaction.hash === hash && at <= taken.at)
}

/**
 * Whether nothing could be carried for longer than a request is good for: the node or the chain stood
 * still, or a crowd waited while the forwarder took nothing from the relayer.
 */
function isOutlasted({ plan: { knobs, items } }: History): boolean {
  const isCrowded = knobs.callers > 100
  return items.some(
    (item) =>
      (item.kind === 'node_down' ||
        item.kind === 'no_blocks' ||
        (item.kind === 'unlisted' && isCrowded)) &&
      item.forMs > lifetimeMs,
  )
}

function saidOf(reply: string | undefined): Said | undefined {
  if (reply === undefined) return undefined
  if (/^END (Transfer Submitted|Loan Requested|Repayment Submitted)/.test(reply)) return 'submitted'
  if (/^END (Transfer|Loan|Repayment) Failed/.test(reply)) return 'failed'
  if (reply.includes('session has ended. Nothing was sent.')) return 'closed'
  if (reply.includes('session has ended')) return 'ended'
  if (/not known yet|Not sent so far/.test(reply)) return 'uncertain'
  if (reply.startsWith('END Service not available. Please')) return 'unavailable'
  return 'nothing_sent'
}

/** The beginning of a transaction's hash, where the screen has one. */
function hashShown(reply: string | undefined): string | undefined {
  return /Tx: (0x[0-9a-f]+)\.\.\./.exec(reply ?? '')?.[1]
}

/** The contract's call that a delivery asks for. */
function dataOf({ callers }: History, { dial: { wanted } }: Delivery): Hex | undefined {
  switch (wanted.kind) {
    case 'transfer': {
      const to = callers[wanted.to]
      if (to === undefined) throw new Error('the plan has a recipient without an account')
      return callOf({ kind: 'transfer', to, amountWei: wanted.amountWei })
    }
    case 'loan':
      return callOf({ kind: 'loan', principalWei })
    case 'repayment':
      return callOf({ kind: 'repayment', amountWei: wanted.amountWei })
    case 'nothing':
      return undefined
  }
}

const isSpending = (status: number): boolean =>
  status === Status.executed || status === Status.failed
