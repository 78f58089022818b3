import { z } from 'zod'

/** What the load generator is asked for: so many requests, then it tells how they went. */
export const loadJob = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** Bodies, each sent once, in this order. */
  bodies: z.array(z.string()),
  /** Requests under way at a time; or requests begun a second, whatever becomes of them. */
  pace: z.union([z.object({ callers: z.number() }), z.object({ perSecond: z.number() })]),
  /** What a good answer holds. */
  expects: z.string(),
})

/** Times are Unix times in ms with fractions. */
export const loadReport = z.object({
  startedAt: z.number(),
  endedAt: z.number(),
  /** How long each answer took, in ms, in the order in which they came. */
  replyMs: z.array(z.number()),
  /** How many answers were not good, and the first of them. */
  bad: z.number(),
  firstBad: z.string().optional(),
})

export type LoadJob = z.infer<typeof loadJob>
export type LoadReport = z.infer<typeof loadReport>
