import * as z from 'zod/mini'
import { till } from './agents.ts'
import { auditAnswer } from './audit.ts'
import { caller, decidedSession } from './callers.ts'
import { hexAddress, nextPage, nonNegative, phone, phoneOnly, time, wei } from './fields.ts'
import { loanSummary } from './loans.ts'
import { payment, paymentAnswer } from './payments.ts'

/** Describes an account's memory, without its digests and sealed data. */
const memory = z.object({
  hasDialled: z.boolean(),
  lastDialAt: z.nullable(time),
  language: z.nullable(z.string()),
  recipients: z.array(
    z.object({ address: hexAddress, to: z.string(), amountWei: z.nullable(wei) }),
  ),
  senders: z.array(hexAddress),
  sent: z.array(z.object({ intentId: z.string(), address: hexAddress, to: z.string() })),
  /** Lists wallets; one that replaced the `former` address pays from `paysFrom` (Unix, in ms). */
  wallets: z.array(
    z.object({
      name: z.string(),
      address: hexAddress,
      former: z.optional(hexAddress),
      paysFrom: z.optional(z.int()),
    }),
  ),
  /** Lists the intents of failed payments that the caller was told of. */
  failuresTold: z.array(z.string()),
})

const orZero = z._default(nonNegative, 0)

const count = z.int()

/** Maps each `POST /operator/<name>` about a person's data to its schema. */
export const personActions = {
  /** Exports a person's data in pages; the first page has what is not a list. */
  'person/export': {
    ...phoneOnly,
    request: z.object({ phone, part: orZero, from: orZero }),
    answer: z.object({
      account: hexAddress,
      caller: z.nullable(caller),
      memory: z.nullable(memory),
      loan: z.nullable(loanSummary),
      payments: z.array(paymentAnswer),
      /** Lists the payments that were settled over 8 days ago. */
      archived: z.array(payment),
      /** Lists the sessions without a payment. */
      sessions: z.array(decidedSession),
      audit: auditAnswer.shape.entries,
      /** Lists what the person's payments of bills were for. */
      references: z.array(z.object({ intent: z.string(), reference: z.string() })),
      tills: z.array(till),
      next: nextPage,
    }),
  },
  /** Erases the data that protects no money, page by page. */
  'person/erase': {
    ...phoneOnly,
    request: z.object({ phone, from: orZero }),
    answer: z.object({
      account: hexAddress,
      /** Counts what was erased. */
      gone: z.object({ archived: count, messages: count, refusals: count, loans: count }),
      /** Counts what stays, because it protects money. */
      kept: z.object({
        payments: count,
        open: count,
        loans: count,
        holds: count,
        aliases: count,
        pins: count,
      }),
      /** Holds when the last session expires by itself. */
      until: time,
      /** Is the `from` of the next request; null once all pages are erased. */
      next: z.nullable(nonNegative),
    }),
  },
}
