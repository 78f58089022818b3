import * as z from 'zod/mini'

/**
 * Lists the checks that a payment depends on, in the order in which to look at them: one that still
 * refuses after the remedy of another comes before that.
 */
export const checkNames = [
  'configuration',
  'identity',
  'ledger',
  'clock',
  'node',
  'contracts',
  'gas_price',
  'relayer_funds',
  'queue',
  'rounds',
  'upstream_budget',
] as const

const check = z.object({
  name: z.enum(checkNames),
  /** Is `unknown` until the check has a reading. */
  state: z.enum(['ok', 'failing', 'unknown']),
  says: z.string(),
  /** Is set if the failing check makes the service refuse new payments. */
  refuses: z.optional(z.literal(true)),
})

/** Describes `GET /readyz` and `/healthz`, which are public: 200 if `ok`, else 503. */
export const healthAnswer = z.object({
  status: z.enum(['ok', 'failing', 'misconfigured']),
  failing: z.array(z.enum(checkNames)),
  checks: z.optional(z.array(check)),
  /** Describes the last payment that was refused by a fault of the service. */
  lastRefused: z.optional(
    z.object({
      reason: z.string(),
      at: z.string(),
      /** Holds when the fault ended, or true if that time is not known. Absent while it lasts. */
      over: z.optional(z.union([z.boolean(), z.string()])),
    }),
  ),
  faults: z.optional(z.array(z.object({ variable: z.string(), reason: z.string() }))),
})

export type Check = z.infer<typeof check>
export type CheckName = Check['name']
export type HealthAnswer = z.infer<typeof healthAnswer>
