import type { Fault } from '../faults.ts'
import { judge } from '../oracle/all.ts'
import type { Rule } from '../oracle/rules.ts'
import type { Item, Knobs, Plan } from '../plan.ts'
import { runPlan } from '../run.ts'

/** A plan and its faults, of which every part can be left out. */
export type Case = { plan: Plan; faults: ReadonlyMap<string, Fault> }

export type Shrunk = Case & {
  /** Runs that it took. */
  runs: number
}

type Part = { kind: 'item'; item: Item } | { kind: 'fault'; key: string; fault: Fault }

/** Runs after which a case is short enough. */
const maxRuns = 600

/**
 * Leaves out whatever a case does not need to break the same promise: first halves, then quarters,
 * then single faults, deliveries and events, and last what makes a run irregular throughout.
 */
export async function shrink(found: Case, rule: Rule): Promise<Shrunk> {
  let runs = 0

  async function breaks(candidate: Case): Promise<boolean> {
    runs += 1
    try {
      const { history } = await runPlan(candidate)
      return judge(history).violations.some((violation) => violation.rule === rule)
    } catch {
      // A history that cannot be lived through is another finding.
      return false
    }
  }

  async function shrinkParts(start: Case): Promise<Case> {
    let parts = partsOf(start)
    let best = start
    for (let size = Math.ceil(parts.length / 2); size >= 1; ) {
      let isShorter = false
      for (let from = 0; from < parts.length && runs < maxRuns; ) {
        const rest = [...parts.slice(0, from), ...parts.slice(from + size)]
        const candidate = caseOf(best.plan, rest)
        if (await breaks(candidate)) {
          parts = rest
          best = candidate
          isShorter = true
        } else {
          from += size
        }
      }
      if (size === 1 && !isShorter) break
      size = isShorter && size === 1 ? 1 : Math.floor(size / 2)
    }
    return best
  }

  async function shrinkKnobs(start: Case): Promise<Case> {
    let best = start
    for (const calmer of calmKnobs) {
      const knobs = { ...best.plan.knobs, ...calmer(best.plan.knobs) }
      const candidate = { ...best, plan: { ...best.plan, knobs } }
      if (runs < maxRuns && (await breaks(candidate))) best = candidate
    }
    return best
  }

  const shorter = await shrinkParts(found)
  const calmer = await shrinkKnobs(shorter)
  const shortest = await shrinkParts(calmer)
  return { ...shortest, runs }
}

/** What makes a story easier to follow where it does not matter for it. */
const calmKnobs: ((knobs: Knobs) => Partial<Knobs>)[] = [
  () => ({ pauseDays: undefined }),
  () => ({ outageDays: undefined }),
  () => ({ isRegular: true }),
  () => ({ inclusion: 1 }),
  () => ({ slowness: 1 }),
  ({ skewsMs }) => ({ skewsMs: skewsMs.map(() => 0) }),
  () => ({ returned: 1 }),
  () => ({ troubledMs: 0 }),
  ({ rules }) => ({ rules: { ...rules, confirmations: 2 } }),
]

function partsOf({ plan, faults }: Case): Part[] {
  return [
    ...[...faults].map(([key, fault]): Part => ({ kind: 'fault', key, fault })),
    ...plan.items.map((item): Part => ({ kind: 'item', item })),
  ]
}

function caseOf(plan: Plan, parts: readonly Part[]): Case {
  return {
    plan: { ...plan, items: parts.flatMap((part) => (part.kind === 'item' ? [part.item] : [])) },
    faults: new Map(
      parts.flatMap((part) => (part.kind === 'fault' ? [[part.key, part.fault] as const] : [])),
    ),
  }
}
