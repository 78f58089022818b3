/** Names what becomes of a gateway's request; an answered delivery counts as a reply too. */
export type GatewayEvent = 'delivery' | 'reply' | 'bad' | 'wrong_secret'

/** Counts gateways' requests until the ledger takes the sums. */
export type Tally = ReturnType<typeof createTally>

/** Creates a tally of gateways that post to `/ussd/<name>`; the first one also posts to `/ussd`. */
export function createTally(gateways: readonly string[]) {
  let counts: Record<string, number> = {}
  function add(gateway: string, event: GatewayEvent): void {
    const name = `${gateway}/${event}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return {
    add,
    /** Counts a request that no route serves; to a gateway's path it came with a wrong secret. */
    addUnserved(path: string): void {
      const [isPosted, name = gateways[0]] = /^(?:\/[^/]+)?\/ussd(?:\/([\w-]+))?$/.exec(path) ?? []
      const gateway = isPosted && gateways.find((known) => known === name)
      if (gateway) add(gateway, 'wrong_secret')
    },
    /** Returns the sums since the last call; undefined if there were none. */
    take(): Readonly<Record<string, number>> | undefined {
      const taken = counts
      counts = {}
      return Object.keys(taken).length === 0 ? undefined : taken
    },
  }
}
