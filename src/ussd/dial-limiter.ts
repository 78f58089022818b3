import type { Question } from '../relay/ledger/port.ts'

const minuteMs = 60_000
/** Limits the accounts in memory; beyond it, accounts without a dial for a minute are dropped. */
const maxAccounts = 10_000

/** Tells whether an account may dial again; each step of a session counts once. */
export type MayDial = (stepKey: Question) => boolean

/** Limits the dials per minute of an account, within this process and without a store. */
export function createDialLimiter(maxPerMinute: number, now: () => number): MayDial {
  const dialsByAccount = new Map<string, { step: string; at: number }[]>()

  return ({ account, session, input }) => {
    const time = now()
    const windowStart = time - minuteMs
    if (dialsByAccount.size >= maxAccounts) {
      for (const [each, dials] of dialsByAccount) {
        if ((dials.at(-1)?.at ?? 0) <= windowStart) dialsByAccount.delete(each)
      }
    }
    const step = `${session}:${input}`
    const dials = (dialsByAccount.get(account) ?? []).filter(
      ({ at }) => at > windowStart && at <= time,
    )
    if (dials.some((dial) => dial.step === step)) return true
    if (dials.length >= maxPerMinute) return false
    dialsByAccount.set(account, [...dials, { step, at: time }])
    return true
  }
}
