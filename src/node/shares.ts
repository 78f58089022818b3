/** What clients make a process hold at a time: each so much, and all together so much. */
export type Shares = {
  /** Whether there was room for so much more of this client. */
  readonly take: (client: string, amount: number) => boolean
  readonly give: (client: string, amount: number) => void
}

/** Counts what is held, in whatever unit. */
export function createShares(most: { each: number; inAll: number }): Shares {
  const held = new Map<string, number>()
  let sum = 0
  return {
    take(client, amount) {
      const own = (held.get(client) ?? 0) + amount
      if (own > most.each || sum + amount > most.inAll) return false
      held.set(client, own)
      sum += amount
      return true
    },
    give(client, amount) {
      const own = (held.get(client) ?? 0) - amount
      if (own > 0) held.set(client, own)
      else held.delete(client)
      sum -= amount
    },
  }
}
