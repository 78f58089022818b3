import * as z from 'zod/mini'
import { kindNames } from '../loan/kinds.ts'
import { exportEntry, exportHead } from '../relay/ledger/copies/export-format.ts'
import { paymentStates } from '../relay/ledger/transitions.ts'
import { plainDigits } from '../runtime/digits.ts'

/** What has to hold for a payment to be carried, in the order in which to look. */
export const checkNames = [
  'configuration',
  'identity',
  'ledger',
  'clock',
  'node',
  'relayer_funds',
  'gas_price',
  'contracts',
  'queue',
  'rounds',
  'intake',
  'upstream_budget',
] as const

/** One thing that was looked at. `unknown`: what it is told by has failed, or has not been seen yet. `refuses`: new payments. */
export const check = z.object({
  name: z.enum(checkNames),
  state: z.enum(['ok', 'failing', 'unknown']),
  says: z.string(),
  refuses: z.optional(z.literal(true)),
})

/** `GET /readyz` and `/healthz`: 200 with `ok`, 503 else. Tells nothing that is secret. */
export const healthAnswer = z.object({
  status: z.enum(['ok', 'failing', 'misconfigured']),
  failing: z.array(z.enum(checkNames)),
  checks: z.optional(z.array(check)),
  /** Why payments were refused last that were not to blame themselves, and when; `over`: since when one was taken, if one was. */
  lastRefused: z.optional(
    z.object({
      reason: z.string(),
      at: z.string(),
      over: z.optional(z.union([z.boolean(), z.string()])),
    }),
  ),
  /** What nodes were asked today (UTC), as far as the process that answers knows. */
  upstreamCallsToday: z.optional(z.object({ relay: z.int(), callers: z.int() })),
  faults: z.optional(z.array(z.object({ variable: z.string(), reason: z.string() }))),
})

/** `GET /livez`: the process alone. */
export const livenessAnswer = z.object({ status: z.literal('ok') })

export type Check = z.infer<typeof check>
export type CheckName = Check['name']
export type HealthAnswer = z.infer<typeof healthAnswer>

const time = z.iso.datetime()
/** Whole wei as decimal digits. */
const wei = z.string().check(z.regex(/^[0-9]{1,78}$/))
/** The name of a session's payment on the chain. */
const intentId = z.string().check(z.regex(/^0x[0-9a-f]{44}$/i))
const hash = z.string().check(z.regex(/^0x[0-9a-f]{64}$/i))
const address = z.string().check(z.regex(/^0x[0-9a-f]{40}$/i))

/** Any refusal of an operator's request: 400 malformed, 401 token, 404 unknown, 409 not possible now. */
export const operatorError = z.object({ error: z.string() })

/**
 * Whether new payments are taken. `paused` and `draining` refuse them in words, and what is open goes on
 * to its end; a drain in which nothing is left has `drained`: keys and contracts may change. While an
 * export is `restoring`, no session is decided and no round does anything.
 */
export const intake = z.object({
  state: z.enum(['open', 'paused', 'draining', 'drained', 'restoring']),
  since: z.optional(time),
})

/** Something that a person has to look at, until it is over. */
export const alertNames = [
  'relayer_low',
  'price_high',
  'stuck',
  'node_down',
  'identity',
  'pool_low',
  'contracts',
  'round_late',
  'budget',
  'unlisted_number',
] as const

export const alert = z.object({
  name: z.enum(alertNames),
  says: z.string(),
  raisedAt: time,
  /** Told a while longer, since it may come again. Null: it is not over. */
  overSince: z.nullable(time),
})

/** `GET /operator/status`. Null: not seen yet. */
export const statusAnswer = z.object({
  now: time,
  version: z.string(),
  schema: z.string(),
  chainId: z.int(),
  currency: z.string(),
  intake,
  health: healthAnswer,
  alerts: z.array(alert),
  relayers: z.array(
    z.object({
      address,
      balanceWei: z.nullable(wei),
      gasPriceWei: z.nullable(wei),
      /** Payments that the balance pays for, at the highest price that each may come to. */
      lastsFor: z.nullable(z.int()),
      /** What to send there; null where it has enough. */
      wantedWei: z.nullable(wei),
      /** The next one: as the ledger counts, in the chain, and with what waits in the pool. */
      nonces: z.object({ ledger: z.int(), chain: z.nullable(z.int()), pool: z.nullable(z.int()) }),
      inFlight: z.int(),
      queued: z.int(),
      oldestAt: z.nullable(time),
      lastMinedAt: z.nullable(time),
    }),
  ),
  contracts: z.object({
    loan: address,
    forwarder: address,
    state: z.nullable(z.enum(['ready', 'missing', 'not_allowed', 'paused', 'loan_paused'])),
    pool: z.nullable(
      z.object({
        /** Free, owed by borrowers, of accounts, and left by the daily cap for new loans. */
        liquidityWei: wei,
        owedWei: wei,
        balancesWei: wei,
        capLeftWei: wei,
        principalWei: wei,
        isPaused: z.boolean(),
      }),
    ),
  }),
  /** What keeps money and callers safe, whether it is on, and the setting that says so. */
  guards: z.array(z.object({ name: z.string(), isOn: z.boolean(), by: z.string() })),
  head: z.nullable(z.object({ number: z.int(), at: time })),
  /** As the process that answers knows them: their places in `NODE_URL`, never their addresses. */
  nodes: z.array(
    z.object({
      label: z.string(),
      height: z.nullable(z.int()),
      heightAt: z.nullable(time),
      state: z.enum(['able', 'suspended', 'distrusted']),
      /** Within which 95 of 100 of its last answers came. */
      p95Ms: z.nullable(z.number()),
      answers: z.int(),
      failures: z.int(),
      callsToday: z.int(),
    }),
  ),
  callsToday: z.nullable(z.object({ relay: z.int(), callers: z.int(), limit: z.int() })),
  /** How often something happened since the ledger was begun, by `<kind>.<event>` or `refused.<reason>`. */
  counts: z.record(z.string(), z.int()),
})

