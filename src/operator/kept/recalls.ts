import { type Address, getAddress, type Hex } from 'viem'
import { opens, reads, writes } from '../../relay/ledger/port.ts'
import { parts } from '../../relay/ledger/steps.ts'
import { nameRecall, type RecallTimes, recallMs } from '../../relay/ledger/values.ts'
import { readActor, recordAction } from './audit.ts'
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

/** Is a step of a hold: what was done, by which account or operator, and what of it went back. */
type KeptStep = {
  at: number
  step: 'held' | 'given_back' | 'kept' | 'ended' | 'over'
  by: string | null
  wei: bigint | null
  intentId: Hex | null
}

/** Tells until when a payment is held; undefined if it was, and did not come back. */
type HeldFor = { intentId: Hex; until: number | undefined }

const noRecalls: RecallTimes = { withinMs: 0, everyMs: 0 }

/** Limits the entries of the audit among which the end of a hold is looked for. */
const maxSearched = 1_000

/** Lists what became of a hold: since when it was, what its receiver gave back, and its end. */
export function listHoldSteps(rows: KeptDraft, intentId: Hex): KeptStep[] {
  const begun = rows.row('audit', nameRecall(intentId))
  if (begun?.detail.receiver === undefined) return []
  const { account: sender = '', wei = '0' } = begun.detail
  const receiver = getAddress(begun.detail.receiver)
  const [from, endsAt] = [begun.at, begun.at + recallMs]
  const none = { wei: null, intentId: null }
  const end = rows
    .list({ table: 'audit', list: 'age', from, before: endsAt, limit: maxSearched })
    .find(({ action, detail }) => action === 'end-recall' && detail.intent === intentId)
  const endedAt = end?.at ?? endsAt
  let restWei = BigInt(wei)
  const returned = parts
    .listSentSince(rows, receiver, from)
    .filter((row) => row.kind === 'transfer' && !parts.hasSentNothing(row))
    .filter((row) => parts.findRecipient(row)?.toLowerCase() === sender.toLowerCase())
    .sort((a, b) => a.accepted_at - b.accepted_at)
    .flatMap(({ accepted_at: at, spends, intent_id }): KeptStep[] => {
      // What its receiver pays once the hold has ended gives nothing back.
      if (at >= endedAt || restWei <= 0n) return []
      restWei -= BigInt(spends)
      const [given, by] = [BigInt(spends), receiver]
      return [{ at, step: 'given_back', by, wei: given, intentId: intent_id }]
    })
  const operator = end && readActor(end.id)
  const steps: KeptStep[] = [
    { at: from, step: 'held', by: sender, wei: BigInt(wei), intentId: null },
    ...returned,
  ]
  if (end !== undefined) {
    const [step, by] = operator ? (['ended', operator] as const) : (['kept', receiver] as const)
    steps.push({ at: end.at, step, by, ...none })
  } else if (restWei > 0n && rows.now >= endsAt) {
    steps.push({ at: endsAt, step: 'over', by: null, ...none })
  }
  return steps
}

export const keptRecallSteps = {
  /**
   * Lists the last payments that a sender may call a mistake, if only the chain objects to that:
   * never one from or to an account with a till.
   */
  listRecallable: reads(({ rows }: Kept, limits: Limits) =>
    parts
      .listRecallable(rows, limits, findTills(rows))
      // What was held once is never again.
      .filter(({ intentId }) => rows.row('audit', nameRecall(intentId)) === undefined),
  ),
  /** Lists the last payments of a sender that are held, until when, or that were held in vain. */
  listHeldFor: reads(({ rows }: Kept, sender: Address, count: number) =>
    parts
      .listPaymentsSince(rows, sender, 0, count)
      .flatMap(({ intent_id: intentId }): HeldFor[] => {
        const last = listHoldSteps(rows, intentId).at(-1)?.step
        const standing = last && parts.findStanding(rows, intentId, noRecalls, () => false)
        if (standing?.kind === 'held') return [{ intentId, until: standing.until }]
        const isKept = last === 'kept' || last === 'ended' || last === 'over'
        return standing && isKept ? [{ intentId, until: undefined }] : []
      }),
  ),
  /** Holds back what is unspent of a payment between accounts without tills; the audit has it. */
  recall: opens((step: Kept, request: Request): Answer => {
    const { rows } = step
    const { intentId, sender: account } = request
    const payment = parts.findByIntent(rows, intentId)
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
