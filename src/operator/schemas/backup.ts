import * as z from 'zod/mini'
import { keptRows } from '../kept/backup.ts'
import { nextPage } from './fields.ts'

const queryPosition = z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0)

/** Parses the query of `GET /operator/export`: the `next` of the page before. */
export const exportQuery = z.object({ part: queryPosition, from: queryPosition })

/** Holds what only operators know; `accountKey` is the fingerprint of the account secret. */
export const exportedPage = z.extend(keptRows, { chainId: z.int(), accountKey: z.string() })

/** Describes a page of `GET /operator/export`. */
export const exportAnswer = z.extend(exportedPage, { next: nextPage })

export type ExportAnswer = z.infer<typeof exportAnswer>