const paymentState = z.enum(paymentStates)

/** A payment, without anything that leads to a phone number. */
export const payment = z.object({
  intent: intentId,
  state: paymentState,
  kind: z.enum(kindNames),
  account: address,
  /** What leaves the account's balance. */
  spendsWei: wei,
  acceptedAt: time,
  changedAt: time,
  relayer: z.nullable(address),
  nonce: z.nullable(z.int()),
  attempts: z.int(),
  outcome: z.nullable(z.enum(['executed', 'failed'])),
  reason: z.nullable(z.string()),
  /** The transaction that was mined for it, or that a node took last; and its block, where it has one. */
  hash: z.nullable(hash),
  block: z.nullable(z.int()),
  explorer: z.nullable(z.string()),
})

/** What `GET /operator/payments` is asked with, as query parameters. */
export const paymentsQuery = z.object({
  state: z.optional(paymentState),
  intent: z.optional(intentId),
  hash: z.optional(hash),
  account: z.optional(address),
  /** Listed at this time or later, and before this one (ISO 8601, or Unix time in ms). */
  since: z.optional(z.string()),
  before: z.optional(z.string()),
  /** `true`: settled more than 8 days ago, by the time of settlement. */
  archived: z._default(z.enum(['true', 'false']), 'false'),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(200)), 50),
})

/** `GET /operator/payments`: the newest first. `next` is the `before` of the next page; null after the last. */
export const paymentsAnswer = z.object({
  payments: z.array(payment),
  next: z.nullable(z.string()),
})

/** `GET /operator/payments/<intent>`. */
export const paymentAnswer = z.extend(payment, {
  /** After it the request is dead; null of one that is archived. */
  deadline: z.nullable(time),
  /** By the transaction that was mined for it; null where none was, or no node tells. */
  gasUsed: z.nullable(z.int()),
  transitions: z.array(z.object({ state: paymentState, at: time })),
  /** What was signed for the nonce that carries it now, the highest-priced first. */
  transactions: z.array(
    z.object({
      hash,
      nonce: z.int(),
      gasPriceWei: wei,
      gasLimit: z.int(),
      recordedAt: time,
      sentAt: z.nullable(time),
      failures: z.int(),
      isMined: z.boolean(),
      explorer: z.string(),
    }),
  ),
})

/** `POST /operator/drain`: the fingerprint of the account secret that comes, if another one does. */
export const drainRequest = z.object({
  nextAccountKey: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/))),
})

/** `POST /operator/pause`, `/resume` and `/drain`; the first two without a body. */
export const intakeAnswer = z.object({ intake, open: z.int() })

/** `POST /operator/outbid`: new bytes for a nonce, at a higher price within `MAX_GAS_PRICE_WEI`. */
export const outbidRequest = z.object({ nonce: z.int().check(z.minimum(0)) })
export const outbidAnswer = z.object({
  nonce: z.int(),
  over: hash,
  hash,
  gasPriceWei: wei,
})

/**
 * `POST /operator/alias`: numbers whose accounts may have been opened under a former form, or that there are no more,
 * and how many are kept. The numbers stand in the body alone. `unclear`: those of whose numbers two are in use.
 */
export const aliasRequest = z.object({
  phones: z._default(z.array(z.string().check(z.maxLength(40))).check(z.maxLength(20)), []),
  kept: z.optional(z.int().check(z.minimum(0))),
})
export const aliasAnswer = z.object({ kept: z.int(), unclear: z.array(address) })

/** `POST /operator/lookup`: the number stands in the body alone, and nothing keeps it. */
export const lookupRequest = z.object({ phone: z.string().check(z.maxLength(40)) })
export const lookupAnswer = z.object({
  account: address,
  /** In the contract; null where no node tells. */
  balanceWei: z.nullable(wei),
  owedWei: z.nullable(wei),
  payments: z.array(payment),
})

