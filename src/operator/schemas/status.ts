import * as z from 'zod/mini'
import { unitSchema } from '../../loan/amounts.ts'
import { alert } from './alerts.ts'
import { actor, hexAddress, time, wei } from './fields.ts'
import { healthAnswer } from './health.ts'

/** Describes whether payments are accepted. Once `drained`, keys and contracts may change. */
export const intake = z.object({
  state: z.enum(['open', 'paused', 'draining', 'drained']),
  since: z.optional(time),
})

const relayer = z.object({
  address: hexAddress,
  balanceWei: z.nullable(wei),
  gasPriceWei: z.nullable(wei),
  maxGasPriceWei: wei,
  /** Counts the payments that the balance pays for, at the current gas price. */
  lastsFor: z.nullable(z.int()),
  /** Counts the same at `maxGasPriceWei`. */
  lastsAtWorst: z.nullable(z.int()),
  /** Gives the cost of 50 payments at the current price; null if the balance pays for 20. */
  wantedWei: z.nullable(wei),
  /** Gives the cost of 50 payments at `maxGasPriceWei`; null if `wantedWei` is. */
  wantedAtWorstWei: z.nullable(wei),
  /** Holds the next nonce of the ledger, and of the chain. */
  nonces: z.object({ ledger: z.int(), chain: z.nullable(z.int()) }),
  inFlight: z.int(),
  queued: z.int(),
  /** Holds when the oldest payment without an outcome was accepted. */
  oldestAt: z.nullable(time),
  lastMinedAt: z.nullable(time),
})

const contracts = z.object({
  loan: hexAddress,
  forwarder: hexAddress,
  state: z.nullable(
    z.enum(['ready', 'missing', 'not_allowed', 'other_unit', 'paused', 'loan_paused']),
  ),
  /** Holds when the state was read. */
  at: z.nullable(time),
  /** Tells whether the pool's token lets the pool pay; absent for the currency. */
  token: z.optional(z.nullable(z.enum(['moves', 'paused', 'refused']))),
  tokenAt: z.optional(z.nullable(time)),
  pool: z.nullable(
    z.object({
      /** Gives what the pool can lend. */
      liquidityWei: wei,
      /** Sums what all borrowers owe. */
      owedWei: wei,
      /** Sums what all accounts have. */
      balancesWei: wei,
      /** Holds how much more the day's cap allows to lend, whatever the pool has. */
      capLeftWei: wei,
      /** Holds the usual limit of one loan. */
      principalWei: wei,
      isPaused: z.boolean(),
      /** Holds when these amounts were read, all of one block. */
      at: time,
    }),
  ),
})

const node = z.object({
  /** Holds the position in `NODE_URL`, because a node's URL may hold a secret. */
  label: z.string(),
  height: z.nullable(z.int()),
  heightAt: z.nullable(time),
  /** Holds when the node first showed this height, since a frozen head is shown again and again. */
  heightSince: z.nullable(time),
  /** Is `suspended` after failures, `distrusted` after an untrue answer: asked last meanwhile. */
  state: z.enum(['able', 'suspended', 'distrusted']),
  p95Ms: z.nullable(z.number()),
  answers: z.int(),
  failures: z.int(),
  /** Counts the answers that nothing proves, such as balances. */
  believed: z.int(),
  unknownHeaderAt: z.nullable(time),
  callsToday: z.int(),
})

const countsSince = z.object({ since: time, counts: z.record(z.string(), z.int()) })

/** Describes `GET /operator/status`. What was not read yet is null. */
export const statusAnswer = z.object({
  you: actor,
  now: time,
  version: z.string(),
  schema: z.string(),
  network: z.string(),
  chainId: z.int(),
  /** Names the chain's currency, in which gas is paid. */
  currency: z.string(),
  /** Describes what the pool counts: each other amount is a whole number of its smallest part. */
  unit: unitSchema,
  intake,
  health: healthAnswer,
  alerts: z.array(alert),
  relayers: z.array(relayer),
  contracts,
  /** Lists the guards that protect money; `by` names the variable that sets a guard. */
  guards: z.array(z.object({ name: z.string(), isOn: z.boolean(), by: z.string() })),
  /** Sums what is final before any block has it, and what of that was lost (`FINAL_AT_ONCE`). */
  backedWei: wei,
  head: z.nullable(z.object({ number: z.int(), at: time })),
  /** Lists the last followed blocks, newest first; `fullness` is the share of gas used. */
  blocks: z.array(z.object({ number: z.int(), fullness: z.nullable(z.number()) })),
  nodes: z.array(node),
  /** Counts today's calls to nodes: for payments (`relay`), and for the node service's callers. */
  callsToday: z.nullable(z.object({ relay: z.int(), callers: z.int(), limit: z.int() })),
  /** Counts events, by `<kind>.<event>` or `refused.<reason>`, of about an hour, and of today. */
  lately: z.object({ hour: countsSince, today: countsSince }),
  /** Counts the payments that began in each hour (UTC) of about a day that had any. */
  paymentsByHour: z.array(z.object({ at: time, payments: z.int() })),
  /** Maps `<gateway>/<event>` to the time of the last bad request or wrong secret. */
  gatewayFaults: z.record(z.string(), time),
})

export type StatusAnswer = z.infer<typeof statusAnswer>
