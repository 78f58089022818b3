import * as z from 'zod/mini'
import { localMoney, unitPrice } from '../../loan/local-worth.ts'
import { hexAddress, hexHash, intentId, till, time, wei } from './fields.ts'
import { loanSummary } from './loans.ts'
import { payment } from './payments.ts'

export const pinState = z.object({
  isChosen: z.boolean(),
  isBlocked: z.boolean(),
  /** Is true if the number has not dialled for so long that it may not pay. */
  isDormant: z.boolean(),
  /** Holds when a caller who forgot the PIN may choose another one. */
  replaceableAt: z.nullable(time),
})

/**
 * Sums up what arrived at tills, what the account sent, and which cash was paid out for what
 * arrived; each also as agreed in local money, or null unless all was agreed in one currency.
 */
const tillDay = z.object({
  inWei: wei,
  inLocal: z.nullable(localMoney),
  outWei: wei,
  outLocal: z.nullable(localMoney),
  cashWei: wei,
  cashLocal: z.nullable(localMoney),
  /** Counts the withdrawals that arrived, and whose cash was not paid out. */
  waiting: z.int(),
  /** Tells when the day began in the time zone of callers. */
  since: time,
})

export const caller = z.object({
  account: hexAddress,
  /** Holds where a wallet sends money, as phones show it (EIP-1191); null if it is not known. */
  receiveAddress: z.nullable(hexAddress),
  /** Holds what lies there and is not credited yet; null if no node told it in time. */
  waitingWei: z.nullable(wei),
  balanceWei: z.nullable(wei),
  owedWei: z.nullable(wei),
  /** Holds the present price in local money; null without a feed, or while none is accepted. */
  price: z.nullable(unitPrice),
  dueAt: z.nullable(time),
  heldAt: z.nullable(time),
  /** Tells why it is held, if the operator said so. */
  heldFor: z.nullable(z.string()),
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
  /** Tells the last message of it: 3 days before it is due, or that day; null if none can be. */
  reminded: z.nullable(z.enum(['none', 'soon', 'today'])),
  tills: z.array(till),
  refusals: z.array(z.object({ reason: z.string(), at: time, screen: z.nullable(z.string()) })),
  /** Sums up the day of an account with a till; null if it has none. */
  till: z.nullable(tillDay),
  /** Lists what is held back of payments to the account that their senders call mistakes. */
  recalled: z.array(z.object({ intent: intentId, sender: hexAddress, wei, until: time })),
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

export type AccountFound = z.infer<typeof caller>

export const decidedSession = z.object({
  /** Says `ended` if lost rows may hold a payment of the refused session. */
  state: z.enum(['refused', 'ended', 'accepted']),
  decidedAt: time,
  screen: z.string(),
  reason: z.nullable(z.string()),
  intent: z.nullable(intentId),
})
