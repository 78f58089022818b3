import * as z from 'zod/mini'
import { kindNames } from '../loan/kinds.ts'
import { loanStates } from '../loan/loan-book.ts'
import { exportEntry, exportHead } from '../relay/ledger/backup/export-format.ts'
import { mapNames, smsParties, tillKinds } from '../relay/ledger/rows.ts'
import { paymentStates } from '../relay/ledger/transitions.ts'
import { toPlainDigits } from '../runtime/digits.ts'

/** Lists the checks that a payment depends on, in the order in which to look at them. */
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

/** Reports one check: `unknown` before its first reading; `refuses` if it stops new payments. */
const check = z.object({
  name: z.enum(checkNames),
  state: z.enum(['ok', 'failing', 'unknown']),
  says: z.string(),
  refuses: z.optional(z.literal(true)),
})

/** Describes `GET /readyz` and `/healthz`: 200 if `ok`, else 503; holds no secrets. */
export const healthAnswer = z.object({
  status: z.enum(['ok', 'failing', 'misconfigured']),
  failing: z.array(z.enum(checkNames)),
  checks: z.optional(z.array(check)),
  /** Reports the last refusal by the service's fault; `over`: when payments were accepted again. */
  lastRefused: z.optional(
    z.object({
      reason: z.string(),
      at: z.string(),
      over: z.optional(z.union([z.boolean(), z.string()])),
    }),
  ),
  upstreamCallsToday: z.optional(z.object({ relay: z.int(), callers: z.int() })),
  faults: z.optional(z.array(z.object({ variable: z.string(), reason: z.string() }))),
})

export type Check = z.infer<typeof check>
export type CheckName = Check['name']
export type HealthAnswer = z.infer<typeof healthAnswer>

const time = z.iso.datetime()
const wei = z.string().check(z.regex(/^[0-9]{1,78}$/))
const intentId = z.string().check(z.regex(/^0x[0-9a-fA-F]{44}$/))
const hash = z.string().check(z.regex(/^0x[0-9a-fA-F]{64}$/))
const address = z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/))
const phone = z.string().check(z.maxLength(40))

/**
 * Refuses a request: 400 malformed, 401 token, 404 unknown, 409 not possible now, 503 not known.
 */
export const operatorError = z.object({ error: z.string() })

/** Describes whether payments are taken; once `drained`, keys and contracts may change. */
const intake = z.object({
  state: z.enum(['open', 'paused', 'draining', 'drained', 'restoring']),
  since: z.optional(time),
})

/** Lists the alerts. Each is raised until its cause is gone. */
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
  'unknown_header',
  'unproved',
  'gateway_silent',
] as const

const alert = z.object({
  name: z.enum(alertNames),
  says: z.string(),
  raisedAt: time,
  /** Holds when the cause ended; null before. The alert stays a while, since it may recur. */
  overSince: z.nullable(time),
})

const counts = z.record(z.string(), z.int())
const countsSince = z.object({ since: time, counts })

/** Describes `GET /operator/alerts`: raised alerts and past ones, the latest first. */
export const alertsAnswer = z.object({ alerts: z.array(alert), past: z.array(alert) })

