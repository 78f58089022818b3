import type { Question } from '../relay/ledger/port.ts'

const minuteMs = 60_000
/** Limits the remembered accounts; above it, those idle for a minute are dropped. */
const rememberedLimit = 10_000

/** Tells whether an account may dial again; each step of a session counts once. */
export type MayDial = (question: Question) => boolean

/** Counts dials in this process only, so that a menu costs no store request. */
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
