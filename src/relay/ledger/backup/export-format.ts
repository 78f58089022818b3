import * as z from 'zod/mini'
import { tables } from '../rows.ts'

/** Parses an export's head: of which ledger it is, and from when. */
export const exportHead = z.object({
  format: z.literal('ussd-relay-ledger'),
  schema: z.string(),
  /** Tells when the export began (Unix time in ms). */
  exportedAt: z.int(),
  chainId: z.int(),
  /** Shows whether secrets are the same, without revealing them. */
  fingerprints: z.record(z.string(), z.string()),
  counts: z.record(z.string(), z.int()),
  /** Names the last block against which all rows were checked. */
  head: z.nullable(
    z.object({ number: z.int(), hash: z.string().check(z.regex(/^0x[0-9a-fA-F]*$/)) }),
  ),
})

/** Parses rows that belong together, as of one moment. Totals are counted from them. */
export const exportEntry = z.object({
  session: z.optional(tables.sessions.row),
  payment: z.optional(tables.payments.row),
  nonce: z.optional(tables.nonces.row),
  transactions: z.optional(z.array(tables.transactions.row)),
  history: z.optional(tables.history.row),
  audit: z.optional(tables.audit.row),
  shown: z.optional(tables.shown.row),
  alias: z.optional(tables.aliases.row),
  hold: z.optional(tables.holds.row),
  till: z.optional(tables.tills.row),
  taking: z.optional(tables.takings.row),
})

export type ExportHead = z.infer<typeof exportHead>
export type ExportEntry = z.infer<typeof exportEntry>

/** Tells where a page begins: `part` is the index of a list, `from` a score in it. */
export type ExportPlace = { part: number; from: number }

export type ExportPage =
  /** Holds a page; `next` is undefined on the last one. */
  | { kind: 'page'; head: ExportHead; entries: ExportEntry[]; next: ExportPlace | undefined }
  /** Names the values in which the ledger differs; without names, it has no identity yet. */
  | { kind: 'different'; names: string[] }
