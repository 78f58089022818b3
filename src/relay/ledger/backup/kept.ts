import { type Address, getAddress } from 'viem'
import type { StepContext } from '../draft.ts'
import type { KeptImport, KeptPage, PagePosition } from '../port.ts'
import { keepFormerAccounts } from '../records/identity.ts'
import { readIntake, recordAction } from '../records/operations.ts'
import { isHeld, setHold } from '../records/standing.ts'
import { setTill } from '../records/tills.ts'
import { type Row, toKey } from '../rows.ts'
import { type KeptRows, keptTables } from './kept-rows.ts'
import { searchPage } from './score-page.ts'

export function exportKept({ rows }: StepContext, { part, from }: PagePosition): KeptPage {
  const page: KeptPage = { audit: [], holds: [], tills: [], aliases: [], next: undefined }
  const table = keptTables[part]
  if (table === undefined) return page
  const { matches, nextScore } = searchPage(rows, table, from, () => true)
  const isLast = nextScore === undefined && part + 1 === keptTables.length
  const next = nextScore === undefined ? { part: part + 1, from: 0 } : { part, from: nextScore }
  return { ...page, [table]: matches, next: isLast ? undefined : next }
}

/** Adds rows by the steps that write them, if no payment is accepted meanwhile. */
export function importKept({ rows }: StepContext, id: string, kept: KeptRows): KeptImport {
  if (readIntake(rows).kind === 'open') return { kind: 'open' }
  const { audit, holds, tills, aliases } = kept
  const missing = keptTables
    .flatMap((table) => kept[table].map((row) => [table, toKey(table, row)] as const))
    .filter(([table, key]) => rows.row(table, ...key) === undefined)
  for (const entry of audit) recordAction(rows, entry)
  for (const { account } of holds) {
    if (!isHeld(rows, account)) setHold(rows, account as Address, true, `${id}.${account}`)
  }
  const refusedTills = tills.filter((till) => !importTill({ rows }, id, till))
  const pairs = aliases.map(
    ({ account, former }) => [getAddress(account), former as Address] as const,
  )
  const refused = [...refusedTills.map(({ till }) => till), ...keepFormerAccounts(rows, pairs)]
  const added = missing.filter(([table, key]) => rows.row(table, ...key) !== undefined).length
  recordAction(rows, { id, action: 'import', detail: { added: `${added}` } })
  return { kind: 'imported', added, refused }
}

/** Gives a free number its till, removed if it was. Tells whether the account has the number. */
function importTill({ rows }: Pick<StepContext, 'rows'>, id: string, row: Row<'tills'>): boolean {
  const { till, account, name, kind, removed_at } = row
  const known = rows.row('tills', till)
  if (known !== undefined) return known.account === account
  setTill(rows, { id: `${id}.${till}`, till, to: { account, name, kind } })
  if (removed_at !== null) setTill(rows, { id: `${id}.${till}.removed`, till })
  return true
}
