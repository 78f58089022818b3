import * as z from 'zod/mini'

/** Unix time in ms, by the ledger's clock. */
const time = z.int()
const wei = z.string().check(z.regex(/^[0-9]{1,78}$/))

/** What the loan contract's pool has, in wei, and whether it gives loans at present. */
const pool = z.object({
  liquidityWei: wei,
  /** What the daily cap leaves for new loans. */
  issuableWei: wei,
  /** Of one loan. */
  principalWei: wei,
  owedWei: wei,
  balancesWei: wei,
  isPaused: z.boolean(),
})

/** What is asked of the chain for those who run the service. */
export const facts = {
  head: z.object({ number: z.int(), timestampSeconds: z.int() }),
  /** Of the relayer's key. */
  funds: z.object({ wei }),
  gasPrice: z.object({ wei }),
  /** Whether the forwarder is there and carries this relayer's calls to the loan contract. */
  contracts: z.object({
    state: z.enum(['ready', 'missing', 'not_allowed', 'paused']),
    pool: z.optional(pool),
  }),
}

export type FactName = keyof typeof facts

export const factNames = Object.keys(facts) as readonly FactName[]

/** What a round has seen: facts, whether the node told its head, and whether the round came to its end. */
export type Seen = {
  facts: { [Name in FactName]?: z.infer<(typeof facts)[Name]> | undefined }
  /** Undefined: it was not asked. */
  node: 'answered' | 'silent' | undefined
  round: 'done' | 'failed'
}

/** What rounds have seen, and when. */
export const sight = z.object({
  roundAt: z.optional(time),
  /** Since when no round has come to its end. */
  failingSince: z.optional(time),
  /** Since when the node has not told its head. */
  silentSince: z.optional(time),
  head: z.optional(z.extend(facts.head, { at: time })),
  funds: z.optional(z.extend(facts.funds, { at: time })),
  gasPrice: z.optional(z.extend(facts.gasPrice, { at: time })),
  contracts: z.optional(z.extend(facts.contracts, { at: time })),
})

export type Sight = z.infer<typeof sight>

/** What was seen before, with what a round saw by now. */
export function withSeen(before: Sight, { facts: found, node, round }: Seen, now: number): Sight {
  const dated = Object.entries(found).flatMap(([name, fact]) =>
    fact === undefined ? [] : [[name, { ...fact, at: now }]],
  )
  const { silentSince = now, failingSince = now } = before
  return {
    ...before,
    ...Object.fromEntries(dated),
    roundAt: now,
    silentSince:
      node === undefined ? before.silentSince : node === 'silent' ? silentSince : undefined,
    failingSince: round === 'failed' ? failingSince : undefined,
  }
}
