import * as z from 'zod/mini'
import { exportEntry, exportHead } from '../../relay/ledger/backup/export-format.ts'
import { nextPage } from './fields.ts'

const queryPosition = z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0)

/** Parses the query of `GET /operator/export`: the `next` of the page before. */
export const exportQuery = z.object({ part: queryPosition, from: queryPosition })

const entries = z.array(exportEntry)

/** Describes a page of `GET /operator/export`: what a restore needs. */
export const exportAnswer = z.object({ head: exportHead, entries, next: nextPage })

/** Counts the entries that were added, and those that the ledger had already. */
const restoreAnswer = z.object({ added: z.int(), kept: z.int() })

/** Maps each `POST /operator/<name>` of a restore to its schema. */
export const restoreActions = {
  'restore/begin': {
    /** Allows a ledger that is newer or has open payments, if `adds` is true. */
    request: z.object({ head: exportHead, adds: z.boolean() }),
    answer: restoreAnswer,
    expected: 'the body has to be {"head": …, "adds": true or false}, with the head of an export',
  },
  'restore/entries': {
    request: z.object({ exportedAt: z.int(), entries: entries.check(z.maxLength(1_000)) }),
    answer: restoreAnswer,
    expected: 'the body has to be {"exportedAt": …, "entries": […]}, with 1000 entries at most',
  },
  'restore/end': {
    request: z.object({ exportedAt: z.int() }),
    answer: restoreAnswer,
    expected: 'the body has to be {"exportedAt": …}',
  },
  'set-back': {
    /** Holds a time of the last 30 days, or the bookmark that undoes an earlier call. */
    request: z.union([
      z.strictObject({ to: z.iso.datetime() }),
      z.strictObject({ bookmark: z.string().check(z.maxLength(200)) }),
    ]),
    /** Holds the bookmark that undoes this call. */
    answer: z.object({ undo: z.string() }),
    expected: 'the body has to be {"to": "<time in UTC>"}',
  },
}

export type ExportAnswer = z.infer<typeof exportAnswer>
