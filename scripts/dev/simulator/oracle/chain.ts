import { decodeRefusal } from '../../../../src/loan/calls.ts'
import { ledgerRules } from '../../../../src/relay/ledger/draft.ts'
import { type History, unsettled } from '../history.ts'
import { Status } from '../model/contracts.ts'
import { isLeftFar, lifetimeMs, type Report } from './circumstances.ts'

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
  if (history.logged.has('chain.reorganized')) {
    found('stated', 'the log tells of a reorganization, and there was none', 'reorganized')
  }
  if (history.logged.has('nonce.foreign')) {
    const words = 'the log tells of a transaction of another program, and there was none'
    found('stated', words, 'foreign', 'lied', 'lost_rows', 'reorganized')
  }
}
