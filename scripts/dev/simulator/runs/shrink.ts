import type { Knobs } from '../draw/knobs.ts'
import type { Fault } from '../faults.ts'
import { judge } from '../oracle/all.ts'
import type { Rule } from '../oracle/rules.ts'
import type { Item, Plan } from '../plan.ts'
import { runPlan } from '../run.ts'

/** A plan and its faults, of which every part can be left out. */
export type Case = { plan: Plan; faults: ReadonlyMap<string, Fault> }

/** What a run would also break a promise without: an event, a fault, or what makes it irregular throughout. */
type Part =
  | { kind: 'fault'; key: string; fault: Fault }
  | { kind: 'item'; item: Item }
  | { kind: 'knob'; calmer: Calmer }

type Calmer = (knobs: Knobs) => Partial<Knobs>

/** Runs after which a case is short enough. */
const maxRuns = 600

/**
 * Leaves out whatever a case does not need to break the same promise: first halves, then quarters,
 * then single faults, deliveries and events, and what makes a run irregular throughout.
 */
export async function shrink(found: Case, rule: Rule): Promise<Case> {
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

  let parts = partsOf(found)
  for (let size = Math.ceil(parts.length / 2); size >= 1; ) {
    let isShorter = false
    for (let from = 0; from < parts.length && runs < maxRuns; ) {
      const rest = [...parts.slice(0, from), ...parts.slice(from + size)]
      if (await breaks(caseOf(found.plan, rest))) {
        parts = rest
        isShorter = true
      } else {
        from += size
      }
    }
    if (size === 1 && !isShorter) break
    size = Math.max(1, Math.floor(size / 2))
  }
  return caseOf(found.plan, parts)
}

/** What makes a story easier to follow where it does not matter for it. */
const calmers: readonly Calmer[] = [
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

const partsOf = ({ plan, faults }: Case): Part[] => [
  ...[...faults].map(([key, fault]) => ({ kind: 'fault' as const, key, fault })),
  ...plan.items.map((item) => ({ kind: 'item' as const, item })),
  ...calmers.map((calmer) => ({ kind: 'knob' as const, calmer })),
]

/** A case with these parts of a plan alone. */
function caseOf(whole: Plan, parts: readonly Part[]): Case {
  const left = new Set<unknown>(parts.map((part) => part.kind === 'knob' && part.calmer))
  const plan = { ...whole, items: parts.flatMap((part) => (part.kind === 'item' ? part.item : [])) }
  for (const calmer of calmers) {
    if (!left.has(calmer)) plan.knobs = { ...plan.knobs, ...calmer(plan.knobs) }
  }
  const faults = parts.flatMap((part) =>
    part.kind === 'fault' ? [[part.key, part.fault] as const] : [],
  )
  return { plan, faults: new Map(faults) }
}