/** Describes `GET /operator/status`; null for what was not read yet. */
export const statusAnswer = z.object({
  now: time,
  version: z.string(),
  schema: z.string(),
  network: z.string(),
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
      maxGasPriceWei: wei,
      /** Counts the payments that the balance pays for, at the current price and at the highest. */
      lastsFor: z.nullable(z.int()),
      lastsAtWorst: z.nullable(z.int()),
      /** Holds the cost of 50 payments at both prices, if the balance pays for fewer than 20. */
      wantedWei: z.nullable(wei),
      wantedAtWorstWei: z.nullable(wei),
      /** Holds the next nonce by the ledger, by the chain, and including the node's pool. */
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
        liquidityWei: wei,
        owedWei: wei,
        balancesWei: wei,
        capLeftWei: wei,
        principalWei: wei,
        isPaused: z.boolean(),
      }),
    ),
  }),
  /** Lists the guards of money and callers, each with its setting. */
  guards: z.array(z.object({ name: z.string(), isOn: z.boolean(), by: z.string() })),
  head: z.nullable(z.object({ number: z.int(), at: time })),
  /** Lists the last followed blocks, newest first; `fullness` is the share of gas used. */
  blocks: z.array(z.object({ number: z.int(), fullness: z.nullable(z.number()) })),
  /** Lists nodes by their position in `NODE_URL`, never by their URL. */
  nodes: z.array(
    z.object({
      label: z.string(),
      height: z.nullable(z.int()),
      heightAt: z.nullable(time),
      state: z.enum(['able', 'suspended', 'distrusted']),
      p95Ms: z.nullable(z.number()),
      answers: z.int(),
      failures: z.int(),
      /** Counts answers without a proof, such as balances. */
      believed: z.int(),
      unknownHeaderAt: z.nullable(time),
      callsToday: z.int(),
      methods: z.array(z.object({ method: z.string(), calls: z.int(), tookMs: z.number() })),
    }),
  ),
  callsToday: z.nullable(z.object({ relay: z.int(), callers: z.int(), limit: z.int() })),
  /** Counts events since the ledger began, by `<kind>.<event>` or `refused.<reason>`. */
  counts,
  /** Counts the same for about the last hour, and for today (UTC). */
  lately: z.object({ hour: countsSince, today: countsSince }),
  /** Tells when gateways' bad requests and wrong secrets came last, by `<gateway>/<event>`. */
  gatewayFaults: z.record(z.string(), time),
})

export const outcomes = ['executed', 'failed'] as const

const paymentState = z.enum(paymentStates)

/** Describes a payment, without data that leads to a phone number. */
const payment = z.object({
  intent: intentId,
  state: paymentState,
  kind: z.enum(kindNames),
  account: address,
  spendsWei: wei,
  acceptedAt: time,
  changedAt: time,
  relayer: z.nullable(address),
  nonce: z.nullable(z.int()),
  attempts: z.int(),
  outcome: z.nullable(z.enum(outcomes)),
  reason: z.nullable(z.string()),
  /** Holds the hash of the mined transaction, or of the last one that a node took. */
  hash: z.nullable(hash),
  block: z.nullable(z.int()),
  explorer: z.nullable(z.string()),
})

export const paymentsQuery = z.object({
  state: z.optional(paymentState),
  kind: z.optional(z.enum(kindNames)),
  outcome: z.optional(z.enum(outcomes)),
  intent: z.optional(intentId),
  hash: z.optional(hash),
  account: z.optional(address),
  /** Limits the time of listed payments (ISO 8601, or Unix time in ms). */
  since: z.optional(z.string()),
  before: z.optional(z.string()),
  /** Selects payments settled more than 8 days ago, by settlement time. */
  archived: z._default(z.enum(['true', 'false']), 'false'),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(200)), 50),
})

/** Lists the newest first; `next` is the `before` of the next page, null after the last. */
export const paymentsAnswer = z.object({ payments: z.array(payment), next: z.nullable(z.string()) })

/** Describes `GET /operator/payments/<intent>`. */
export const paymentAnswer = z.extend(payment, {
  /** Holds the request's deadline; null if archived. */
  deadline: z.nullable(time),
  /** Holds the gas used; null if not mined, or if no node answers. */
  gasUsed: z.nullable(z.int()),
  transitions: z.array(z.object({ state: paymentState, at: time })),
  /** Holds the caller's screen; null once it is deleted. */
  screen: z.nullable(z.string()),
  /** Lists the intents of its batch, in order. */
  batch: z.array(intentId),
  /** Lists unsent messages: held until the outcome is final, due, or being sent. */
  messages: z.array(
    z.object({
      party: z.enum(smsParties),
      state: z.enum(['held', 'due', 'taken']),
      at: time,
      attempts: z.int(),
    }),
  ),
  /** Lists the transactions signed for its nonce, the highest-priced first. */
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

/** Describes `GET /operator/audit`: what operators did, the newest first. */
export const auditAnswer = z.object({
  entries: z.array(
    z.object({ at: time, action: z.string(), detail: z.record(z.string(), z.string()) }),
  ),
})

export const loansQuery = z.object({
  state: z._default(z.enum(loanStates), 'owed'),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1_000)), 200),
})

