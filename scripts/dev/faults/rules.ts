import type { Random } from '../random.ts'

/** When a fault happens among the exchanges that it is meant for. Without conditions: always. */
export type Timing = {
  /** The first so many are let through. */
  skip?: number
  /** Then one in so many, beginning with the first. */
  every?: number
  /** A share of them at random. */
  rate?: number
  /** At most so often. */
  times?: number
}

/** A rule that is in force. */
export type Scripted = {
  /** How often it has struck. */
  hits(): number
  end(): void
}

/** The rules of one proxy. */
export type Rules<Rule extends Timing> = {
  script(rule: Rule): Scripted
  /** Ends all of them. */
  clear(): void
  /** The first rule that is meant for this exchange and strikes now. */
  strike(isMeant: (rule: Rule) => boolean): Rule | undefined
}

export function createRules<Rule extends Timing>(random: Random): Rules<Rule> {
  const entries: { rule: Rule; matched: number; hits: number }[] = []
  return {
    script(rule) {
      const entry = { rule, matched: 0, hits: 0 }
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
    strike(isMeant) {
      for (const entry of entries) {
        const { skip = 0, every = 1, rate = 1, times } = entry.rule
        if (!isMeant(entry.rule)) continue
        entry.matched += 1
        if (times !== undefined && entry.hits >= times) continue
        if (entry.matched <= skip || (entry.matched - skip - 1) % every !== 0) continue
        if (rate < 1 && !random.chance(rate)) continue
        entry.hits += 1
        return entry.rule
      }
      return undefined
    },
  }
}
