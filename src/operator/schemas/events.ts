import * as z from 'zod/mini'
import { hexAddress, time } from './fields.ts'

/** Parses the query of `GET /operator/events`: the `seq` of the last event that is known. */
export const eventsQuery = z.object({
  after: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(500)), 100),
})

/** Describes what happened to an account. It has no phone number and nothing that was typed. */
export const accountEvent = z.object({
  /** Repeats if the same event is told again. */
  id: z.string(),
  /** Counts the events of all accounts. */
  seq: z.int(),
  at: time,
  account: hexAddress,
  name: z.string(),
  detail: z.record(z.string(), z.string()),
})

export const eventsAnswer = z.object({ events: z.array(accountEvent) })
