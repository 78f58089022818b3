import { getClaim, judgeSession } from '../../oracle/sessions.ts'
import type { Delivery, History, OnChain } from '../history.ts'
import { Status } from '../model/contracts.ts'
import {
  type Excuses,
  has,
  isLeftFar,
  isSpending,
  isUndoneFinal,
  type Report,
  retentionDays,
} from './circumstances.ts'
import { isWanted } from './money.ts'

/** The deliveries of one session of one caller, which make at most one payment. */
type Asked = ReturnType<typeof askedOf>[number]

export function judgeSessions(history: History, found: Report): void {
  const asked = askedOf(history)
  for (const one of asked) {
    judgeReplies(history, one, found)
    judgeEnds(one, found)
    judgeOutcome(history, one, found)
    judgeStatements(one, found)
    judgeRepetition(history, one, found)
    const [first] = one.deliveries
    if (first?.isHopeless === true && getClaim(first) === 'submitted') {
      // A session that was decided or spent before is answered as it was.
      found('admitted', `${first.actor.name} is told "submitted"`, 'lost_rows')
    }
  }
  judgeUnasked(history, asked, found)
}

function askedOf(history: History) {
  const { plan, deliveries, arrivals, processed, statements, losses, phaseStarts } = history
  const isRecycled = (plan.setup.pauseDays ?? 0) >= retentionDays
  const boundary = phaseStarts[1] ?? Number.POSITIVE_INFINITY
  const phaseOf = (time: number): 0 | 1 => (isRecycled && time >= boundary ? 1 : 0)
  const sessions = Map.groupBy(deliveries, (one) => `${one.intentId} ${phaseOf(one.startedAt)}`)
  return [...sessions.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const { intentId, startedAt } = first
    const phase = phaseOf(startedAt)
    const answerLostAt = losses
      .filter(({ at }) => at > startedAt && phaseOf(at) === phase)
      .map(({ at }) => at)
    const onChain = processed.filter(
      (one) => one.processed.intentId === intentId && phaseOf(one.mined.block.since) === phase,
    )
    const execution = onChain.find((each) => isSpending(each.processed.status))
    return {
      intentId,
      deliveries: own,
      arrivals: arrivals.filter(
        ({ at, transaction }) =>
          phaseOf(at) === phase &&
          transaction.requests.some((request) => request.intentId === intentId),
      ),
      processed: onChain,
      /** The first execution that spent the intent, with its request. */
      execution,
      executed: execution && requestIn(execution),
      statements: statements.filter(
        (statement) => statement.intentId === intentId && phaseOf(statement.at) === phase,
      ),
      payment: history.payments.at(isRecycled ? phase : -1)?.get(intentId),
      /** The times at which the ledger lost the session's answer. */
      answerLostAt,
      lost_answer: answerLostAt.length > 0,
    }
  })
}

/** Tells whether it answers too many dials, for which no session is looked at. */
const isUnread = ({ said }: Delivery): boolean => said?.key === 'tooManyDials'

/** Tells whether its node answered as the chain and the pool were before. */
const isAnsweredLate = ({ actor }: Delivery): boolean => actor.troubles.has('replica_behind')

const requestIn = ({ mined, processed: { intentId } }: OnChain) =>
  mined.transaction.requests.find((request) => request.intentId === intentId)

const listSpending = ({ processed }: Asked): OnChain[] =>
  processed.filter((each) => isSpending(each.processed.status))

