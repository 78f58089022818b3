import { getAddress, type Hex } from 'viem'
import * as z from 'zod/mini'
import { kindNames } from '../../loan/kinds.ts'
import { localWorth, unitPrice } from '../../loan/local-worth.ts'
import { paymentStates } from '../../relay/ledger/transitions.ts'
import { smsParties } from '../../relay/ledger/values.ts'
import { hexAddress, hexHash, intentId, time, wei } from './fields.ts'

export const outcomes = ['executed', 'failed'] as const

const paymentState = z.enum(paymentStates)

/** Describes a payment without data that leads to a phone number. */
export const payment = z.object({
  intent: intentId,
  state: paymentState,
  kind: z.enum(kindNames),
  account: hexAddress,
  /** Holds the account or wallet that it pays; null if it pays nobody, or once that is deleted. */
  recipient: z.nullable(hexAddress),
  /** Holds the 6 digits that caller and agent compare; null for other payments. */
  code: z.nullable(z.string()),
  /** Holds when the agent said, with a PIN, that this withdrawal's cash was paid out. */
  paidOutAt: z.nullable(time),
  spendsWei: wei,
  /** Holds what a loan lends; null for others, and if it was settled over 8 days ago. */
  lentWei: z.nullable(wei),
  /** Holds what the caller agreed to in local money, at which rate; null without one. */
  agreed: z.nullable(localWorth),
  acceptedAt: time,
  /** Holds since when it is FINAL, if it was so before its block; null for other payments. */
  assuredAt: z.nullable(time),
  relayer: z.nullable(hexAddress),
  nonce: z.nullable(z.int()),
  /** Counts the transactions that carried the payment without effect. */
  attempts: z.int(),
  outcome: z.nullable(z.enum(outcomes)),
  reason: z.nullable(z.string()),
  /** Holds the hash of the mined transaction, or of the last one that a node took. */
  hash: z.nullable(hexHash),
  block: z.nullable(z.int()),
  explorer: z.nullable(z.string()),
})

const lowerHex = z.transform((text: string) => text.toLowerCase() as Hex)
const withChecksum = z.transform((text: string) => getAddress(text))
const isTrue = z.transform((word: 'true' | 'false') => word === 'true')

/** Parses a time to Unix ms. */
export const anyTime = z
  .pipe(
    z.string(),
    z.transform((text) => (/^[0-9]{1,15}$/.test(text) ? Number(text) : Date.parse(text))),
  )
  .check(z.refine((at) => !Number.isNaN(at), 'a time has to be ISO 8601, or Unix time in ms'))

export const paymentsQuery = z.object({
  state: z.optional(paymentState),
  kind: z.optional(z.enum(kindNames)),
  outcome: z.optional(z.enum(outcomes)),
  intent: z.optional(z.pipe(intentId, lowerHex)),
  /** Selects by any transaction that carried the payment. */
  hash: z.optional(z.pipe(hexHash, lowerHex)),
  account: z.optional(z.pipe(hexAddress, withChecksum)),
  /** Limit the time of acceptance (ISO 8601, or Unix time in ms). */
  since: z.optional(anyTime),
  before: z.optional(anyTime),
  /** Selects payments that were settled over 8 days ago. The times are then those of settlement. */
  archived: z.prefault(z.pipe(z.enum(['true', 'false']), isTrue), 'false'),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(200)), 50),
})

/** Lists the newest first; `next` is the `before` of the next page, null after the last. */
export const paymentsAnswer = z.object({ payments: z.array(payment), next: z.nullable(z.string()) })

const unsentMessage = z.object({
  party: z.enum(smsParties),
  /** Is held until the outcome is final, then due, then taken by a sender. */
  state: z.enum(['held', 'due', 'taken']),
  at: time,
  attempts: z.int(),
})

/** Says what a transfer's sender can do about a wrong number. */
const recall = z.object({
  /**
   * Is `held`; or `open` if the sender may ask for that, by phone, until then; or why nothing is:
   * `off` without `RECALL_MINUTES`, `too_often`, ...;
   * `ended` if it was held, and is no more.
   */
  state: z.enum([
    'held',
    'ended',
    'open',
    'off',
    'till',
    'final',
    'known',
    'too_late',
    'too_often',
    'not_yours',
  ]),
  wei: z.nullable(wei),
  until: time,
  /** Holds in how many days a sender may ask once (`RECALL_DAYS`). */
  everyDays: z.int(),
})

const holdStep = z.object({
  at: time,
  /** Is `kept` if the receiver ended it, `ended` if an operator did, `over` after a day. */
  step: z.enum(['held', 'given_back', 'kept', 'ended', 'over']),
  /** Names the account or the operator who did it; null if its time was over. */
  by: z.nullable(z.string()),
  /** Holds what was held, or given back by the payment `intent`. */
  wei: z.nullable(wei),
  intent: z.nullable(intentId),
})

const transaction = z.object({
  hash: hexHash,
  nonce: z.int(),
  gasPriceWei: wei,
  gasLimit: z.int(),
  recordedAt: time,
  sentAt: z.nullable(time),
  /** Counts the last sends in a row that no node took. */
  failures: z.int(),
  isMined: z.boolean(),
  explorer: z.string(),
})

/** Describes `GET /operator/payments/<intent>`. */
export const paymentAnswer = z.extend(payment, {
  /** Holds the present price in local money; null if the payment has its own, or without one. */
  price: z.nullable(unitPrice),
  /** Holds what a credit brought, or what repaid all, by its receipt; null if not known. */
  creditedWei: z.nullable(wei),
  deadline: z.nullable(time),
  /** Holds the gas used; null if the payment is in no block, or if no node answers. */
  gasUsed: z.nullable(z.int()),
  transitions: z.array(z.object({ state: paymentState, at: time })),
  /** Holds the screen that the caller saw; null once it is deleted. */
  screen: z.nullable(z.string()),
  /** Lists the intents that its transaction carries, in order. */
  batch: z.array(intentId),
  /** Is null for other payments than transfers, for failed and archived ones, and in an export. */
  recall: z.nullable(recall),
  /** Lists what became of a hold of it, the oldest first; empty without one, and in an export. */
  holdSteps: z.array(holdStep),
  messages: z.array(unsentMessage),
  /** Lists the transactions signed for its nonce, the highest-priced first. */
  transactions: z.array(transaction),
})

export type PaymentSummary = z.infer<typeof payment>
export type HoldStep = z.infer<typeof holdStep>
export type PaymentDetails = z.infer<typeof paymentAnswer>
