import { getUrgentRoundMs } from '../../chain/chains.ts'
import { acceptanceSteps } from './acceptance.ts'
import { keptSteps } from './backup/kept.ts'
import { personSteps } from './backup/person.ts'
import { carryingSteps, type FirstSend } from './carrying.ts'
import type { Step, StepContext } from './draft.ts'
import { outcomeSteps } from './outcomes.ts'
import { reminderSteps } from './payments/reminders.ts'
import { smsSteps } from './payments/sms.ts'
import { pruningSteps } from './pruning.ts'
import { alertSteps } from './records/alerts.ts'
import { identitySteps } from './records/identity.ts'
import { loanSteps } from './records/loans.ts'
import { recordMissing } from './records/missing.ts'
import { operationSteps } from './records/operations.ts'
import { rateSteps } from './records/rates.ts'
import { standingSteps } from './records/standing.ts'
import { tillSteps } from './records/tills.ts'
import { vitalsSteps } from './records/vitals.ts'
import { walletSteps } from './records/wallets.ts'
import { type SessionRefusal, sessionSteps } from './sessions.ts'
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

export type LedgerMethod = keyof typeof steps

type Arguments<AnyStep> = AnyStep extends Step<infer Args, unknown> ? Args : never
type Answer<AnyStep> = AnyStep extends Step<never, infer Result> ? Result : never

/**
 * Records for one deployment how sessions were decided, which payments each nonce carries, and each
 * transaction's bytes before they are sent. Each method is one atomic step by the ledger's clock. A
 * second or late call of it changes nothing. STORAGE.md tells what a row promises.
 */
export type Ledger = {
  [Method in LedgerMethod]: (
    ...args: Arguments<(typeof steps)[Method]>
  ) => Promise<Answer<(typeof steps)[Method]>>
}

/** Names the state to set rows back to: a time of the last 30 days (Unix, in ms) or a bookmark. */
export type SetBack = { time: number } | { bookmark: string }

/** Tells whether rows are set back; `undo` is the bookmark that reverts it. */
export type SetBackAnswer = { kind: 'set_back'; undo: string } | { kind: 'refused'; reason: string }

/** Returns after how many ms a round must follow a call; undefined if it needs none. */
export function getDueDelayMs(
  method: LedgerMethod,
  args: readonly unknown[],
  roundMs: number,
): number | undefined {
  if (steps[method].kind === 'opens') return roundMs
  // A round soon checks whether the obstacle of a refused payment is still there.
  const [refusing] = args as [SessionRefusal | undefined]
  if (method === 'refuse' && refusing?.obstacle !== undefined) return getUrgentRoundMs(roundMs)
  const isUntaken = method === 'recordSend' && args[1] !== 'taken'
  // A round carries the payments of bytes that were taken back.
  const isWithheld = method === 'beginSend' && (args[0] as FirstSend).mayLeave === false
  return isUntaken || isWithheld ? getUrgentRoundMs(roundMs) : undefined
}

export const ledgerMethods = Object.keys(steps) as readonly LedgerMethod[]

export function runStep(
  step: StepContext,
  method: LedgerMethod,
  args: readonly unknown[],
): unknown {
  const run = steps[method] as (step: StepContext, ...args: readonly unknown[]) => unknown
  const answer = run(step, ...args)
  recordMissing(step.rows)
  return answer
}

/** Creates a port whose methods call `call` with their name and arguments. */
export function createLedgerPort<Port = Ledger>(
  call: (method: LedgerMethod, args: unknown[]) => unknown,
): Port {
  const methods = ledgerMethods.map((method) => [
    method,
    (...args: unknown[]) => call(method, args),
  ])
  return Object.fromEntries(methods) as Port
}
