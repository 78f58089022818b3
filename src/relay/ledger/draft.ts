import type { LedgerRules } from './port.ts'
import {
  type AnyRow,
  anyTable,
  type Key,
  keyOf,
  type Listing,
  nameOf,
  placeOf,
  type Row,
  type TableName,
  type View,
  type Write,
} from './rows.ts'

/** A view that a step writes on: its own rows hide those of the store until they are committed. */
export type Draft = {
  /** The store's clock, Unix time in ms: the same throughout a step. */
  readonly now: number
  row: View['row']
  list<Name extends TableName>(listing: Listing<Name>): Row<Name>[]
  put<Name extends TableName>(table: Name, row: Row<Name>): void
  drop(table: TableName, ...key: Key): void
}

/** What a step works on. `relayer` is the address of the key whose nonces are handed out. */
export type At = { rows: Draft; rules: LedgerRules; relayer: string }

/** A step lists rows that were written before it: the store has to commit those first. */
export class ListedTooLate extends Error {
  override readonly name = 'ListedTooLate'
}

/** What was written so far, by the names of rows. */
export type Writes = Map<string, Write>

/** Makes a draft over another one, which it leaves as it is. */
export const draftOver = (rows: Draft, writes: Writes): Draft =>
  createDraft({ row: rows.row, list: (listing) => rows.list(listing) }, rows.now, writes)

/** A draft over a view. What it writes is added to `writes`, which may hold earlier steps' rows. */
export function createDraft(view: View, now: number, writes: Writes): Draft {
  function row<Name extends TableName>(table: Name, ...key: Key): Row<Name> | undefined {
    const written = writes.get(nameOf(table, key))
    return written === undefined ? view.row(table, ...key) : (written.after as Row<Name>)
  }

  function write(table: TableName, key: Key, after: AnyRow | undefined): void {
    const name = nameOf(table, key)
    const written = writes.get(name)
    const before = written === undefined ? view.row(table, ...key) : written.before
    writes.set(name, { table, key, before, after })
  }

  return {
    now,
    row,
    list(listing) {
      const columns = anyTable(listing.table).lists[listing.list]
      if (columns === undefined) throw new Error(`${listing.table} has no list ${listing.list}`)
      const isListed = (row: AnyRow | undefined) =>
        placeOf(columns, row)?.group === (listing.group ?? '')
      for (const { table, before, after } of writes.values()) {
        if (table !== listing.table) continue
        if (isListed(before) || isListed(after)) throw new ListedTooLate(`${table}.${listing.list}`)
      }
      return view.list(listing, now)
    },
    put: (table, after) => write(table, keyOf(table, after), after),
    drop(table, ...key) {
      if (row(table, ...key) !== undefined) write(table, key, undefined)
    },
  }
}
