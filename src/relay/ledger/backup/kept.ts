import { type Address, getAddress } from 'viem'
import type { StepContext } from '../draft.ts'
import { reads, writes } from '../port.ts'
import { keepFormerAccounts } from '../records/identity.ts'
import { readIntake, recordAction } from '../records/operations.ts'
import { isHeld, standingSteps } from '../records/standing.ts'
import { tillSteps } from '../records/tills.ts'
import { type Row, tables, toKey } from '../rows.ts'
import { type KeptRows, keptTables } from './kept-rows.ts'
import { type PagePosition, searchPage } from './score-page.ts'

/** Holds a page of what only operators know; `next` is undefined on the last one. */
export type KeptPage = KeptRows & { next: PagePosition | undefined }

/** Counts the rows that were missing, and lists tills and accounts that this ledger refuses. */
type KeptImport = { kind: 'imported'; added: number; refused: string[] } | { kind: 'open' }

function exportKept({ rows }: StepContext, { part, from }: PagePosition): KeptPage {
  const page: KeptPage = { audit: [], holds: [], tills: [], aliases: [], next: undefined }
  const table = keptTables[part]
  if (table === undefined) return page
  const { matches, nextScore } = searchPage(rows, table, from, () => true)
  const isLast = nextScore === undefined && part + 1 === keptTables.length
  const next = nextScore === undefined ? { part: part + 1, from: 0 } : { part, from: nextScore }
  return { ...page, [table]: matches, next: isLast ? undefined : next }
}

function importKept(step: StepContext, id: string, kept: KeptRows): KeptImport {
  const { rows } = step
  if (readIntake(rows).kind === 'open') return { kind: 'open' }
  const { audit, holds, tills, aliases } = kept
  const missing = keptTables
    .flatMap((table) => kept[table].map((row) => [table, toKey(tables[table], row)] as const))
    .filter(([table, key]) => rows.row(table, ...key) === undefined)
  for (const entry of audit) recordAction(rows, entry)
  for (const { account } of holds) {
    if (!isHeld(rows, account))
      standingSteps.setHold(step, account as Address, true, `${id}.${account}`)
  }
  const refusedTills = tills.filter((till) => !importTill(step, id, till))
  const pairs = aliases.map(
    ({ account, former }) => [getAddress(account), former as Address] as const,
  )
  const refused = [...refusedTills.map(({ till }) => till), ...keepFormerAccounts(rows, pairs)]
  const added = missing.filter(([table, key]) => rows.row(table, ...key) !== undefined).length
  recordAction(rows, { id, action: 'import', detail: { added: `${added}` } })
  return { kind: 'imported', added, refused }
}

/** Gives a free number its till, removed if it was. Tells whether the account has the number. */
function importTill(step: StepContext, id: string, row: Row<'tills'>): boolean {
  const { till, account, name, kind, removed_at } = row
  const known = step.rows.row('tills', till)
  if (known !== undefined) return known.account === account
  tillSteps.setTill(step, { id: `${id}.${till}`, till, to: { account, name, kind } })
  if (removed_at !== null) tillSteps.setTill(step, { id: `${id}.${till}.removed`, till })
  return true
}

export const keptSteps = {
  /** Returns a page of what only operators know: audit, holds, tills and kept accounts. */
  exportKept: reads(exportKept),
  /**
   * Adds what is missing of it by the steps that write it, and records the action, unless payments
   * are accepted.
   */
  importKept: writes(importKept),
}
