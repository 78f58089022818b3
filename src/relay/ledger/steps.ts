import { acceptanceSteps } from './acceptance.ts'
import { keptSteps } from './backup/kept.ts'
import { personSteps } from './backup/person.ts'
import { carryingSteps } from './carrying.ts'
import { outcomeSteps } from './outcomes.ts'
import { reminderSteps } from './payments/reminders.ts'
import { smsSteps } from './payments/sms.ts'
import type { Port } from './port.ts'
import { pruningSteps } from './pruning.ts'
import { alertSteps } from './records/alerts.ts'
import { identitySteps } from './records/identity.ts'
import { loanSteps } from './records/loans.ts'
import { operationSteps } from './records/operations.ts'
import { rateSteps } from './records/rates.ts'
import { standingSteps } from './records/standing.ts'
import { tillSteps } from './records/tills.ts'
import { vitalsSteps } from './records/vitals.ts'
import { walletSteps } from './records/wallets.ts'
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
  ...tillSteps,
  ...rateSteps,
  ...walletSteps,
  ...loanSteps,
  ...alertSteps,
  ...operationSteps,
  ...personSteps,
  ...keptSteps,
  ...pruningSteps,
}

/**
 * Records for one deployment how sessions were decided, which payments each nonce carries, and each
 * transaction's bytes before they are sent. Each method is one atomic step by the ledger's clock. A
 * second or late call of it changes nothing. STORAGE.md tells what a row promises.
 */
export type Ledger = Port<typeof steps>

/** Names the state to set rows back to: a time of the last 30 days (Unix, in ms) or a bookmark. */
export type SetBack = { time: number } | { bookmark: string }

/** Tells whether rows are set back; `undo` is the bookmark that reverts it. */
export type SetBackAnswer = { kind: 'set_back'; undo: string } | { kind: 'refused'; reason: string }