function judgeReplies(history: History, one: Asked, found: Report): void {
  const { deliveries, lost_answer, arrivals, payment, execution } = one
  const status = execution?.processed.status
  const outcome =
    status === undefined ? undefined : status === Status.executed ? 'executed' : 'failed'
  const inOrder = deliveries.toSorted((a, b) => (a.repliedAt ?? 0) - (b.repliedAt ?? 0))
  const fate = { isSent: arrivals.length > 0, outcome } as const
  for (const { rule, words, one: told, earlier } of judgeSession(inOrder, fate)) {
    const excusesOf: Partial<Record<typeof rule, Excuses>> = {
      submitted: [{ expired: payment?.state === 'expired', lost_answer }],
      // What was refused before a loss is judged again. After it nothing of the kind may be said.
      nothing_sent: [
        {
          lost_answer: isForgottenRefusal(one, told),
          too_many_dials: isUnread(told),
          untraced: isUntraced(one) || isTakenBack(history, one, told),
          outdated: lost_answer && deliveries.some(isAnsweredLate),
          hidden: isHidden(history, one),
        },
      ],
      one_question: [
        {
          lost_answer,
          neither_pays: [told, earlier].every(
            (each) => each?.dial.wanted.kind === 'nothing' || each?.said?.key === 'tooManyMistakes',
          ),
          too_many_dials: [told, earlier].some((each) => each !== undefined && isUnread(each)),
        },
      ],
      identical: [
        {
          forgotten: () => earlier === undefined || isForgotten(history, one, earlier, told),
          // What is found on the chain again has its number; its balance of then is lost.
          lost_answer: lost_answer && findReceipt(told) === findReceipt(earlier),
        },
      ],
      told: ['reorganized', 'lost_rows'],
    }
    found(rule, `${told.actor.name} ${words}`, ...(excusesOf[rule] ?? []))
  }
  for (const delivery of deliveries) {
    const claim = getClaim(delivery)
    const { wanted, pin } = delivery.dial
    // A session that its own answers end was not decided before.
    const endsItself = wanted.kind === 'nothing' || pin !== undefined
    if (claim !== 'ended' && (claim !== 'closed' || endsItself)) continue
    const isAlone = deliveries.every(({ text }) => text === delivery.text)
    const wasDecided = deliveries.some(
      (other) =>
        other.text === delivery.text && ['submitted', 'refused'].includes(getClaim(other) ?? ''),
    )
    if (!isAlone && !wasDecided) continue
    const words = `${delivery.actor.name} is told that its session has ended`
    // What was lost whole is found on the chain again, whatever its text asks for by then.
    const excuses = isAlone ? {} : { lost_answer }
    const troubled = deliveries.some(({ actor }) => actor.troubles.size > 0)
    found('identical', words, { ...excuses, troubled, too_many_dials: deliveries.some(isUnread) })
  }
}

/** Returns the number of the receipt that a delivery was shown; itself if it was shown none. */
const findReceipt = (of: Delivery | undefined) => /\b\d{3}-\d{4}\b/.exec(of?.reply ?? '')?.[0] ?? of

/** Tells whether a refusal began before its rows were lost. */
const isForgottenRefusal = ({ answerLostAt, deliveries }: Asked, { repliedAt = 0 }: Delivery) =>
  answerLostAt.some(
    (at) =>
      at > repliedAt ||
      deliveries.some((one) => one.startedAt < at && at <= (one.repliedAt ?? Infinity)),
  )

/** Tells whether a lost payment was in no block, so that its loss may leave no trace at all. */
const isUntraced = ({ lost_answer, execution }: Asked) => lost_answer && execution === undefined

/**
 * Tells whether the lost payment's transactions waited behind a nonce that no pool had when it was
 * first asked for after the loss: no count of the key's transactions shows them.
 */
function isHidden({ arrivals }: History, { deliveries, answerLostAt, arrivals: own }: Asked) {
  const [lostAt = Number.POSITIVE_INFINITY] = answerLostAt
  const toldAt = Math.min(
    ...deliveries.map(({ repliedAt = 0 }) => (repliedAt > lostAt ? repliedAt : Infinity)),
  )
  const listTaken = (all: History['arrivals']) =>
    all
      .filter(({ at, refusal }) => at <= toldAt && refusal === undefined)
      .map(({ transaction }) => transaction.nonce)
  const taken = new Set(listTaken(arrivals))
  let firstMissing = 0
  while (taken.has(firstMissing)) firstMissing += 1
  const waiting = listTaken(own)
  return waiting.length > 0 && waiting.every((nonce) => nonce > firstMissing)
}

/**
 * Tells whether the chain took its account's blocks back before the answer: after the loss, or at
 * any time what was final, so that nothing of it was left for the ledger to find.
 */
const isTakenBack = (
  { reorganizations, plan }: History,
  { answerLostAt }: Asked,
  { account, repliedAt = 0 }: Delivery,
) =>
  reorganizations.some(
    ({ at, payers, removed }) =>
      payers.has(account.toLowerCase()) &&
      at <= repliedAt &&
      answerLostAt.some(
        (lost) => lost <= (removed >= plan.setup.rules.confirmations ? repliedAt : at),
      ),
  )

