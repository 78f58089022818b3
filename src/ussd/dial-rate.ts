import type { Question } from '../relay/ledger/port.ts'

const minuteMs = 60_000
/** Looks for accounts that have rested for a minute once so many are remembered. */
const rememberedLimit = 10_000

/** Says whether an account may ask once more; one step of one session counts once. */
export type MayDial = (question: Question) => boolean

/** Counts dials in this process alone: a menu costs no store a question. */
export function createDialRate(mostAMinute: number, now: () => number): MayDial {
  const asked = new Map<string, { step: string; at: number }[]>()

  return ({ account, session, input }) => {
    const time = now()
    const since = time - minuteMs
    if (asked.size >= rememberedLimit) {
      for (const [other, dials] of asked) if ((dials.at(-1)?.at ?? 0) <= since) asked.delete(other)
    }
    const step = `${session}:${input}`
    const dials = (asked.get(account) ?? []).filter(({ at }) => at > since && at <= time)
    if (dials.some((dial) => dial.step === step)) return true
    if (dials.length >= mostAMinute) return false
    asked.set(account, [...dials, { step, at: time }])
    return true
  }
}
