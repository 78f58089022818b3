/** Names what may come of a gateway's request; each delivery that gets a screen is also a reply. */
export type GatewayEvent = 'delivery' | 'reply' | 'bad' | 'wrong_secret'

/** Counts what came of gateways' requests until the sums are handed over to the ledger. */
export type Tally = ReturnType<typeof createTally>

/** Makes a tally of gateways that post to `/ussd/<name>`, the first of them to `/ussd`. */
export function createTally(gateways: readonly string[]) {
  let counts: Record<string, number> = {}
  function add(gateway: string, event: GatewayEvent): void {
    const name = `${gateway}/${event}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return {
    add,
    /** Counts a request that nothing serves: what is a gateway's came with a wrong secret. */
    addUnserved(path: string): void {
      const [isPosted, name = gateways[0]] = /^(?:\/[^/]+)?\/ussd(?:\/([\w-]+))?$/.exec(path) ?? []
      const gateway = isPosted && gateways.find((known) => known === name)
      if (gateway) add(gateway, 'wrong_secret')
    },
    /** Returns the sums since the last call; undefined where nothing came. */
    take(): Readonly<Record<string, number>> | undefined {
      const taken = counts
      counts = {}
      return Object.keys(taken).length === 0 ? undefined : taken
    },
  }
}
