import { paymentKinds } from '../../loan/kinds.ts'
import type { LogEvent } from '../../runtime/log.ts'
import type { FollowedBlock } from '../ledger/meta.ts'
import type { Payment } from '../ledger/payments/payment-states.ts'
import { mayBeAssured } from '../ledger/records/settled.ts'
import type { Work } from '../ledger/work.ts'
import { maxFinalAgeMs } from '../outcome/settled-balance.ts'
import { type Action, record } from './execute.ts'
import type { Plan, RoundFacts, StageTerms } from './facts.ts'
import { type Asking, askOrLog } from './questions.ts'
import { checkProof, type ExecutedPayment } from './settle.ts'

const maxLookedAt = 20

/**
 * Assures payments that a proved block executed and that no reorganization can make fail: they are
 * paid out of what their accounts have in a final block. The ledger judges it.
 */
export function* assureOutcomes(work: Work, facts: RoundFacts, terms: StageTerms): Asking<Plan> {
  const { followedBlocks } = facts
  const final = followedBlocks[terms.rules.confirmations - 1]
  const isOld = work.now - (final?.timestampSeconds ?? 0) * 1_000 > maxFinalAgeMs
  const isOff = terms.readSettled === undefined || final === undefined || isOld
  if (isOff || work.possibleLossAt !== undefined) return { actions: [], facts }
  const actions: Action[] = []
  const balances = new Map<string, bigint | undefined>()
  for (const payment of listAssurable(work, facts, final).slice(0, maxLookedAt)) {
    const { session, order, execution } = payment
    if (!(yield* isProved(payment, facts, terms))) continue
    const { from } = order.request
    if (!balances.has(from))
      balances.set(from, yield* askOrLog('assure.failed', 'readSettled', from, final.hash))
    const wei = balances.get(from)
    if (wei === undefined) continue
    const settled = { block: final.number, wei }
    const line = describeAssured(payment)
    actions.push({ ...record('assure', session, execution.block.hash, settled), line })
  }
  return { actions, facts }
}

const describeAssured = ({ order, execution: { hash } }: ExecutedPayment): LogEvent => ({
  level: 'info',
  event: 'payment.assured',
  message: `${paymentKinds[order.kind].name} assured: ${hash}`,
  intent: order.request.intentId,
  hash,
})

/**
 * Lists payments that a followed block executed, once a head: what is not covered may be later. The
 * head's own come first, and each of the others has its turn, so that none keeps others from it.
 */
function listAssurable(
  work: Work,
  { head, isNewHead, followedBlocks }: RoundFacts,
  final: FollowedBlock,
): ExecutedPayment[] {
  const recent = new Set(
    followedBlocks.filter(({ number }) => number > final.number).map(({ hash }) => hash),
  )
  const assurable = work.mined.flatMap((payment: Payment) => {
    const { execution } = payment
    if (execution?.outcome !== 'executed') return []
    const isNews = isNewHead || execution.block.hash === head.hash
    const isAssurable =
      isNews && recent.has(execution.block.hash) && mayBeAssured(payment, work.now)
    return isAssurable ? [{ ...payment, execution }] : []
  })
  const isNewest = ({ execution }: ExecutedPayment) => execution.block.hash === head.hash
  const others = assurable.filter((payment) => !isNewest(payment))
  const turn = others.length === 0 ? 0 : (head.number * maxLookedAt) % others.length
  return [...assurable.filter(isNewest), ...others.slice(turn), ...others.slice(0, turn)]
}

/** Tells whether a mined header's receipt proves the execution; a local chain is believed. */
function* isProved(
  payment: ExecutedPayment,
  { followedBlocks }: RoundFacts,
  terms: StageTerms,
): Asking<boolean> {
  if (terms.proofs === undefined) return true
  const { block, hash } = payment.execution
  const index = followedBlocks.findIndex((followed) => followed.hash === block.hash)
  const { difficulty = '0x0' } = followedBlocks[index] ?? {}
  // What the block below asks for counts more than the network's least.
  const { floor = '0x0' } = followedBlocks[index + 1] ?? {}
  const least = terms.proofs.minDifficulty
  if (BigInt(difficulty) < least || BigInt(difficulty) < BigInt(floor)) return false
  const receipt = yield* askOrLog('assure.failed', 'getReceipt', hash)
  return receipt !== undefined && checkProof(terms, receipt, payment) === 'proved'
}
