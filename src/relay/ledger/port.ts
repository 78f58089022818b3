import { getUrgentRoundMs } from '../../chain/chains.ts'
import type { StepContext } from './draft.ts'
import { recordMissing } from './records/possible-loss.ts'
import type { Tables } from './rows.ts'

/** Tells what a step does with rows. One that `opens` writes, and may leave work for a round. */
type StepKind = 'reads' | 'writes' | 'opens'

type Run<Context, Args extends unknown[], Answer> = (step: Context, ...args: Args) => Answer

/** Is a method of the ledger: one atomic step, which reads and writes rows synchronously. */
type Step<Context, Args extends unknown[], Answer> = Run<Context, Args, Answer> & {
  kind: StepKind
  /** Tells whether a round is due soon after a call with these arguments. */
  isUrgent?: ((...args: Args) => boolean) | undefined
}

/** Declares steps of a kind. After a call that `isUrgent` a round is due soon. */
const declare =
  (kind: StepKind) =>
  <Context extends StepContext, Args extends unknown[], Answer>(
    run: Run<Context, Args, Answer>,
    isUrgent?: (...args: Args) => boolean,
  ): Step<Context, Args, Answer> =>
    Object.assign(run, { kind, isUrgent })

export const reads = declare('reads')
export const writes = declare('writes')
/** Declares a step that writes, and after which a round is due. */
export const opens = declare('opens')

type AnyStep = Step<never, never[], unknown>

export type Steps = Readonly<Record<string, AnyStep>>

/** Is what a store needs to be a ledger: the steps that it runs, and the tables of their rows. */
export type LedgerParts<Any extends Steps = Steps> = { steps: Any; tables: Tables }

export type Port<Any extends Steps> = {
  [Method in keyof Any]: Any[Method] extends (step: never, ...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Answer>
    : never
}

/** Has the methods synchronous, so that no other call runs within one. */
export type SyncPort<Any extends Steps> = {
  [Method in keyof Any]: Any[Method] extends (step: never, ...args: infer Args) => infer Answer
    ? (...args: Args) => Answer
    : never
}

/** Creates a port whose methods call `call` with their name and arguments. */
export function createLedgerPort<Any extends Steps>(
  steps: Any,
  call: (method: keyof Any & string, args: unknown[]) => unknown,
): Port<Any> {
  const methods = Object.keys(steps).map((method) => [
    method,
    (...args: unknown[]) => call(method, args),
  ])
  return Object.fromEntries(methods) as Port<Any>
}

/** Runs a step, and records rows that it has missed. */
export function runStep(steps: Steps, step: StepContext, method: string, args: readonly unknown[]) {
  const run = steps[method] as unknown as (step: StepContext, ...args: unknown[]) => unknown
  const answer = run(step, ...args)
  recordMissing(step.rows)
  return answer
}

/** Returns after how many ms a round must follow a call; undefined if it needs none. */
export function getDueDelayMs(
  steps: Steps,
  method: string,
  args: readonly unknown[],
  roundMs: number,
): number | undefined {
  const { kind, isUrgent } = steps[method] as AnyStep
  if (isUrgent?.(...(args as never[])) === true) return getUrgentRoundMs(roundMs)
  return kind === 'opens' ? roundMs : undefined
}