/** Judges that no payment is accepted after its caller was told of the session's end. */
function judgeEnds({ deliveries, payment, intentId, lost_answer }: Asked, found: Report): void {
  const ends = deliveries.filter((one) =>
    ['ended', 'closed', 'refused', 'paid'].includes(getClaim(one) ?? ''),
  )
  const shownAt = Math.min(...ends.map(({ repliedAt }) => repliedAt ?? Number.POSITIVE_INFINITY))
  if (payment === undefined || payment.acceptedAt <= shownAt) return
  const words = `${intentId} is accepted after its caller was told of the end`
  found('ended', words, { lost_answer })
}

/** Tells whether the first answer was lost when the second was made, before the chain showed it. */
function isForgotten(history: History, one: Asked, first: Delivery, second: Delivery): boolean {
  const { plan, reorganizations } = history
  const end = Math.max(first.repliedAt ?? 0, second.repliedAt ?? 0)
  const lostAt = one.answerLostAt.find((at) => at < end)
  if (lostAt === undefined) return false
  // What the chain shows can be hidden by reorganizations and by whatever troubles the asker.
  if (!plan.setup.preflight || second.actor.troubles.size > 0) return true
  // A phone that asks too often costs no look at the chain, nor does a wrong PIN.
  const { key = '' } = second.said ?? {}
  if (key === 'tooManyDials' || key.startsWith('pin.')) return true
  // What is refused before its PIN is asked for is not looked up after another PIN was chosen.
  if (second.said?.claim === 'refused' && isPinChanged(history, second)) return true
  if (reorganizations.length > 0 || has(history, 'unlisted')) return true
  // A delivery in trouble may have stored later what it had begun before.
  if (one.deliveries.some(({ actor }) => actor.troubles.size > 0)) return true
  const shown = second.said?.tx
  // A lender's receipt does not tell which transaction carried the payment.
  const named = shown === '0x' ? 'none' : (shown ?? 'none')
  const sent = one.arrivals.find(({ transaction }) => transaction.hash.startsWith(named))
  // The second answer may have been recorded for a delivery that died before it told it.
  const acceptedAt = one.payment?.acceptedAt ?? second.startedAt
  const recordedAt = acceptedAt > lostAt ? Math.min(acceptedAt, second.startedAt) : second.startedAt
  // A node may have taken it only long after its caller was told.
  const madeAt = Math.min(sent?.at ?? recordedAt, second.repliedAt ?? recordedAt)
  return !listSpending(one).some(
    ({ mined }) =>
      mined.block.since < madeAt - 5_000 &&
      mined.transaction.hash.startsWith(first.said?.tx ?? 'none'),
  )
}

/** Tells whether the account's PIN was changed before a delivery. */
const isPinChanged = ({ deliveries }: History, { account, startedAt, dial }: Delivery): boolean =>
  deliveries.some(
    (other) =>
      other.account === account &&
      other.said?.key === 'pin.chosen' &&
      (other.repliedAt ?? startedAt) < startedAt &&
      other.dial.pin?.sets !== dial.pin?.own,
  )

function judgeOutcome(history: History, one: Asked, found: Report): void {
  const { deliveries, lost_answer, intentId, payment, execution, executed } = one
  const spending = listSpending(one)
  if (spending.length > 1) found('submitted', `${intentId} was executed ${spending.length} times`)
  const submitted = deliveries.find((delivery) => getClaim(delivery) === 'submitted')
  if (submitted === undefined) return
  if (executed !== undefined && !isWanted(history, submitted, executed.data)) {
    found('submitted', `${submitted.actor.name} is told of another payment than was made`, {
      lost_answer,
    })
  }
  if (payment === undefined) {
    found('stated', `${intentId} has no outcome to read`, { lost_answer })
    return
  }
  const expected = expectedOf(one)
  const { hash } = execution?.mined.transaction ?? {}
  if (executed !== undefined && payment.order.request.data !== executed.data) {
    found('stated', `${intentId} is listed as another payment than the chain has made`)
  }
  if (payment.state !== expected) {
    found('stated', `${intentId} is ${payment.state}, and the chain says ${expected}`)
  } else if (execution !== undefined && payment.execution?.hash !== hash) {
    found('stated', `${intentId} is settled by another transaction than the chain says`)
  }
}

