const minuteMs = 60_000
/** Limits the accounts in memory. Beyond it, those that did not dial for a minute are dropped. */
const maxAccounts = 10_000

/** Tells whether an account may dial again; each step of a session counts once. */
export type MayDial = (step: { account: string; session: string; input: string }) => boolean

/** Limits the dials per minute of an account, within this process and without a store. */
export function createDialLimiter(maxPerMinute: number, now: () => number): MayDial {
  const dialsByAccount = new Map<string, { step: string; dialledAt: number }[]>()

  return ({ account, session, input }) => {
    const time = now()
    const windowStart = time - minuteMs
    if (dialsByAccount.size >= maxAccounts) {
      for (const [other, itsDials] of dialsByAccount) {
        if ((itsDials.at(-1)?.dialledAt ?? 0) <= windowStart) dialsByAccount.delete(other)
      }
    }
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
