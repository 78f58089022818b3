import { z } from 'zod'

/** What has to hold for a payment to be carried, in the order in which to look. */
export const checkNames = [
  'configuration',
  'identity',
  'ledger',
  'node',
  'relayer_funds',
  'contracts',
  'rounds',
  'upstream_budget',
] as const

/** One thing that was looked at. `unknown`: what it is told by has failed, or has not been seen yet. */
export const check = z.object({
  name: z.enum(checkNames),
  state: z.enum(['ok', 'failing', 'unknown']),
  says: z.string(),
})

/** `GET /readyz` and `/healthz`: 200 with `ok`, 503 else. Tells nothing that is secret. */
export const healthAnswer = z.object({
  status: z.enum(['ok', 'failing', 'misconfigured']),
  /** The names of checks that fail. */
  failing: z.array(z.enum(checkNames)),
  checks: z.array(check).optional(),
  /** Why payments were refused last that were not to blame themselves, and when (ISO 8601). */
  lastRefused: z.object({ reason: z.string(), at: z.string() }).optional(),
  /** What nodes were asked today (UTC), as far as the process that answers knows. */
  upstreamCallsToday: z.object({ relay: z.int(), callers: z.int() }).optional(),
  /** Of a configuration that is bad. */
  faults: z.array(z.object({ variable: z.string(), reason: z.string() })).optional(),
})

/** `GET /livez`: the process alone. */
export const livenessAnswer = z.object({ status: z.literal('ok') })

export type Check = z.infer<typeof check>
export type CheckName = Check['name']
export type HealthAnswer = z.infer<typeof healthAnswer>
