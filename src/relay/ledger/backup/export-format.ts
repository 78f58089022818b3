import * as z from 'zod/mini'
import { tables } from '../rows.ts'

/** Reads an export's head: whose ledger it is, and of when. */
export const exportHead = z.object({
  format: z.literal('ussd-relay-ledger'),
  schema: z.string(),
  /** Tells when the export began (Unix time in ms). */
  exportedAt: z.int(),
  chainId: z.int(),
  /** Tells whether a secret is the same, and not what it is. */
  fingerprints: z.record(z.string(), z.string()),
  counts: z.record(z.string(), z.int()),
  /** Names the block against which everything was last checked. */
  head: z.nullable(
    z.object({ number: z.int(), hash: z.string().check(z.regex(/^0x[0-9a-fA-F]*$/)) }),
  ),
})

/** Reads what belongs together at one moment; sums follow from it. */
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

/** Tells where a page begins: a list, and a score in it. */
export type ExportPlace = { part: number; from: number }

export type ExportPage =
  /** `next`: undefined after the last page. */
  | { kind: 'page'; head: ExportHead; entries: ExportEntry[]; next: ExportPlace | undefined }
  /** The ledger was begun with other values of these; without names, it was never begun. */
  | { kind: 'different'; names: string[] }
