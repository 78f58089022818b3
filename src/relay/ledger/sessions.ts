import type { Address } from 'viem'
import { requestLifetimeSeconds } from '../forwarder/requests.ts'
import { isSilentOnPayments, type ObstacleKind } from '../refusal.ts'
import { type Decided, findDecision, toDecided } from './decisions.ts'
import type { Draft, StepContext } from './draft.ts'
import { saveMeta } from './meta.ts'
import type { ObservationReport } from './observations.ts'
import { countEvent } from './payments/counts.ts'
import { getRequest, readExecutedOrder } from './payments/executed.ts'
import { beginPayment, toExecutionColumns } from './payments/payment-states.ts'
import { recentSettlementMs } from './payments/reserves.ts'
import { listOpenPayments, readAccountTotals } from './payments/totals.ts'
import { opens, reads, writes } from './port.ts'
import { readObservations, recordObservations } from './records/chain.ts'
import {
  type EarlierPayment,
  listPaymentsSince,
  type PaymentCall,
  recordEarlier,
} from './records/earlier.ts'
import {
  type FirstValue,
  readFirstValue,
  saveAnswerTime,
  saveFirstValue,
} from './records/first-values.ts'
import {
  compareNonces,
  isDoubtful,
  isOld,
  mayHavePaid,
  type Traces,
} from './records/possible-loss.ts'
import { isRecalled } from './records/recalls.ts'
import { recordObstacle, recordRefusal } from './records/standing.ts'
import type { Row } from './rows.ts'
import type { IntentExecution, Order, Screen, StepKey } from './values.ts'

/** Limits an account's open payments: a new one is simulated after all of them. */
export const maxOpenPayments = 16

export type Undecided = ReturnType<typeof readUndecided> & {
  /** Is set by who composes the ledger if the account is an agent's: other limits may apply. */
  isAgent?: true
}

type SessionRefusal = StepKey & {
  answerCount: number
  screen: Screen
  /** Names why a requested payment is refused (`unlisted`: the number is in no numbering plan). */
  reason?: string | undefined
  /** Names what stops the payments of all accounts; undefined if only this one is refused. */
  obstacle?: ObstacleKind | undefined
  observations?: ObservationReport | undefined
  traces?: Traces | undefined
  /** Is the ledger's time of the look-up, before the traces were read. */
  asOf?: number | undefined
}

type Adoption = StepKey & {
  answerCount: number
  screen: Screen
  /** Is what the text asks for now. Amount and recipient are those of what was executed. */
  order: Order
  execution: IntentExecution
}

/** Limits the age of a payment that was executed a moment ago: a request's life, and an hour. */
const executedWithinMs = (requestLifetimeSeconds + 60 * 60) * 1000

/** Returns an account's requests that were executed a moment ago, the oldest first. */
function listRecentlyExecuted(rows: Draft, { account, seen }: Row<'accounts'>, limit: number) {
  if (seen === 0) return []
  return listPaymentsSince(rows, account, rows.now - executedWithinMs, maxOpenPayments)
    .filter(({ outcome, phase, since }) => {
      const isRecent =
        phase === 'mined' || (phase === 'settled' && rows.now - since < recentSettlementMs)
      return outcome === 'executed' && isRecent
    })
    .slice(0, limit)
    .map(getRequest)
    .reverse()
}

/** Reads an account's open work, by which a payment of it is judged. */
function readUndecided(step: StepContext, address: Address) {
  const { rows } = step
  const account = readAccountTotals(rows, address)
  const open = listOpenPayments(rows, account)
    .map(({ request }) => request)
    .slice(0, maxOpenPayments)
  return {
    kind: 'undecided' as const,
    /** Lists payments without a known outcome, the oldest first. */
    open,
    /** Lists those executed a moment ago, the oldest first: a node may not know them yet. */
    executed: listRecentlyExecuted(rows, account, maxOpenPayments - open.length),
    /** Counts the account's payments. An offer repeats it, to show on which state it is based. */
    version: account.seen,
    observations: readObservations(step),
    /** Is the ledger's time, to compare clocks. */
    now: rows.now,
    /** Is set if lost rows may hold a payment: a refusal tells whether its intent is spent. */
    ...(isDoubtful(rows) && { isDoubtful: true as const }),
    /** Is set if money is held back in the account: a payment needs what it has. */
    ...(isRecalled(rows, address) && { isRecalled: true as const }),
  }
}

