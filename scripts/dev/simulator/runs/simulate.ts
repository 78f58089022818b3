import type { Fault } from '../faults.ts'
import { judge, type Violation } from '../oracle.ts'
import { planOf } from '../plan.ts'
import { runPlan } from '../run.ts'
import { shrink } from './shrink.ts'
import { count, type Tally } from './tally.ts'

/** What came of one seed. */
export type Verdict = {
  seed: number
  violations: readonly Violation[]
  /** All faults that happened, so that the run can be replayed in parts. */
  faults: ReadonlyMap<string, Fault>
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
export async function simulate(seed: number, tally?: Tally): Promise<Verdict> {
  const { history } = await runPlan({ plan: planOf(seed) })
  if (tally !== undefined) count(tally, history)
  return { seed, violations: judge(history), faults: history.faults }
}

/** Shrinks a verdict's first violation and tells it. Undefined where nothing was violated. */
export async function explain({ seed, violations, faults }: Verdict): Promise<Finding | undefined> {
  const [first] = violations
  if (first === undefined) return undefined
  const { plan, faults: few } = await shrink({ plan: planOf(seed), faults }, first.rule)
  const { history, story } = await runPlan({ plan, faults: few, isTold: true })
  const violation = judge(history).find(({ rule }) => rule === first.rule) ?? first
  return { seed, violation, length: plan.items.length + few.size, story }
}

/** The whole story of a seed, whatever came of it. */
export async function tell(seed: number): Promise<readonly string[]> {
  const { story } = await runPlan({ plan: planOf(seed), isTold: true })
  return story
}