/**
 * `POST /operator/cash-out`: out of a caller's balance to an address outside, at most once for each
 * number and key. The number stands in the body alone.
 */
export const cashOutRequest = z.object({
  phone: z.string().check(z.maxLength(40)),
  to: z.string().check(z.maxLength(42)),
  /** A decimal number of the chain's currency, or `all`. */
  amount: z.pipe(z.string().check(z.maxLength(40)), z.transform(plainDigits)),
  /** When it was made (Unix time in seconds), and random characters. Good for a day. */
  key: z.string().check(z.regex(/^[0-9]{10}-[A-Za-z0-9_-]{16,64}$/)),
})
export const cashOutAnswer = z.object({ payment })

/**
 * `POST /operator/deposit` `{"phone": "+…"}`: has the caller's own key deposit what is at its address, less
 * the gas. By its nature it happens once, so it may be asked for again.
 */
export const depositAnswer = z.object({
  account: address,
  deposit: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('sent'),
      amountWei: wei,
      hash,
      /** False: it is not known whether a node has it. */
      isTaken: z.boolean(),
      explorer: z.string(),
    }),
    z.object({
      kind: z.literal('too_little'),
      thereWei: wei,
      gasWei: wei,
      last: z.nullable(z.object({ amountWei: wei, hash, block: z.int(), explorer: z.string() })),
    }),
    z.object({ kind: z.enum(['under_way', 'price_too_high', 'paused', 'refused']) }),
  ]),
})

/**
 * `POST /operator/pin`: `unblock` has a phone spend again that three wrong PINs, or 90 days without a dial, keep
 * from it; `keep-pin` calls off that a forgotten PIN may be replaced. Asked for twice it is the same.
 */
export const pinRequest = z.object({
  phone: z.string().check(z.maxLength(40)),
  action: z.enum(['unblock', 'keep-pin']),
})

/** What the PIN of the account is from then on. */
export const pinAnswer = z.object({
  account: address,
  isChosen: z.boolean(),
  isBlocked: z.boolean(),
  isDormant: z.boolean(),
  replaceableAt: z.nullable(time),
})

/** `GET /operator/audit`: what operators did, the newest first. */
export const auditAnswer = z.object({
  entries: z.array(
    z.object({ at: time, action: z.string(), detail: z.record(z.string(), z.string()) }),
  ),
})

const place = { part: z.int().check(z.minimum(0)), from: z.int().check(z.minimum(0)) }

/** `GET /operator/export`, as query parameters: where the page begins, as the one before told. */
export const exportQuery = z.object({
  part: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
  from: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
})

/** A page of all that a restore needs. `next`: null after the last one. */
export const exportAnswer = z.object({
  head: exportHead,
  entries: z.array(exportEntry),
  next: z.nullable(z.object(place)),
})

/** `POST /operator/restore/begin`. `adds`: also to a ledger that is newer, or that has something open. */
export const restoreRequest = z.object({ head: exportHead, adds: z.boolean() })

/** `POST /operator/restore/entries`: those of an export of this time. */
export const restoreEntriesRequest = z.object({
  exportedAt: z.int(),
  entries: z.array(exportEntry).check(z.maxLength(1_000)),
})

/** `POST /operator/restore/end`. */
export const restoreEndRequest = z.object({ exportedAt: z.int() })

/** How many entries were added, and of how many the ledger keeps its own. */
export const restoreAnswer = z.object({ added: z.int(), kept: z.int() })

/** `POST /operator/set-back`, on Cloudflare: to a time of the last 30 days, or to a bookmark. */
export const setBackRequest = z.union([
  z.strictObject({ to: z.iso.datetime() }),
  z.strictObject({ bookmark: z.string().check(z.maxLength(200)) }),
])

/** The bookmark that takes it back. */
export const setBackAnswer = z.object({ undo: z.string() })

export type Alert = z.infer<typeof alert>
export type AlertName = Alert['name']
export type CashOutRequest = z.infer<typeof cashOutRequest>
export type CashOutAnswer = z.infer<typeof cashOutAnswer>
export type DepositAnswer = z.infer<typeof depositAnswer>
export type PaymentSummary = z.infer<typeof payment>
export type OutbidAnswer = z.infer<typeof outbidAnswer>
export type AliasRequest = z.infer<typeof aliasRequest>
export type AliasAnswer = z.infer<typeof aliasAnswer>
export type PinRequest = z.infer<typeof pinRequest>
export type PinAnswer = z.infer<typeof pinAnswer>
export type LookupAnswer = z.infer<typeof lookupAnswer>
export type IntakeAnswer = z.infer<typeof intakeAnswer>
export type AuditAnswer = z.infer<typeof auditAnswer>
export type StatusAnswer = z.infer<typeof statusAnswer>
export type PaymentDetails = z.infer<typeof paymentAnswer>
export type PaymentsAnswer = z.infer<typeof paymentsAnswer>
