import { planOf } from '../draw/plan-of.ts'
import { judge } from '../oracle/all.ts'
import { rules, type Violation } from '../oracle/rules.ts'
import { runPlan } from '../run.ts'
import { type Tally, tallyOf } from './tally.ts'

export async function simulate(
  seed: number,
): Promise<{ violations: readonly Violation[]; tally: Tally }> {
  const { history } = await runPlan(planOf(seed))
  const { violations, excused } = judge(history)
  return { violations, tally: tallyOf(history, excused) }
}

/** Tells the whole story of a seed, and last what promises it breaks. */
export async function tell(seed: number): Promise<readonly string[]> {
  const { story, history } = await runPlan(planOf(seed), true)
  const broken = judge(history).violations.map(
    ({ rule, words }) => `Broken: ${rules[rule]} ${words}`,
  )
  return [...story, ...broken]
}
