import { createRecent } from '../runtime/recent.ts'

const minuteMs = 60_000
/** Limits the accounts in memory. At least the last half of those that dialled are known. */
const maxAccounts = 20_000

/** Tells whether an account may dial again; each step of a session counts once. */
export type MayDial = (step: { account: string; session: string; input: string }) => boolean

/** Limits the dials per minute of an account, within this process and without a store. */
export function createDialLimiter(maxPerMinute: number, now: () => number): MayDial {
  const dialsByAccount = createRecent<{ step: string; dialledAt: number }[]>(maxAccounts)

  return ({ account, session, input }) => {
    const time = now()
    const windowStart = time - minuteMs
    const step = `${session}:${input}`
    const dials = (dialsByAccount.get(account) ?? []).filter(
      ({ dialledAt }) => dialledAt > windowStart && dialledAt <= time,
    )
    if (dials.some((dial) => dial.step === step)) return true
    if (dials.length >= maxPerMinute) return false
    dialsByAccount.set(account, [...dials, { step, dialledAt: time }])
    return true
  }
}
