import * as z from 'zod/mini'
import { keptRows } from '../kept/backup.ts'
import { nextPage } from './fields.ts'

const queryPosition = z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0)

/** Parses the query of `GET /operator/export`: the `next` of the page before. */
export const exportQuery = z.object({ part: queryPosition, from: queryPosition })

/** Holds what only operators know; `accountKey` is the fingerprint of the account secret. */
const kept = z.extend(keptRows, { chainId: z.int(), accountKey: z.string() })

/** Describes a page of `GET /operator/export`. */
export const exportAnswer = z.extend(kept, { next: nextPage })

export type ExportAnswer = z.infer<typeof exportAnswer>

export const backupActions = {
  import: {
    request: kept,
    /** Counts the added rows, and lists tills and accounts that the ledger refused. */
    answer: z.object({ added: z.int(), refused: z.array(z.string()) }),
    expected: 'the body has to be a page of GET /operator/export',
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
