import * as z from 'zod/mini'
import { tillKinds } from '../kept/tables.ts'

/** Parses a time in ISO 8601 (UTC). */
export const time = z.iso.datetime()
/** Parses an amount in wei: decimal digits, because a JSON number is not exact. */
export const wei = z.string().check(z.regex(/^[0-9]{1,78}$/))
export const intentId = z.string().check(z.regex(/^0x[0-9a-fA-F]{44}$/))
export const hexHash = z.string().check(z.regex(/^0x[0-9a-fA-F]{64}$/))
export const hexAddress = z
  .string()
  .check(z.regex(/^0x[0-9a-fA-F]{40}$/, 'an account is 0x and 40 digits from 0 to f'))
export const phone = z.string().check(z.maxLength(40))
/** Parses any text that is short enough for an address: the action explains its mistakes. */
export const addressText = z.string().check(z.maxLength(42))
export const nonNegative = z.int().check(z.minimum(0))

/** Holds where the next page begins: in which list, and from where in it. Null after the last. */
export const nextPage = z.nullable(z.object({ part: nonNegative, from: nonNegative }))

export const phoneOnly = z.object({ phone })

/** Describes a till: the short number of an account that hands out cash, or is paid bills. */
export const till = z.object({
  till: z.string().check(z.regex(/^[0-9]{5,6}$/)),
  account: hexAddress,
  name: z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9 -]{0,11}$/)),
  kind: z.enum(tillKinds),
})

/** Holds the reason of a refusal, with status 400, 401, 404, 409, 413 or 503. */
export const operatorError = z.object({ error: z.string() })

/** Lists the roles of operators: each may do what the roles before it may. */
export const roles = ['read', 'support', 'operate', 'money'] as const

/** Describes who asks: the name is that of the audit. */
export const actor = z.object({ name: z.string(), role: z.enum(roles) })

export type Actor = z.infer<typeof actor>
export type Role = Actor['role']
