/** Names the counters of a gateway; an answered delivery adds to `delivery` and `reply`. */
export type GatewayEvent = 'delivery' | 'reply' | 'bad' | 'wrong_secret'

export type RequestCounters = ReturnType<typeof createRequestCounters>

/**
 * Creates counters of the requests that gateways post to `/ussd/<name>`; the first gateway posts to
 * `/ussd` as well.
 */
export function createRequestCounters(gateways: readonly string[]) {
  let counts: Record<string, number> = {}
  function add(gateway: string, event: GatewayEvent): void {
    const name = `${gateway}/${event}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return {
    add,
    /** Counts a request that no route serves, if a wrong secret is the reason. */
    addUnserved(path: string): void {
      const [match, name = gateways[0]] = /^(?:\/[^/]+)?\/ussd(?:\/([\w-]+))?$/.exec(path) ?? []
      const gateway = match && gateways.find((each) => each === name)
      if (gateway) add(gateway, 'wrong_secret')
    },
    /** Returns the counts since the last call and resets them; undefined without requests. */
    take(): Readonly<Record<string, number>> | undefined {
      const taken = counts
      counts = {}
      return Object.keys(taken).length === 0 ? undefined : taken
    },
  }
}
