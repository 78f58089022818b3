import * as z from 'zod/mini'
import { time } from './fields.ts'

const detail = z.record(z.string(), z.string())

/** Describes `GET /operator/audit`: what operators did, the newest first. */
export const auditAnswer = z.object({
  entries: z.array(z.object({ at: time, action: z.string(), detail })),
})
