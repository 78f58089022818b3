import type { Question } from '../relay/ledger/port.ts'

const minuteMs = 60_000
/** Accounts that are remembered before those are looked for that have rested for a minute. */
const rememberedLimit = 10_000

/** Whether an account may ask once more. One step of one session counts once, however often it is delivered. */
export type MayDial = (question: Question) => boolean

/**
 * Counts what an account asks of the chain or for a payment. Every isolate, or process, counts for itself, so
 * that a menu costs no question to a store.
 */
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
