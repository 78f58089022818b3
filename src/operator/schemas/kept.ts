import * as z from 'zod/mini'
import { keptRows } from '../kept/backup.ts'
import { hexAddress, nextPage, time } from './fields.ts'
import { anyTime } from './payments.ts'

const detail = z.record(z.string(), z.string())

/** Parses the query of `GET /operator/audit`, which may leave out what changed nothing. */
export const auditQuery = z.object({
  lookups: z._default(z.enum(['true', 'false']), 'true'),
  before: z.optional(anyTime),
})

/**
 * Describes `GET /operator/audit`: what operators did, the newest first; `next` is the `before` of
 * the next page, null after the last. A page without look-ups may be empty, and not the last.
 */
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
  next: z.nullable(time),
})

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

const queryPosition = z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0)

/** Parses the query of `GET /operator/export`: the `next` of the page before. */
export const exportQuery = z.object({ part: queryPosition, from: queryPosition })

/** Holds what only operators know; `accountKey` is the fingerprint of the account secret. */
export const exportedPage = z.extend(keptRows, { chainId: z.int(), accountKey: z.string() })

/** Describes a page of `GET /operator/export`. */
export const exportAnswer = z.extend(exportedPage, { next: nextPage })

export type ExportAnswer = z.infer<typeof exportAnswer>
