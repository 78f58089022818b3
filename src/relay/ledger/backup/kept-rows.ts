import * as z from 'zod/mini'
import { tables } from '../rows.ts'

export const keptTables = ['audit', 'holds', 'tills', 'aliases'] as const

/** Parses rows of what only operators know: the chain teaches none of it to a lost ledger. */
export const keptRows = z.object({
  audit: z.array(tables.audit.row),
  holds: z.array(tables.holds.row),
  tills: z.array(tables.tills.row),
  aliases: z.array(tables.aliases.row),
})

export type KeptRows = z.infer<typeof keptRows>