export const sessionSteps = {
  lookup: reads(
    (step, question: StepKey): Decided | Undecided =>
      findDecision(step.rows, question) ?? readUndecided(step, question.account),
  ),
  /** Stores the first value under a name, and returns it: redeliveries show the same. */
  saveFirstValue: writes(({ rows }, showing: FirstValue) =>
    saveFirstValue(rows, showing, findDecision(rows, showing)),
  ),
  readFirstValue: reads(({ rows }, stepKey: StepKey, name: string) =>
    readFirstValue(rows, stepKey, name),
  ),
  /**
   * Stores when a paying answer first arrived. Returns the account's last payment that is equal to
   * a call, if one is given and was made within 10 minutes, and stores that too.
   */
  recordEarlier: writes(
    ({ rows }, stepKey: StepKey, call: PaymentCall | undefined): EarlierPayment | undefined => {
      // A decided session is asked nothing any more.
      if (findDecision(rows, stepKey) !== undefined) return undefined
      saveAnswerTime(rows, stepKey)
      return recordEarlier(rows, stepKey, call)
    },
  ),
  /**
   * Closes a session without a payment: its screen is final, and no other step can pay. Where rows
   * may have been lost, also since the chain was read, a screen that says that nothing was sent
   * closes nothing.
   */
  refuse: writes(
    (step, refusing: SessionRefusal) => {
      const { rows } = step
      const decided = findDecision(rows, refusing)
      if (decided !== undefined) return decided
      const { relayer = step.relayer } = refusing.traces ?? {}
      const isLate = isOld(step, refusing.asOf)
      const traces = relayer === step.relayer && !isLate ? refusing.traces : undefined
      if (traces !== undefined) compareNonces(step, traces)
      const isSilent = refusing.observations?.node === 'silent'
      countEvent(rows, 'refused', refusing.reason ?? refusing.obstacle ?? 'own')
      recordRefusal(rows, refusing, refusing.reason)
      if (refusing.reason === 'unlisted') saveMeta(rows, 'unlisted', rows.now)
      recordObservations(step, refusing.observations)
      const refused = recordObstacle(rows, refusing.obstacle)
      // Whether an intent is spent is the same by any key; the counts are of one.
      const isUnsure =
        isLate || refusing.traces?.isSpent === true || mayHavePaid(step, traces, isSilent)
      if (isUnsure && !isSilentOnPayments(refusing.reason))
        return { ...refused, kind: 'unsure' as const }
      const unsure = refusing.reason === undefined ? 'unsure' : 'ended'
      const { session, account, screen } = refusing
      rows.put('sessions', {
        session,
        account,
        ...toDecided(refusing, screen),
        state: isUnsure ? unsure : 'refused',
        decided_at: rows.now,
      })
      return refused
    },
    // A round soon checks whether the obstacle is still there.
    ({ obstacle }) => obstacle !== undefined,
  ),
  /** Records a session whose intent the chain has already spent: the ledger lost its rows. */
  adopt: opens((step, adoption: Adoption): Decided | { kind: 'adopted' } => {
    const { rows } = step
    const { session, order, screen, execution } = adoption
    const known = findDecision(rows, adoption)
    if (known !== undefined) return known
    const executed = readExecutedOrder(order, execution.executed)
    const decided = toDecided(adoption, screen)
    beginPayment(step, 'adopted', session, executed, { decided, ...toExecutionColumns(execution) })
    return { kind: 'adopted' }
  }),
}
