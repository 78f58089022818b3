import type { Address, Hex } from 'viem'
import { decodeRefusal } from '../../../../src/loan/calls.ts'
import { ledgerRules } from '../../../../src/relay/ledger/draft.ts'
import { halfDayOutage } from '../draw/setup.ts'
import { type History, unsettled } from '../history.ts'
import { Status } from '../model/contracts.ts'
import { isProvable } from '../plan.ts'
import { isLeftFar, isUndoneFinal, lifetimeMs, type Report } from './circumstances.ts'

export function judgeChain(history: History, found: Report): void {
  const { arrivals, totalsWei, processed, plan } = history
  if (totalsWei[0] !== totalsWei[1]) {
    found('conserved', `${totalsWei[0]} wei have become ${totalsWei[1]}`)
  }
  for (const { transaction, refusal, over } of arrivals) {
    const { hash, gasPriceWei } = transaction
    if (gasPriceWei > plan.setup.maxGasPriceWei) {
      found('priced', `${hash} offers ${gasPriceWei} wei`)
    }
    const isUnderbid =
      refusal === 'underbid' && gasPriceWei >= (over?.gasPriceWei ?? gasPriceWei + 1n)
    if (!isUnderbid) continue
    found('bump', `${hash} does not outbid ${over?.hash}`, 'lost_rows', 'foreign')
  }
  for (const { processed: result } of processed) {
    if (result.status !== Status.failed) continue
    const { reason } = decodeRefusal(result.returnData)
    if (reason !== 'balance_too_low' && reason !== 'no_liquidity') continue
    const rule = reason === 'no_liquidity' ? 'lent' : 'overdrawn'
    const words = `${result.intentId} passed on what another payment had used up`
    found(rule, words, 'no_preflight', 'lost_rows', 'reorganized', 'disturbed')
  }
}

/** Judges that what was assured was executed in the end, however many blocks were not final. */
export function judgeAssured(history: History, found: Report): void {
  const { plan } = history
  const stopped = (plan.setup.outageDays ?? 0) > halfDayOutage
  const undone_final = isUndoneFinal(history)
  for (const payment of history.payments.flatMap((all) => [...all.values()])) {
    const { assuredAt, state, order, isBacked: at_once } = payment
    if (assuredAt === undefined || state === 'confirmed') continue
    const words = `${order.request.intentId} was final at ${assuredAt}, and is ${state}`
    // Nobody knows of a key that it will act.
    const acted = (findFirstAction(history, order.request.from) ?? 0) > assuredAt
    const own = { undone_final, at_once, stopped, acted }
    found('assured', words, own, 'lost_rows')
  }
  for (const { to, intentId, hash } of history.statements) {
    if (to !== 'payment.assured' || isProvable(plan, `${hash}`)) continue
    found('believed', `${intentId} is final by ${hash}`)
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
export function judgeBacked({ plan, ...history }: History, found: Report): void {
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

/** Judges what is left at the end, and reports what nothing caught. */
export function judgeEnd(history: History, found: Report): void {
  const { foreign } = history
  const open = [
    ...history.work.nonces.map(({ nonce }) => `nonce ${nonce} is recorded`),
    ...unsettled(history.work).map(({ order, state }) => `${order.request.intentId} is ${state}`),
  ]
  if (open.length > 0) found('settled', open.join('; '))
  for (const transaction of open.length > 0 ? [] : history.pool) {
    const { nonce, hash } = transaction
    const own = { foreign: foreign.has(hash), left_far: () => isLeftFar(history, transaction) }
    found('gap', `nonce ${nonce} (${hash}) waits`, own, 'lost_rows')
  }
  for (const words of open.length > 0 ? [] : history.audit) found('counted', words)
  for (const words of history.uncaught) found('uncaught', words)
  const executed = history.processed
    .filter(({ processed }) => processed.status === Status.executed)
    .flatMap(({ mined, processed: { intentId } }) =>
      mined.transaction.requests.filter((request) => request.intentId === intentId),
    )
  for (const payments of history.payments) {
    for (const [intentId, { state, attempts, order, acceptedAt }] of payments) {
      if (state !== 'expired') continue
      // A session that comes back after a loss may pay by a later request of the same id, and one
      // that comes back after all was forgotten may have been paid before.
      const rememberedFrom = acceptedAt - ledgerRules.retentionMs + lifetimeMs
      const isExecuted = executed.some(
        ({ intentId: id, deadline }) =>
          id === intentId && deadline <= order.request.deadline && deadline * 1000 > rememberedFrom,
      )
      if (isExecuted) found('stated', `${intentId} is called expired, and was executed`)
      const in_vain = attempts >= ledgerRules.maxAttempts
      found('made', `${intentId} has expired`, 'was_down', { in_vain }, 'lost_rows', 'outlasted')
    }
  }
  if (history.reorganizationsTold > 0) {
    found('stated', 'the log tells of a reorganization, and there was none', 'reorganized')
  }
  if (history.displacedTold > 0) {
    const words = 'the log tells of a transaction of another program, and there was none'
    found('stated', words, 'foreign', 'lied', 'lost_rows', 'reorganized')
  }
}
