import * as z from 'zod/mini'
import { till } from './agents.ts'
import { hexAddress, hexHash, intentId, phone, phoneOnly, time, wei } from './fields.ts'
import { loanSummary } from './loans.ts'
import { payment } from './payments.ts'

const sessionName = z.string().check(z.maxLength(200))

const pinState = z.object({
  isChosen: z.boolean(),
  isBlocked: z.boolean(),
  /** Is true if the number has not dialled for so long that it may not pay. */
  isDormant: z.boolean(),
  /** Holds when a caller who forgot the PIN may choose another one. */
  replaceableAt: z.nullable(time),
})

/** Describes an account for a support call. */
export const caller = z.object({
  account: hexAddress,
  balanceWei: z.nullable(wei),
  owedWei: z.nullable(wei),
  dueAt: z.nullable(time),
  heldAt: z.nullable(time),
  /** Counts the payments without a known outcome. */
  open: z.int(),
  /** Lists the last payments from the account and to it in one order, the newest first. */
  payments: z.array(z.extend(payment, { direction: z.enum(['out', 'in']) })),
  /**
   * Lists the last transfers to the account on the chain that are not among the payments; null if
   * no node answers. Events of the last 2,000 blocks are read.
   */
  arrivals: z.nullable(
    z.array(z.object({ from: hexAddress, amountWei: wei, block: z.int(), hash: hexHash })),
  ),
  /** Holds the account's last loan, as far as the loan book was read. */
  loan: z.nullable(loanSummary),
  tills: z.array(till),
  /** Lists the last refused sessions with their screens. */
  refusals: z.array(z.object({ reason: z.string(), at: time, screen: z.nullable(z.string()) })),
  /** Sums up what the account received and sent today (UTC); null if it has no till. */
  till: z.nullable(z.object({ inWei: wei, outWei: wei })),
  /** Is null if the account's memory gives no answer. */
  pin: z.nullable(pinState),
  /** Sums up the last 24 hours, and holds their limits; a limit that is not set is null. */
  today: z.object({
    transfers: z.int(),
    mostTransfers: z.nullable(z.int()),
    sentWei: wei,
    mostSentWei: z.nullable(wei),
  }),
})

export const decidedSession = z.object({
  /** Says `ended` if lost rows may hold a payment of the refused session. */
  state: z.enum(['refused', 'ended', 'accepted']),
  decidedAt: time,
  screen: z.string(),
  reason: z.nullable(z.string()),
  intent: z.nullable(intentId),
})

const lastDeposit = z.object({
  amountWei: wei,
  hash: hexHash,
  block: z.int(),
  explorer: z.string(),
})

/** Describes the result of a deposit, which may be repeated without depositing twice. */
const deposit = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('sent'),
    amountWei: wei,
    hash: hexHash,
    /** Is true if a node took the transaction. */
    isTaken: z.boolean(),
    explorer: z.string(),
  }),
  z.object({
    kind: z.literal('too_little'),
    /** Holds the balance of the account's own address, which is too low for the gas. */
    thereWei: wei,
    gasWei: wei,
    last: z.nullable(lastDeposit),
  }),
  z.object({ kind: z.enum(['under_way', 'price_too_high', 'paused', 'held', 'refused']) }),
])

/** Maps each `POST /operator/<name>` about a caller's account to its schema. */
export const callerActions = {
  lookup: { ...phoneOnly, answer: caller },
  /** Finds all that fits what a caller reads out: a number, the start of a hash, a code, a till. */
  find: {
    request: z.object({ text: z.string().check(z.maxLength(80)) }),
    answer: z.object({
      accounts: z.array(
        z.object({
          by: z.enum(['number', 'till', 'address']),
          /** Names the country whose plan lists the number, since several may list its digits. */
          country: z.nullable(z.string()),
          till: z.nullable(till),
          caller,
        }),
      ),
      payments: z.array(payment),
    }),
    expected: 'the body has to be {"text": "a number, 10 characters of a hash, a code or a till"}',
  },
  session: {
    request: z.object({ phone, gateway: sessionName, sessionId: sessionName }),
    answer: decidedSession,
    expected: 'the body has to be {"phone": "+…", "gateway": "africas-talking", "sessionId": "…"}',
  },
  hold: {
    request: z.object({ account: hexAddress, action: z.enum(['hold', 'release']) }),
    answer: z.object({ account: hexAddress, heldAt: z.nullable(time), open: z.int() }),
    expected: 'the body has to be {"account": "0x…", "action": "hold" or "release"}',
  },
  deposit: { ...phoneOnly, answer: z.object({ account: hexAddress, deposit }) },
  pin: {
    request: z.object({ phone, action: z.enum(['unblock', 'keep-pin']) }),
    answer: z.extend(pinState, { account: hexAddress }),
    expected: 'the body has to be {"phone": "+…", "action": "unblock" or "keep-pin"}',
  },
}
