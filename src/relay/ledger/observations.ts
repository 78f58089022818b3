import * as z from 'zod/mini'

/** Parses a Unix time in ms by the ledger's clock. */
const time = z.int()
const wei = z.string().check(z.regex(/^[0-9]{1,78}$/))

/** Parses the amounts of the loan contract; the daily cap leaves `issuableWei`. */
const pool = z.object({
  liquidityWei: wei,
  issuableWei: wei,
  principalWei: wei,
  owedWei: wei,
  balancesWei: wei,
})

/** Lists the facts that are read from the chain, under the names that the schema stores. */
export const facts = {
  head: z.object({ number: z.int(), timestampSeconds: z.int() }),
  /** Gives the balance of the relayer's key. */
  funds: z.object({ wei }),
  gasPrice: z.object({ wei }),
  /** Tells whether forwarder and loan contract exist and accept this relayer. */
  contracts: z.object({
    state: z.enum(['ready', 'missing', 'not_allowed', 'paused', 'loan_paused']),
    pool: z.optional(pool),
  }),
  /** Gives `chainNonce`: the relayer's transactions in the blocks that rounds have followed. */
  count: z.object({ number: z.int() }),
  /** Gives `reportedNonce`: the node's own count, because others may have used the key. */
  toldCount: z.object({ number: z.int() }),
  /** Counts the node's pool too. It is read only while a nonce waits too long. */
  poolCount: z.object({ number: z.int() }),
  /** Names the block of the last outcome that was made final without a proof of its receipt. */
  unproved: z.object({ block: z.int() }),
}

export type ChainFact = keyof typeof facts

/** Lists the facts that are read one per block, in turn, while work is open. */
export const readingTurns = ['gasPriceWei', 'balanceWei', 'reportedNonce'] as const

/** Lists the same facts under their stored names, in the same order. */
export const storedReadings = ['gasPriceWei', 'balanceWei', 'toldCount'] as const

/** Reports what a round or a payment has read from the chain. */
export type ObservationReport = {
  /** Gives the reporter's time. The `readAt` of facts (default: now) is by the same clock. */
  now?: number
  facts: {
    [Name in ChainFact]?: (z.infer<(typeof facts)[Name]> & { readAt?: number }) | undefined
  }
  /** Tells whether the node answered; undefined if it was not asked. */
  node: 'answered' | 'silent' | undefined
  /** Tells how the round ended; undefined if the report is not from a round. */
  round: 'done' | 'failed' | undefined
}

const dated = <Shape extends z.core.$ZodShape>(fact: z.ZodMiniObject<Shape>) =>
  z.optional(z.extend(fact, { at: time }))

/** Parses what is known of the chain, and since when; the newest fact wins. */
export const storedObservations = z.object({
  roundAt: z.optional(time),
  /** Tells since when no round has succeeded. */
  failingSince: z.optional(time),
  /** Tells since when the node has not answered. */
  silentSince: z.optional(time),
  /** Adds in `since` when this block was first seen. */
  head: z.optional(z.extend(facts.head, { at: time, since: time })),
  funds: dated(facts.funds),
  gasPrice: dated(facts.gasPrice),
  contracts: dated(facts.contracts),
  count: dated(facts.count),
  toldCount: dated(facts.toldCount),
  poolCount: dated(facts.poolCount),
  unproved: dated(facts.unproved),
  /** Names the fact that was read last in turn. */
  asked: z.optional(z.enum(storedReadings)),
})

export type Observations = z.infer<typeof storedObservations>

/** Adds a report to what is known. A fact that was read earlier than the known one is ignored. */
export function addReport(
  before: Observations,
  { now: reportedAt = 0, facts: reported, node, round }: ObservationReport,
  now: number,
): Observations {
  const newer = Object.entries(reported).flatMap(([name, fact]) => {
    if (fact === undefined) return []
    const { readAt, ...value } = fact
    // The clocks may differ, so only the fact's age is taken from the reporter.
    const at = now - Math.max(0, reportedAt - (readAt ?? reportedAt))
    const knownFact = before[name as ChainFact]
    return knownFact !== undefined && knownFact.at > at ? [] : [[name, { ...value, at }]]
  })
  const { silentSince = now, failingSince = now } = before
  const after: Observations = { ...before, ...Object.fromEntries(newer) }
  const { head, contracts } = after
  const isSameHead = head?.number === before.head?.number
  return {
    ...after,
    head: head && { ...head, since: (isSameHead ? before.head?.since : undefined) ?? head.at },
    contracts: contracts && { pool: before.contracts?.pool, ...contracts },
    silentSince:
      node === undefined ? before.silentSince : node === 'silent' ? silentSince : undefined,
    ...(round !== undefined && {
      roundAt: now,
      failingSince: round === 'failed' ? failingSince : undefined,
    }),
  }
}

/** Drops facts about one deployment's contracts or key. */
export const dropDeploymentFacts = (observations: Observations): Observations =>
  Object.fromEntries(
    Object.entries(observations).filter(([name]) => !deploymentFacts.includes(name)),
  )

const deploymentFacts = ['funds', 'contracts', 'count', 'toldCount', 'poolCount']
