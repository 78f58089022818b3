import * as z from 'zod/mini'
import { tables } from '../rows.ts'

/** Parses the head of an export, which tells of which ledger it is, and when it began. */
export const exportHead = z.object({
  format: z.literal('ussd-relay-ledger'),
  schema: z.string(),
  /** Holds a Unix time in ms. */
  exportedAt: z.int(),
  chainId: z.int(),
  /** Maps variables to fingerprints: a restore compares secrets without seeing them. */
  fingerprints: z.record(z.string(), z.string()),
  counts: z.record(z.string(), z.int()),
  /** Names the last block that the ledger had followed; null before the first. */
  head: z.nullable(
    z.object({ number: z.int(), hash: z.string().check(z.regex(/^0x[0-9a-fA-F]*$/)) }),
  ),
})

/** Parses rows that belong together, read at one time. No totals: a restore counts them again. */
export const exportEntry = z.object({
  session: z.optional(tables.sessions.row),
  payment: z.optional(tables.payments.row),
  nonce: z.optional(tables.nonces.row),
  transactions: z.optional(z.array(tables.transactions.row)),
  history: z.optional(tables.history.row),
  audit: z.optional(tables.audit.row),
  /** Holds a value that a session has shown. */
  shown: z.optional(tables.shown.row),
  alias: z.optional(tables.aliases.row),
  hold: z.optional(tables.holds.row),
  till: z.optional(tables.tills.row),
  /** Holds what the account of a till received by the payment. */
  taking: z.optional(tables.takings.row),
})

export type ExportHead = z.infer<typeof exportHead>
export type ExportEntry = z.infer<typeof exportEntry>

/** Tells where a page begins: at a score (`from`) of the list with the index `part`. */
export type ExportPosition = { part: number; from: number }

export type ExportPage =
  /** Holds a page; `next` is undefined on the last one. */
  | { kind: 'page'; head: ExportHead; entries: ExportEntry[]; next: ExportPosition | undefined }
  /** Refuses the export, because the ledger was created with other values of these variables. */
  | { kind: 'other_ledger'; names: string[] }
  /** Refuses the export, because the ledger was never used. */
  | { kind: 'unused_ledger' }
