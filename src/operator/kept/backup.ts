import { type Address, getAddress } from 'viem'
import * as z from 'zod/mini'
import type { Draft } from '../../relay/ledger/draft.ts'
import { reads, writes } from '../../relay/ledger/port.ts'
import { type RowIn, tables, toKey } from '../../relay/ledger/rows.ts'
import { parts } from '../../relay/ledger/steps.ts'
import { auditSteps, recordAction } from './audit.ts'
import { type Kept, type KeptRow, keptTables } from './tables.ts'
import { tillSteps } from './tills.ts'

/** Lists the tables of what only operators know: the chain teaches none of it to a lost ledger. */
const exportedTables = {
  audit: keptTables.audit,
  holds: tables.holds,
  tills: keptTables.tills,
  aliases: tables.aliases,
}

type Exported = typeof exportedTables

const names = Object.keys(exportedTables) as (keyof Exported)[]

export const keptRows = z.object({
  audit: z.array(exportedTables.audit.row),
  holds: z.array(exportedTables.holds.row),
  tills: z.array(exportedTables.tills.row),
  aliases: z.array(exportedTables.aliases.row),
})

type KeptRows = z.infer<typeof keptRows>

/** Tells where a page begins: at a score (`from`) of the list with the index `part`. */
export type PagePosition = { part: number; from: number }

/** Holds a page of what only operators know; `next` is undefined on the last one. */
type KeptPage = KeptRows & { next: PagePosition | undefined }

function exportKept({ rows }: Kept, { part, from }: PagePosition): KeptPage {
  const page: KeptPage = { audit: [], holds: [], tills: [], aliases: [], next: undefined }
  const table = names[part]
  if (table === undefined) return page
  const exported = rows as unknown as Draft<Exported>
  const { matches, nextScore } = parts.searchPage<RowIn<Exported, typeof table>>(
    (limit) => exported.list({ table, list: 'age', from, limit }),
    exportedTables[table].lists.age.score as keyof RowIn<Exported, typeof table>,
  )
  const isLast = nextScore === undefined && part + 1 === names.length
  const next = nextScore === undefined ? { part: part + 1, from: 0 } : { part, from: nextScore }
  return { ...page, [table]: matches, next: isLast ? undefined : next }
}

function importKept(step: Kept, id: string, kept: KeptRows) {
  const { rows } = step
  if (parts.readIntake(rows).kind === 'open') return { kind: 'open' as const }
  const { audit, holds, tills, aliases } = kept
  const exported = rows as unknown as Draft<Exported>
  const missing = names
    .flatMap((table) =>
      kept[table].map((row) => [table, toKey(exportedTables[table], row)] as const),
    )
    .filter(([table, key]) => exported.row(table, ...key) === undefined)
  for (const entry of audit) recordAction(rows, entry)
  for (const { account, reason } of holds) {
    if (!parts.isHeld(rows, account))
      auditSteps.setHold(step, account as Address, true, `${id}.${account}`, reason)
  }
  const refusedTills = tills.filter((till) => !importTill(step, id, till))
  const pairs = aliases.map(
    ({ account, former }) => [getAddress(account), former as Address] as const,
  )
  const refused = [
    ...refusedTills.map(({ till }) => till),
    ...parts.keepFormerAccounts(rows, pairs),
  ]
  const added = missing.filter(([table, key]) => exported.row(table, ...key) !== undefined).length
  recordAction(rows, { id, action: 'import', detail: { added: `${added}` } })
  return { kind: 'imported' as const, added, refused }
}

/** Gives a free number its till, removed if it was. Tells whether the account has the number. */
function importTill(step: Kept, id: string, row: KeptRow<'tills'>): boolean {
  const { till, removed_at, ...to } = row
  const known = step.rows.row('tills', till)
  if (known !== undefined) return known.account === to.account
  tillSteps.setTill(step, { id: `${id}.${till}`, till, to })
  if (removed_at !== null) tillSteps.setTill(step, { id: `${id}.${till}.removed`, till })
  return true
}

export const backupSteps = {
  /** Returns a page of what only operators know: audit, holds, tills and kept accounts. */
  exportKept: reads(exportKept),
  /**
   * Adds what is missing of it by the steps that write it, and records the action, unless payments
   * are accepted. Counts what was added, and lists tills and accounts that this ledger refuses.
   */
  importKept: writes(importKept),
}
