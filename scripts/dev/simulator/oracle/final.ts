import { type Address, type Hex, isAddressEqual } from 'viem'
import { decodeCall } from '../../../../src/loan/calls.ts'
import { halfDayOutage } from '../draw/setup.ts'
import type { History } from '../history.ts'
import { Status } from '../model/contracts.ts'
import { isProvable } from '../plan.ts'
import { isUndoneFinal, type Report } from './circumstances.ts'

/** Judges that what was assured was executed in the end, however many blocks were not final. */
export function judgeFinal(history: History, found: Report): void {
  judgeAssured(history, found)
  judgeCovered(history, found)
  judgeKnown(history, found)
  judgeBacked(history, found)
}

function judgeAssured(history: History, found: Report): void {
  const { plan } = history
  const stopped = (plan.setup.outageDays ?? 0) > halfDayOutage
  const undone_final = isUndoneFinal(history)
  for (const payment of history.payments.flatMap((all) => [...all.values()])) {
    const { assuredAt, state, order, isBacked: at_once } = payment
    if (assuredAt === undefined || state === 'confirmed') continue
    const words = `${order.request.intentId} was final at ${assuredAt}, and is ${state}`
    // Nobody knows of a key that it will act, until a block has it.
    const actedAt = findFirstAction(history, order.request.from)
    const acted = actedAt !== undefined && history.readHead(assuredAt) <= history.readHead(actedAt)
    const own = { undone_final, at_once, stopped, acted }
    found('assured', words, own, 'lost_rows')
  }
  for (const { to, intentId, hash } of history.statements) {
    if (to !== 'payment.assured' || isProvable(plan, `${hash}`)) continue
    found('believed', `${intentId} is final by ${hash}`)
  }
}

/** A payment that the final chain executed; `at` is when a node had it first (Unix time in ms). */
type Leaving = { at: number; number: number; wei: bigint; intentId: Hex }

/**
 * Judges that settled money covers what is final and all that its account has begun since: what a
 * final block shows is no less than what the blocks above it took.
 */
function judgeCovered(history: History, found: Report): void {
  const undone_final = isUndoneFinal(history)
  for (const payment of history.payments.flatMap((read) => [...read.values()])) {
    const { assuredAt, acceptedAt } = payment
    if (assuredAt === undefined) continue
    const { from: account, intentId } = payment.order.request
    const leaving = listLeaving(history, account)
    // A session id that comes back has the intent that it had.
    const own = leaving.find((one) => one.intentId === intentId && one.at >= acceptedAt)
    if (own === undefined) continue
    for (const at of leaving.map((one) => Math.max(one.at, assuredAt))) {
      const final = history.readFinal(at, account)
      const above = leaving.filter((one) => one.at <= at && one.number > final.number)
      const wei = above.reduce((sum, one) => sum + one.wei, 0n)
      if (wei <= final.wei || own.number <= final.number) continue
      const acted = findFirstAction(history, account) !== undefined
      const lost_rows = history.losses.some((loss) => assuredAt <= loss.at && loss.at <= at)
      const words = `${intentId} is final at ${at}: ${final.wei} wei cover ${wei}`
      found('covered', words, { undone_final, acted, lost_rows })
    }
  }
}

/** Lists the money that left an account by the final chain's blocks. */
const listLeaving = ({ processed, arrivals }: History, account: Address): Leaving[] =>
  processed.flatMap(({ mined, processed: { intentId, from, status } }) => {
    if (status !== Status.executed || !isAddressEqual(from, account)) return []
    const request = mined.transaction.requests.find((one) => one.intentId === intentId)
    const call = request && decodeCall(request.data)
    const wei = call?.kind === 'transfer' || call?.kind === 'cashOut' ? call.amountWei : 0n
    const arrived = arrivals.find(({ transaction }) =>
      transaction.requests.some(
        (one) => one.intentId === intentId && one.deadline === request?.deadline,
      ),
    )
    return [{ at: arrived?.at ?? Infinity, number: mined.block.number, wei, intentId }]
  })

/** Judges that nothing is final early while something may execute that the ledger has lost. */
function judgeKnown({ losses, arrivals, processed, ...history }: History, found: Report): void {
  const mined = new Set(processed.map((one) => one.mined.transaction.hash))
  for (const { assuredAt = 0, order } of history.payments.flatMap((read) => [...read.values()])) {
    const lost = losses.findLast(({ at }) => at <= assuredAt)
    const signed = arrivals.filter(
      ({ at, transaction: { requests } }) =>
        at <= (lost?.at ?? 0) && requests.some(({ deadline }) => deadline * 1_000 > assuredAt),
    )
    for (const { hash } of signed.map(({ transaction }) => transaction)) {
      // Nobody can know of what chain and pools lost as well.
      const untraced = !mined.has(hash)
      const words = `${order.request.intentId} is final at ${assuredAt}, and ${hash} was lost`
      found('sure', words, { untraced })
    }
  }
}

/** Returns when an account's own key acted first, if it ever did (Unix time in ms). */
const findFirstAction = (
  { plan, callers, phaseStarts }: History,
  account: Address,
): number | undefined =>
  plan.items
    .filter(
      (item) =>
        item.kind === 'direct' && callers[item.caller]?.toLowerCase() === account.toLowerCase(),
    )
    .map(({ phase, at }) => (phaseStarts[phase] ?? 0) + at)
    .toSorted((a, b) => a - b)[0]

/** Judges what was final from its acceptance on, until at the earliest a block had it. */
function judgeBacked({ plan, ...history }: History, found: Report): void {
  const { limitWei } = plan.setup.finalAtOnce
  const findMinedAt = (intent: Hex): number =>
    history.statements.find(({ intentId, to }) => intentId === intent && to === 'mined')?.at ??
    Infinity
  const read = history.payments.flatMap((all) => [...all])
  // Each phase reads the payments of those before it again.
  const atOnce = new Map(read.filter(([, { assuredAt, acceptedAt }]) => assuredAt === acceptedAt))
  for (const { acceptedAt: at } of atOnce.values()) {
    const backed = [...atOnce.values()].filter(
      ({ acceptedAt, order }) => acceptedAt <= at && at < findMinedAt(order.request.intentId),
    )
    const sumWei = backed.reduce((sum, { order }) => sum + order.spendsWei, 0n)
    if (sumWei > limitWei) found('backed', `${sumWei} wei at ${at}, of ${limitWei}`, 'lost_rows')
  }
}
