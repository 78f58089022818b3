import { claimOf } from '../../oracle/sessions.ts'
import type { Delivery, History } from '../history.ts'
import type { Dial } from '../plan.ts'
import { has } from './circumstances.ts'
import type { Found } from './rules.ts'

const answeredWithinMs = 8_000

/** Trouble of one delivery is felt by others for so long: shared questions, retries. */
const troubleFeltMs = 45_000

/** So many payments of one account are simulated one after the other while one more of it waits. */
const ownLine = 8

/** Each delivery is answered in time, and turned away only where something is wrong. */
export function judgeTimes(history: History, found: Found): void {
  const { deliveries, losses } = history
  const troubled = deliveries.filter(isTroubled)
  for (const [index, delivery] of deliveries.entries()) {
    const { actor, startedAt, repliedAt, said, reply } = delivery
    const took = repliedAt === undefined ? undefined : repliedAt - startedAt
    if (took === undefined && actor.isAlive) found('in_time', `${actor.name} is never answered`)
    if (took !== undefined && took > answeredWithinMs) {
      const stalled = actor.troubles.has('stalls')
      found('in_time', `${actor.name} waits ${took / 1000} s`, { stalled })
    }
    const isTurnedAway =
      said?.claim === 'uncertain' || said?.claim === 'unavailable' || said?.key === 'nothingWasSent'
    if (!isTurnedAway) continue
    const felt = (other: Delivery) =>
      other.startedAt <= (repliedAt ?? startedAt) &&
      (other.repliedAt ?? other.startedAt) + troubleFeltMs >= startedAt
    found('unanswered', `${actor.name} is told ${reply?.replaceAll('\n', ' / ')}`, {
      troubled: () => troubled.some(felt),
      repeated: () => isRepeated(deliveries.slice(0, index), delivery),
      lost_rows: losses.length > 0,
      distrusted: has(history, 'unlisted'),
      moved_away: () => isMovedAway(history, delivery.dial),
      own_line: () => isInOwnLine(deliveries, delivery),
      shortened: () => isShortened(history, actor.name, startedAt),
      restarted: () => isRestarted(history, startedAt, repliedAt),
    })
  }
}

/** Something went wrong with it, or it ended with the Worker that another one's trouble ended. */
const isTroubled = ({ actor, reply }: Delivery): boolean =>
  actor.troubles.size > 0 || (!actor.isAlive && reply === undefined)

const isRepeated = (before: readonly Delivery[], { intentId, text, reply }: Delivery): boolean =>
  before.some(
    (earlier) =>
      earlier.intentId === intentId &&
      earlier.text === text &&
      (earlier.reply === reply || isTroubled(earlier)),
  )

/** An account's payments take turns: who sends a crowd of them at once has some of it wait too long. */
function isInOwnLine(deliveries: readonly Delivery[], waiting: Delivery): boolean {
  const { account, startedAt, repliedAt = Number.POSITIVE_INFINITY } = waiting
  const served = deliveries.filter(
    (other) =>
      other.account === account &&
      claimOf(other) === 'submitted' &&
      other.repliedAt !== undefined &&
      other.repliedAt >= startedAt &&
      other.repliedAt <= repliedAt,
  )
  return served.length >= ownLine
}

/** Says whether a lost block may have held a payment whose money was moved away: its node looks behind. */
function isMovedAway({ plan, reorganizations }: History, { caller }: Dial): boolean {
  const isMoved = plan.items.some((item) => item.kind === 'withdrawal' && item.caller === caller)
  return isMoved && reorganizations.length > 0
}

/** Says whether the chain was shorter than before a reorganization, which looks like a replica behind. */
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
