import { isAddressEqual } from 'viem'
import { answerWithinMs, retryPauseMs } from '../../../../src/relay/pay/answers.ts'
import { settledWithinMs } from '../../../../src/relay/pay/readings.ts'
import type { Delivery, History } from '../history.ts'
import { watchedWithinMs } from '../plan.ts'
import { longestFarMs, longestNearMs } from '../relay/lines.ts'
import { judgeChain, judgeEnd } from './chain.ts'
import { createFindings, type Report } from './circumstances.ts'
import { judgeFinal } from './final.ts'
import { judgeLender } from './lender.ts'
import { judgeMoney } from './money.ts'
import type { Verdict } from './rules.ts'
import { judgeSessions } from './sessions.ts'

/** Compares replies and chain with every rule, and returns the broken ones. */
export function judge(history: History): Verdict {
  const { found, ...verdict } = createFindings(history)
  judgeSessions(history, found)
  judgeTimes(history, found)
  judgeChain(history, found)
  judgeEnd(history, found)
  judgeFinal(history, found)
  judgeLender(history, found)
  judgeMoney(history, found)
  return verdict
}

const shownWithinMs = 8_000

/** Time for which a delivery's trouble reaches others, by shared calls and retries. */
const troubleFeltMs = 45_000

/** Time in which all Workers have the key, and believe that the ledger has it. */
const rotationFeltMs = 100_000

function judgeTimes(history: History, found: Report): void {
  const { deliveries, plan } = history
  const other_unit = plan.setup.unit !== plan.setup.contractUnit
  const troubled = deliveries.filter(isTroubled)
  for (const [index, delivery] of deliveries.entries()) {
    const { actor, startedAt, repliedAt, said, reply } = delivery
    const took = repliedAt === undefined ? undefined : repliedAt - startedAt
    if (took === undefined && actor.isAlive) found('in_time', `${actor.name} is never answered`)
    if (took !== undefined && took > shownWithinMs) {
      const stalled = actor.troubles.has('stalls')
      found('in_time', `${actor.name} waits ${took / 1000} s`, { stalled })
    }
    const isTurnedAway =
      said?.claim === 'uncertain' || said?.claim === 'unavailable' || said?.key === 'nothingWasSent'
    if (!isTurnedAway) continue
    const felt = (other: Delivery) =>
      other.startedAt <= (repliedAt ?? startedAt) &&
      (other.repliedAt ?? other.startedAt) + troubleFeltMs >= startedAt
    found(
      'unanswered',
      `${actor.name} is told ${reply?.replaceAll('\n', ' / ')}`,
      {
        troubled: () => troubled.some(felt),
        repeated: () => isRepeated(deliveries.slice(0, index), delivery),
        overrun: () => isOverrun(history, delivery),
        outrun: () => isOutrun(history, delivery),
        undone: () => isUndone(history, delivery),
        other_unit,
      },
      'lost_rows',
      'distrusted',
      { rotated: () => isRotating(history, delivery) },
      { doubted: said.claim === 'uncertain' && isInDoubt(history, repliedAt ?? startedAt) },
    )
  }
}

/** Tells whether the key had a transaction before that the ledger does not know, as far as seen. */
const isInDoubt = ({ plan, phaseStarts }: History, time: number): boolean =>
  plan.items.some(
    ({ kind, phase, at }) =>
      (kind === 'foreign' || kind === 'miscount') && (phaseStarts[phase] ?? time) + at <= time,
  )

/** Tells whether the relayer's key was changed, as far as each Worker knows. */
const isRotating = (
  { plan, phaseStarts }: History,
  { startedAt, repliedAt = startedAt }: Delivery,
): boolean =>
  plan.items.some((item) => {
    if (item.kind !== 'rotation') return false
    const from = (phaseStarts[item.phase] ?? 0) + item.at
    return from <= repliedAt && startedAt <= from + item.forMs + rotationFeltMs
  })

/** Tells whether a delivery met a fault, or its Worker died by another delivery's fault. */
const isTroubled = ({ actor, reply }: Delivery): boolean =>
  actor.troubles.size > 0 || (!actor.isAlive && reply === undefined)

/** Tells whether its Worker had more deliveries than it can accept in the time of an answer. */
function isOverrun({ plan: { setup }, deliveries }: History, delivery: Delivery): boolean {
  const { dial, startedAt, repliedAt = startedAt } = delivery
  // A batch is one call of the ledger.
  const batchMs = 2 * longestNearMs * setup.slowness
  const most = (setup.rules.maxInBatch * shownWithinMs) / batchMs
  const waiting = deliveries.filter(
    (other) =>
      other.dial.worker === dial.worker &&
      other.startedAt <= repliedAt &&
      (other.repliedAt ?? repliedAt) >= startedAt,
  )
  return setup.hasOwnAcceptors && waiting.length > most
}

/** Tells whether each try, to the end, may have come behind another payment of its account. */
function isOutrun(
  { plan: { setup }, payments }: History,
  { account, startedAt, repliedAt = startedAt }: Delivery,
): boolean {
  // A try reads the ledger and the chain, and has a batch accepted.
  const settledMs = setup.finalAtOnce.limitWei > 0n ? settledWithinMs : 0
  const tryMs = retryPauseMs + settledMs + setup.slowness * (4 * longestNearMs + 2 * longestFarMs)
  const accepted = payments
    .flatMap((all) => [...all.values()])
    .filter(
      ({ order, acceptedAt }) =>
        isAddressEqual(order.request.from, account) &&
        startedAt <= acceptedAt &&
        acceptedAt <= repliedAt,
    )
  const intents = new Set(accepted.map(({ order }) => order.request.intentId))
  const tookMs = repliedAt - startedAt
  return tookMs >= answerWithinMs && intents.size * tryMs >= tookMs
}

/** Tells whether a block with a payment of its account was lost too recently for a round. */
const isUndone = (
  { plan, reorganizations }: History,
  { account, startedAt, repliedAt = startedAt }: Delivery,
) =>
  reorganizations.some(
    ({ at, payers }) =>
      payers.has(account) && at <= repliedAt && startedAt - at < watchedWithinMs(plan),
  )

/**
 * Tells whether an earlier delivery of the question was told the same, or met trouble. One that was
 * told that nothing is known yet, which is judged by itself, may have stored this answer since.
 */
const isRepeated = (before: readonly Delivery[], { intentId, text, reply }: Delivery): boolean =>
  before.some(
    (earlier) =>
      earlier.intentId === intentId &&
      earlier.text === text &&
      (earlier.reply === reply || earlier.said?.claim === 'uncertain' || isTroubled(earlier)),
  )
