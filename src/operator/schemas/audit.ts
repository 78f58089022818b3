import * as z from 'zod/mini'
import { time } from './fields.ts'

const detail = z.record(z.string(), z.string())

/** Parses the query of `GET /operator/audit`, which may leave out what changed nothing. */
export const auditQuery = z.object({ lookups: z._default(z.enum(['true', 'false']), 'true') })

/** Describes `GET /operator/audit`: what operators did, the newest first. */
export const auditAnswer = z.object({
  entries: z.array(
    z.object({
      at: time,
      /** Names the operator; null for what a caller did, and for entries of older versions. */
      by: z.nullable(z.string()),
      action: z.string(),
      detail,
    }),
  ),
})
