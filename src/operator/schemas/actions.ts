import * as z from 'zod/mini'
import { agentActions } from './agents.ts'
import { alertActions } from './alerts.ts'
import { backupActions } from './backup.ts'
import { callerActions } from './callers.ts'
import { cashOutActions } from './cash-out.ts'
import { hexAddress, hexHash, nonNegative, phone, wei } from './fields.ts'
import { personActions } from './person.ts'
import { intake } from './status.ts'

/** Holds the reason of a refusal, with status 400, 401, 404, 409, 413 or 503. */
export const operatorError = z.object({ error: z.string() })

/** Defines the request and answer of an action; `expected` describes a valid body in an error. */
export type ActionSchema = { request: z.ZodMiniType; answer: z.ZodMiniType; expected?: string }

const intakeAction = {
  request: z.unknown(),
  /** Describes the intake, and counts the open payments. */
  answer: z.object({ intake, open: z.int() }),
}

/** Maps each `POST /operator/<name>` to its schema. */
export const actions = {
  pause: intakeAction,
  resume: intakeAction,
  drain: {
    ...intakeAction,
    /** Holds the fingerprint of the next account secret, if that is to change. */
    request: z._default(
      z.object({ nextAccountKey: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/))) }),
      {},
    ),
  },
  outbid: {
    request: z.object({ nonce: nonNegative }),
    /** Describes the new transaction; `over` is the hash of the one that it replaces. */
    answer: z.object({ nonce: z.int(), over: hexHash, hash: hexHash, gasPriceWei: wei }),
  },
  rate: {
    request: z.object({ price: z.string().check(z.regex(/^[0-9]{1,12}(\.[0-9]{1,6})?$/)) }),
    answer: z.object({ currency: z.string(), price: z.string() }),
    expected: 'the body has to be {"price": "12345678.9"}',
  },
  /** Lets numbers in a new form keep their accounts; the last request has `kept`, their total. */
  alias: {
    request: z.object({
      phones: z._default(z.array(phone).check(z.maxLength(20)), []),
      kept: z.optional(nonNegative),
    }),
    /** Counts the kept accounts, and lists those that an operator has to decide. */
    answer: z.object({ kept: z.int(), unclear: z.array(hexAddress) }),
    expected: 'the body has to be {"phones": ["+…"]} with 20 at most, or {"kept": 0}',
  },
  ...alertActions,
  ...agentActions,
  ...callerActions,
  ...cashOutActions,
  ...personActions,
  ...backupActions,
} satisfies Record<string, ActionSchema>

export type ActionName = keyof typeof actions
export type ActionRequest<Name extends ActionName> = z.output<(typeof actions)[Name]['request']>
export type ActionAnswer<Name extends ActionName> = z.output<(typeof actions)[Name]['answer']>