const loan = z.object({
  borrower: address,
  state: z.enum(loanStates),
  issuedAt: time,
  dueAt: time,
  overdueDays: z.int(),
  lentWei: wei,
  owedWei: wei,
  repaidWei: wei,
  /** Counts the borrower's loans before this one. */
  earlier: z.int(),
})

/** Describes `GET /operator/loans`: the earliest due first. */
export const loansAnswer = z.object({
  /** Holds the last block that was read; the next request reads on if blocks are missing. */
  block: z.int(),
  head: z.int(),
  isWhole: z.boolean(),
  currency: z.string(),
  sums: z.object({
    loans: z.int(),
    lentWei: wei,
    repaidWei: wei,
    writtenOffWei: wei,
    owedWei: wei,
  }),
  /** Sums the debts by days overdue. */
  ages: z.array(z.object({ name: z.string(), loans: z.int(), owedWei: wei })),
  loans: z.array(loan),
})

const exportPosition = z.int().check(z.minimum(0))
const queryPosition = z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0)

/** Parses the query of `GET /operator/export`: the page's start, from the page before. */
export const exportQuery = z.object({ part: queryPosition, from: queryPosition })

/** Describes a page of what a restore needs; `next` is null after the last one. */
export const exportAnswer = z.object({
  head: exportHead,
  entries: z.array(exportEntry),
  next: z.nullable(z.object({ part: exportPosition, from: exportPosition })),
})

const intakeAnswer = z.object({ intake, open: z.int() })
/** Counts the entries that were added, and those that the ledger had already. */
const restoreAnswer = z.object({ added: z.int(), kept: z.int() })

/** Describes the result of a deposit, which is safe to repeat. */
const deposit = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('sent'),
    amountWei: wei,
    hash,
    /** Tells whether a node took it; false also if that is not known. */
    isTaken: z.boolean(),
    explorer: z.string(),
  }),
  z.object({
    kind: z.literal('too_little'),
    thereWei: wei,
    gasWei: wei,
    last: z.nullable(z.object({ amountWei: wei, hash, block: z.int(), explorer: z.string() })),
  }),
  z.object({ kind: z.enum(['under_way', 'price_too_high', 'paused', 'held', 'refused']) }),
])

const defineCounts = <Name extends string>(...names: Name[]) =>
  z.object(mapNames(z.int(), ...names))

export type Form = { request: z.ZodMiniType; answer: z.ZodMiniType; expected?: string }

const sessionName = z.string().check(z.maxLength(200))

const pinState = z.object({
  isChosen: z.boolean(),
  isBlocked: z.boolean(),
  isDormant: z.boolean(),
  replaceableAt: z.nullable(time),
})

/** Parses a wallet's name, short enough for screens. */
const walletName = z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9 -]{0,7}$/))
const walletAddress = z.string().check(z.maxLength(42))

const till = z.object({
  till: z.string().check(z.regex(/^[0-9]{5,6}$/)),
  account: address,
  name: z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9 -]{0,11}$/)),
  kind: z.enum(tillKinds),
})

/** Describes an account for a support call. */
const caller = z.object({
  account: address,
  balanceWei: z.nullable(wei),
  owedWei: z.nullable(wei),
  /** Holds when the loan is due; null without one. */
  dueAt: z.nullable(time),
  heldAt: z.nullable(time),
  /** Counts the payments without a known outcome. */
  open: z.int(),
  payments: z.array(payment),
  /** Lists the last refused sessions with their screens. */
  refusals: z.array(z.object({ reason: z.string(), at: time, screen: z.nullable(z.string()) })),
  /** Holds the day's (UTC) totals of an account with a till; else null. */
  till: z.nullable(z.object({ inWei: wei, outWei: wei })),
  /** Holds the state of the PIN; null if the account's memory does not answer. */
  pin: z.nullable(pinState),
  /** Sums the last 24 hours beside their limits; null for a limit that is not set. */
  today: z.object({
    transfers: z.int(),
    mostTransfers: z.nullable(z.int()),
    sentWei: wei,
    mostSentWei: z.nullable(wei),
  }),
})

