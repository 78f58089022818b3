import { planOf } from '../draw/plan-of.ts'
import type { Fault } from '../faults.ts'
import { judge } from '../oracle/all.ts'
import type { Violation } from '../oracle/rules.ts'
import type { Plan } from '../plan.ts'
import { runPlan } from '../run.ts'
import { shrink } from './shrink.ts'
import { type Tally, tallyOf } from './tally.ts'

/** What came of one seed. */
export type Verdict = {
  plan: Plan
  violations: readonly Violation[]
  /** All faults that happened, so that the run can be replayed in parts. */
  faults: ReadonlyMap<string, Fault>
  tally: Tally
}

/** A run that broke a promise, told as shortly as it can be. */
export type Finding = {
  seed: number
  violation: Violation
  /** Deliveries, events and faults that it takes. */
  length: number
  story: readonly string[]
}

/** Lives a seed's plan through and judges it. */
export async function simulate(seed: number): Promise<Verdict> {
  const plan = planOf(seed)
  const { history } = await runPlan({ plan })
  const { violations, excused } = judge(history)
  return { plan, violations, faults: history.faults, tally: tallyOf(history, excused) }
}

/** Shrinks a verdict's first violation and tells it. Undefined where nothing was violated. */
export async function explain({
  plan: whole,
  violations,
  faults,
}: Verdict): Promise<Finding | undefined> {
  const [first] = violations
  if (first === undefined) return undefined
  const { plan, faults: few } = await shrink({ plan: whole, faults }, first.rule)
  const { history, story } = await runPlan({ plan, faults: few, isTold: true })
  const violation = judge(history).violations.find(({ rule }) => rule === first.rule) ?? first
  return { seed: whole.seed, violation, length: plan.items.length + few.size, story }
}

/** The whole story of a seed, whatever came of it. */
export async function tell(seed: number): Promise<readonly string[]> {
  const { story } = await runPlan({ plan: planOf(seed), isTold: true })
  return story
}
