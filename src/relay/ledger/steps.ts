import { acceptanceSteps } from './acceptance.ts'
import { carryingSteps } from './carrying.ts'
import { outcomeSteps } from './outcomes.ts'
import { findByIntent, findRecipient, findSessions } from './payments/clues.ts'
import { getAgreed, isToOther, paysSame } from './payments/executed.ts'
import { reminderSteps } from './payments/reminders.ts'
import type { Port } from './port.ts'
import { prunePayments, pruningSteps } from './pruning.ts'
import { smsSteps } from './records/due-sms.ts'
import { hasSentNothing, listPaymentsSince, listSentSince } from './records/earlier.ts'
import { identitySteps, keepFormerAccounts, renumber } from './records/identity.ts'
import { operationSteps, readIntake, searchPage, setIntake } from './records/operations.ts'
import { eraseAccount, readPerson } from './records/person.ts'
import { recordSetBack } from './records/possible-loss.ts'
import { acceptRate, rateSteps } from './records/rates.ts'
import { endRecall, findStanding, listRecallable, recall, recallSteps } from './records/recalls.ts'
import { isHeld, setHold, standingSteps } from './records/standing.ts'
import { vitalsSteps } from './records/vitals.ts'
import { sessionSteps } from './sessions.ts'
import { workSteps } from './work.ts'

/** Composes the steps of all subjects; each stands in its subject's file. */
export const steps = {
  ...sessionSteps,
  ...acceptanceSteps,
  ...carryingSteps,
  ...outcomeSteps,
  ...workSteps,
  ...smsSteps,
  ...reminderSteps,
  ...identitySteps,
  ...vitalsSteps,
  ...standingSteps,
  ...rateSteps,
  ...recallSteps,
  ...operationSteps,
  ...pruningSteps,
}

/**
 * Lists what the steps of others call within their own, beside {@link steps}. The first ones are
 * never called without an audit.
 */
export const parts = {
  setIntake,
  setHold,
  acceptRate,
  renumber,
  eraseAccount,
  endRecall,
  listRecallable,
  findByIntent,
  findRecipient,
  findStanding,
  recall,
  keepFormerAccounts,
  findSessions,
  getAgreed,
  hasSentNothing,
  isHeld,
  isToOther,
  listPaymentsSince,
  listSentSince,
  paysSame,
  prunePayments,
  readIntake,
  readPerson,
  recordSetBack,
  searchPage,
}

/**
 * Records for one deployment how sessions were decided, which payments each nonce carries, and each
 * transaction's bytes before they are sent. Each method is one atomic step by the ledger's clock. A
 * second or late call of it changes nothing. STORAGE.md tells what a row promises.
 */
export type Ledger = Port<typeof steps>

export type Answer<Method extends keyof Ledger> = Awaited<ReturnType<Ledger[Method]>>

/** Names the state to set rows back to: a time of the last 30 days (Unix, in ms) or a bookmark. */
export type SetBack = { time: number } | { bookmark: string }

/** Tells whether rows are set back; `undo` is the bookmark that reverts it. */
export type SetBackAnswer = { kind: 'set_back'; undo: string } | { kind: 'refused'; reason: string }
