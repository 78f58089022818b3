const minuteMs = 60_000

/** Accounts that are remembered before those are looked for that have rested for a minute. */
const rememberedLimit = 10_000

/**
 * Counts what an account asks of the chain or for a payment: whether it may once more. Every isolate,
 * or process, counts for itself, so that a menu costs no question to a store.
 */
export function createDialRate(mostAMinute: number, now: () => number) {
  const asked = new Map<string, number[]>()

  return (account: string): boolean => {
    const since = now() - minuteMs
    if (asked.size >= rememberedLimit) {
      for (const [other, times] of asked) if ((times.at(-1) ?? 0) <= since) asked.delete(other)
    }
    const times = (asked.get(account) ?? []).filter((time) => time > since)
    if (times.length >= mostAMinute) return false
    asked.set(account, [...times, now()])
    return true
  }
}