function expectedOf({ execution }: Asked) {
  if (execution === undefined) return 'expired'
  return execution.processed.status === Status.executed ? 'confirmed' : 'reverted'
}

/** Tells whether a statement was lost, and then what it was about was signed and sent again. */
function isPaidAnew({ arrivals, answerLostAt, execution }: Asked, statedAt: number): boolean {
  const hash = execution?.mined.transaction.hash
  const sentAt = arrivals.find(({ transaction }) => transaction.hash === hash)?.at ?? 0
  return answerLostAt.some((lostAt) => statedAt < lostAt && lostAt < sentAt)
}

/** Judges that callers are told what the log has said of a payment. */
function judgeStatements(one: Asked, found: Report): void {
  const { deliveries, statements, intentId, payment, lost_answer, execution } = one
  const failedAt = statements.find(({ to }) => to === 'reverted' || to === 'expired')?.at
  for (const delivery of deliveries) {
    const isLate = failedAt !== undefined && failedAt < delivery.startedAt
    // What was final before its block is never told as failed.
    const isKept = payment?.assuredAt !== undefined
    if (getClaim(delivery) !== 'submitted' || !isLate || isKept) continue
    const words = `${delivery.actor.name} is told "submitted" of ${intentId}, which has failed`
    found('told', words, 'reorganized', 'lost_rows')
  }
  if (payment === undefined || deliveries.every((told) => getClaim(told) !== 'submitted')) return
  const expected = expectedOf(one)
  for (const { to, at } of statements) {
    const isForgiven = to === 'expired' ? isPaidAnew(one, at) : lost_answer
    const unless = ['reorganized', { lost_answer: isForgiven }] as const
    if (['confirmed', 'reverted', 'expired'].includes(to) && to !== expected) {
      const words = `${intentId} was stated to be ${to}, and the chain says ${expected}`
      found('stated', words, ...unless)
    }
    if (to !== 'queued' || execution === undefined || at <= execution.mined.block.since) continue
    const words = `${intentId} is stated to wait, and a block has executed it`
    found('stated', words, ...unless, 'lost_rows', 'foreign')
  }
}

/** Finds requests in two blocks, which cost gas and are paid once only thanks to the forwarder. */
function judgeRepetition(
  history: History,
  { intentId, processed, execution }: Asked,
  found: Report,
): void {
  // A request that its batch had too little gas for is sent again, and one that came too late by
  // the longer one of a payment that is final.
  const last = Math.max(...processed.map((one) => requestIn(one)?.deadline ?? 0))
  const hashes = processed
    .filter((one) => one.processed.status !== Status.skipped)
    .filter((one) => one.processed.status !== Status.expired || requestIn(one)?.deadline === last)
    .map(({ mined }) => mined.transaction)
  if (hashes.length <= 1) return
  const words = `${intentId} reached blocks in ${hashes.map(({ hash }) => hash).join(' and ')}`
  found('once', words, 'lost_rows', 'foreign', {
    // A transaction that reverted as a whole may be mined again after its request went out again.
    distrusted: history.reorganizations.length > 0 && has(history, 'unlisted'),
    // What a former key sent may be mined again, after the next one has sent it too.
    rotated: isUndoneFinal(history) && has(history, 'rotation'),
    left_far: () => hashes.filter((one) => !isLeftFar(history, one)).length <= 1,
    // Each transaction that waited through the outage comes too late, and says so.
    was_down: history.plan.setup.outageDays !== undefined && execution === undefined,
  })
}

function judgeUnasked(history: History, asked: readonly Asked[], found: Report): void {
  for (const one of history.processed) {
    if (!isSpending(one.processed.status)) continue
    const { intentId } = one.processed
    const owner = asked.find(({ processed }) => processed.includes(one))
    const request = requestIn(one)
    const isAsked = owner?.deliveries.some(
      (delivery) => delivery.account === request?.from && isWanted(history, delivery, request.data),
    )
    if (isAsked !== true) found('unasked', `${intentId} executed, and nobody asked for it`)
  }
}
