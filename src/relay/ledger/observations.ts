import * as z from 'zod/mini'
import { weiSchema } from '../../loan/amounts.ts'

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
  /** Tells when these amounts were read; set by the ledger. */
  at: z.optional(time),
})

/** Lists the facts that are read one per block, in turn, while work is open. */
export const factReadings = ['gasPriceWei', 'balanceWei', 'reportedNonce'] as const

const dated = <Shape extends z.core.$ZodShape>(fact: Shape) =>
  z.optional(z.object({ ...fact, at: time }))

/** Parses what is known of the chain, and since when; the newest fact wins. */
export const storedObservations = z.object({
  roundAt: z.optional(time),
  failingSince: z.optional(time),
  silentSince: z.optional(time),
  /** Tells in `since` when this block was first seen; set by the ledger. */
  head: dated({ number: z.int(), timestampSeconds: z.int(), since: time }),
  balanceWei: dated({ value: weiSchema }),
  gasPriceWei: dated({ value: weiSchema }),
  /** Tells whether forwarder and loan contract exist and accept this relayer. */
  contracts: dated({
    state: z.enum(['ready', 'missing', 'not_allowed', 'other_unit', 'paused', 'loan_paused']),
    pool: z.optional(pool),
  }),
  /** Tells whether the pool's token lets the pool pay; `refused`: by a list, or another pause. */
  token: dated({ state: z.enum(['moves', 'paused', 'refused']) }),
  /** Is the relayer's next nonce after the blocks that rounds have followed. */
  chainNonce: dated({ value: z.int() }),
  /** Is the next nonce as a node last reported it, because others may have used the key. */
  reportedNonce: dated({ value: z.int() }),
  /** Exceeds every nonce in the node's pool. It is read only while a nonce waits too long. */
  poolNonce: dated({ value: z.int() }),
  /** Names the block of the last outcome that was made final without a proof of its receipt. */
  unproved: dated({ block: z.int() }),
  lastReading: z.optional(z.enum(factReadings)),
})

export type Observations = z.infer<typeof storedObservations>

/** Names a fact that is read from the chain. It is stored under this name. */
export type ChainFact = Exclude<
  keyof Observations,
  'roundAt' | 'failingSince' | 'silentSince' | 'lastReading'
>

type ReportedFact<Name extends ChainFact> = Omit<NonNullable<Observations[Name]>, 'at' | 'since'>

export type ObservationReport = {
  /** Gives the reporter's time. The `readAt` of facts (default: now) is by the same clock. */
  now?: number
  facts: { [Name in ChainFact]?: (ReportedFact<Name> & { readAt?: number }) | undefined }
  /** Tells whether the node answered; undefined if it was not asked. */
  node: 'answered' | 'silent' | undefined
  /** Tells how the round ended; undefined if the report is not from a round. */
  round: 'done' | 'failed' | undefined
}

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
    contracts: keepPool(before.contracts, contracts),
    silentSince:
      node === undefined ? before.silentSince : node === 'silent' ? silentSince : undefined,
    ...(round !== undefined && {
      roundAt: now,
      failingSince: round === 'failed' ? failingSince : undefined,
    }),
  }
}

/** Keeps the last amounts of the pool, with their own time, where a reading has a state alone. */
function keepPool(before: Observations['contracts'], contracts: Observations['contracts']) {
  if (contracts === undefined || contracts === before) return contracts
  const pool = contracts.pool ?? before?.pool
  return { ...contracts, pool: pool && { at: (contracts.pool ? contracts : before)?.at, ...pool } }
}

export const dropDeploymentFacts = (observations: Observations): Observations =>
  Object.fromEntries(
    Object.entries(observations).filter(([name]) => !deploymentFacts.includes(name)),
  )

const deploymentFacts = [
  ...['balanceWei', 'contracts', 'token'],
  ...['chainNonce', 'reportedNonce', 'poolNonce'],
]
