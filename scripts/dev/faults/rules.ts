import type { Random } from '../random.ts'

/** Says when a fault strikes its exchanges; always without a condition. */
export type Timing = {
  rate?: number
  times?: number
}

export function createRules<Rule extends Timing>(random: Random) {
  const entries: { rule: Rule; hits: number }[] = []
  return {
    /** Applies a rule; returns its count of strikes, and how to end it. */
    script(rule: Rule) {
      const entry = { rule, hits: 0 }
      entries.push(entry)
      return {
        hits: () => entry.hits,
        end: () => {
          const at = entries.indexOf(entry)
          if (at >= 0) entries.splice(at, 1)
        },
      }
    },
    clear: () => {
      entries.length = 0
    },
    /** Returns the first rule that matches this exchange and strikes now. */
    strike(isMeant: (rule: Rule) => boolean): Rule | undefined {
      for (const entry of entries) {
        const { rate = 1, times } = entry.rule
        if (!isMeant(entry.rule)) continue
        if (times !== undefined && entry.hits >= times) continue
        if (rate < 1 && !random.chance(rate)) continue
        entry.hits += 1
        return entry.rule
      }
      return undefined
    },
  }
}
