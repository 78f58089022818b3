import { type Address, getAddress, type Hex } from 'viem'
import { opens, reads, writes } from '../../relay/ledger/port.ts'
import { parts } from '../../relay/ledger/steps.ts'
import type { RecallTimes } from '../../relay/ledger/values.ts'
import { recordAction } from './audit.ts'
import type { Kept, KeptDraft } from './tables.ts'
import { listAccountTills } from './tills.ts'

type Request = Parameters<typeof parts.recall>[1]
type Answer = ReturnType<typeof parts.recall>
type Limits = Parameters<typeof parts.listRecallable>[1]

const findTills = (rows: KeptDraft) => (account: string) =>
  listAccountTills(rows, getAddress(account)).length > 0

/** Tells how a transfer stands that may be a mistake, or was held as one; undefined of others. */
export function findRecallStanding(rows: KeptDraft, intentId: Hex, times: RecallTimes) {
  const standing = parts.findStanding(rows, intentId, times, findTills(rows))
  const wasHeld = rows.row('audit', nameRecall(intentId)) !== undefined
  return standing && wasHeld && standing.kind !== 'held'
    ? { kind: 'ended' as const, until: standing.until }
    : standing
}

const nameRecall = (intentId: Hex) => `recall:${intentId}`

export const keptRecallSteps = {
  /**
   * Lists the last payments that a sender may call a mistake, if only the chain objects to that:
   * never one from or to an account with a till.
   */
  listRecallable: reads(({ rows }: Kept, limits: Limits) =>
    parts.listRecallable(rows, limits, findTills(rows)),
  ),
  /** Holds back what is unspent of a payment between accounts without tills; the audit has it. */
  recall: opens((step: Kept, request: Request): Answer => {
    const { rows } = step
    const { intentId, sender: account } = request
    const payment = rows.row('payments', rows.row('intents', intentId)?.session ?? '')
    const receiver = payment && parts.findRecipient(payment)
    const answer = parts.recall(step, request, findTills(rows))
    if (answer.kind !== 'held' || receiver === undefined) return answer
    const detail = { account, receiver, intent: intentId, wei: `${answer.wei}` }
    recordAction(rows, { id: nameRecall(intentId), action: 'recall', detail })
    return answer
  }),
  /** Ends what is held back of a payment, for its receiver or an operator; the audit has it. */
  endRecall: writes((step: Kept, account: Address, intentId: Hex, id: string): boolean => {
    const isEnded = parts.endRecall(step, account, intentId)
    const detail = { account, intent: intentId }
    if (isEnded) recordAction(step.rows, { id, action: 'end-recall', detail })
    return isEnded
  }),
}