const decidedSession = z.object({
  state: z.enum(['refused', 'accepted']),
  decidedAt: time,
  screen: z.string(),
  reason: z.nullable(z.string()),
  intent: z.nullable(intentId),
})

/** Describes an account's memory without digests and sealed data. */
const memory = z.object({
  hasDialled: z.boolean(),
  lastDialAt: z.nullable(time),
  language: z.nullable(z.string()),
  recipients: z.array(z.object({ address, to: z.string(), amountWei: z.nullable(wei) })),
  senders: z.array(address),
  sent: z.array(z.object({ intentId: z.string(), address, to: z.string() })),
  wallets: z.array(z.object({ name: z.string(), address })),
  failuresTold: z.array(z.string()),
})

const phoneRequest = {
  request: z.object({ phone }),
  expected: 'the body has to be {"phone": "+…"}',
}

/** Maps each `POST /operator/<name>` to its request, its answer and its error text. */
export const actions = {
  pause: { request: z.unknown(), answer: intakeAnswer },
  resume: { request: z.unknown(), answer: intakeAnswer },
  drain: {
    /** Holds the fingerprint of the next account secret, if it changes. */
    request: z._default(
      z.object({ nextAccountKey: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/))) }),
      {},
    ),
    answer: intakeAnswer,
  },
  outbid: {
    request: z.object({ nonce: exportPosition }),
    answer: z.object({ nonce: z.int(), over: hash, hash, gasPriceWei: wei }),
  },
  lookup: { ...phoneRequest, answer: caller },
  session: {
    /** Names a session as the gateway's log does. */
    request: z.object({ phone, gateway: sessionName, sessionId: sessionName }),
    answer: decidedSession,
    expected: 'the body has to be {"phone": "+…", "gateway": "africas-talking", "sessionId": "…"}',
  },
  /** Exports a person's data in pages; the first page has what is not a list. */
  'person/export': {
    ...phoneRequest,
    request: z.object({
      phone,
      part: z._default(exportPosition, 0),
      from: z._default(exportPosition, 0),
    }),
    answer: z.object({
      account: address,
      caller: z.nullable(caller),
      memory: z.nullable(memory),
      loan: z.nullable(loan),
      payments: z.array(paymentAnswer),
      archived: z.array(payment),
      /** Lists the sessions without a payment. */
      sessions: z.array(decidedSession),
      audit: auditAnswer.shape.entries,
      references: z.array(z.object({ intent: z.string(), reference: z.string() })),
      tills: z.array(till),
      next: z.nullable(z.object({ part: exportPosition, from: exportPosition })),
    }),
  },
  /** Erases the data that protects no money; the next request continues at `next`. */
  'person/erase': {
    ...phoneRequest,
    request: z.object({ phone, from: z._default(exportPosition, 0) }),
    answer: z.object({
      account: address,
      gone: defineCounts('archived', 'messages', 'refusals', 'loans'),
      kept: defineCounts('payments', 'open', 'loans', 'holds', 'aliases', 'pins'),
      /** Holds when the last session expires by itself. */
      until: time,
      next: z.nullable(exportPosition),
    }),
  },
  hold: {
    request: z.object({ account: address, action: z.enum(['hold', 'release']) }),
    answer: z.object({ account: address, heldAt: z.nullable(time), open: z.int() }),
    expected: 'the body has to be {"account": "0x…", "action": "hold" or "release"}',
  },
  deposit: { ...phoneRequest, answer: z.object({ account: address, deposit }) },
  pin: {
    request: z.object({ phone, action: z.enum(['unblock', 'keep-pin']) }),
    answer: z.extend(pinState, { account: address }),
    expected: 'the body has to be {"phone": "+…", "action": "unblock" or "keep-pin"}',
  },
  alias: {
    request: z.object({
      phones: z._default(z.array(phone).check(z.maxLength(20)), []),
      kept: z.optional(exportPosition),
    }),
    answer: z.object({ kept: z.int(), unclear: z.array(address) }),
    expected: 'the body has to be {"phones": ["+…"]} with 20 at most, or {"kept": 0}',
  },
  /** Adds a wallet by name, removes it (without an address), or lists all. */
  wallet: {
    request: z.object({ phone, name: z.optional(walletName), address: z.optional(walletAddress) }),
    answer: z.object({
      account: address,
      wallets: z.array(z.object({ name: walletName, address })),
    }),
    expected: 'the body has to be {"phone": "+…", "name": "Savings", "address": "0x…"}',
  },
  'wallet-code': {
    request: z.object({ name: walletName, address: walletAddress }),
    answer: z.object({ code: z.string() }),
    expected: 'the body has to be {"name": "Savings", "address": "0x…"}',
  },
  agents: { request: z.unknown(), answer: z.object({ agents: z.array(till) }) },
  'agents/add': {
    request: z.extend(z.pick(till, { name: true, kind: true }), { phone }),
    answer: till,
    expected: 'the body has to be {"phone": "+…", "name": "Mama Duka", "kind": "agent" or "bill"}',
  },
  'agents/remove': {
    request: z.pick(till, { till: true }),
    answer: till,
    expected: 'the body has to be {"till": "12344"}',
  },
  'cash-out': {
    request: z.object({
      phone,
      to: z.string().check(z.maxLength(42)),
      /** Parses an amount in the chain's currency, or `all`. */
      amount: z.pipe(z.string().check(z.maxLength(40)), z.transform(toPlainDigits)),
      /** Holds the idempotency key, `<Unix s>-<random>`; it expires after a day. */
      key: z.string().check(z.regex(/^[0-9]{10}-[A-Za-z0-9_-]{16,64}$/)),
    }),
    answer: z.object({ payment }),
    expected:
      'the body has to be {"phone": "+…", "to": "0x…", "amount": "0.5" or "all", "key": "…"}',
  },
  'restore/begin': {
    /** Begins a restore; `adds` allows it in a ledger that is newer or has open payments. */
    request: z.object({ head: exportHead, adds: z.boolean() }),
    answer: restoreAnswer,
    expected: 'the body has to be {"head": …, "adds": true or false}, with the head of an export',
  },
  'restore/entries': {
    request: z.object({
      exportedAt: z.int(),
      entries: z.array(exportEntry).check(z.maxLength(1_000)),
    }),
    answer: restoreAnswer,
    expected: 'the body has to be {"exportedAt": …, "entries": […]}, with 1000 entries at most',
  },
  'restore/end': {
    request: z.object({ exportedAt: z.int() }),
    answer: restoreAnswer,
    expected: 'the body has to be {"exportedAt": …}',
  },
  'set-back': {
    /** Holds a time of the last 30 days, or a bookmark. */
    request: z.union([
      z.strictObject({ to: z.iso.datetime() }),
      z.strictObject({ bookmark: z.string().check(z.maxLength(200)) }),
    ]),
    answer: z.object({ undo: z.string() }),
    expected: 'the body has to be {"to": "<time in UTC>"}',
  },
} as const satisfies Record<string, Form>

export type ActionName = keyof typeof actions
export type ActionRequest<Name extends ActionName> = z.output<(typeof actions)[Name]['request']>
export type ActionAnswer<Name extends ActionName> = z.output<(typeof actions)[Name]['answer']>
export type AlertName = (typeof alertNames)[number]
export type LoansAnswer = z.infer<typeof loansAnswer>
export type ExportAnswer = z.infer<typeof exportAnswer>
export type PaymentSummary = z.infer<typeof payment>
export type PaymentDetails = z.infer<typeof paymentAnswer>
export type StatusAnswer = z.infer<typeof statusAnswer>
