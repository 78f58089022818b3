import {
  type AnyRow,
  anyTable,
  type Listing,
  placeOf,
  type Row,
  type TableName,
  type View,
  type Write,
} from './rows.ts'

/** A view that a step writes on: its own rows hide those of the store until they are committed. */
export type Draft = View & {
  /** The store's clock, Unix time in ms: the same throughout a step. */
  readonly now: number
  put<Name extends TableName>(table: Name, row: Row<Name>): void
  drop<Name extends TableName>(table: Name, ...key: (string | number)[]): void
}

/** A step lists rows that were written before it: the store has to commit those first. */
export class ListedTooLate extends Error {
  override readonly name = 'ListedTooLate'
}

/** What was written so far, by table and key. */
export type Writes = Map<string, Write>

/** A draft over a view. What it writes is added to `writes`, which may hold earlier steps' rows. */
export function createDraft(view: View, now: number, writes: Writes): Draft {
  const nameOf = (table: TableName, key: readonly (string | number)[]) => [table, ...key].join(':')

  const read = new Map<string, AnyRow | undefined>()

  /** As the store has it; asked once. */
  function stored(
    table: TableName,
    key: readonly (string | number)[],
    name: string,
  ): AnyRow | undefined {
    if (!read.has(name)) read.set(name, view.row(table, ...key))
    return read.get(name)
  }

  function row<Name extends TableName>(table: Name, ...key: (string | number)[]) {
    const name = nameOf(table, key)
    const written = writes.get(name)
    const found = written === undefined ? stored(table, key, name) : written.after
    return found as Row<Name> | undefined
  }

  function write(table: TableName, key: (string | number)[], after: AnyRow | undefined): void {
    const name = nameOf(table, key)
    const before = writes.has(name) ? writes.get(name)?.before : stored(table, key, name)
    writes.set(name, { table, key, before, after })
  }

  return {
    now,
    row,
    list<Name extends TableName>(listing: Listing<Name>): Row<Name>[] {
      const list = anyTable(listing.table).lists[listing.list]
      if (list === undefined) throw new Error(`${listing.table} has no list ${listing.list}`)
      for (const { table, before, after } of writes.values()) {
        if (table !== listing.table) continue
        const groups = [before, after].map((each) => placeOf(list, each)?.group)
        if (groups.includes(listing.group ?? ''))
          throw new ListedTooLate(`${table}.${listing.list}`)
      }
      return view.list(listing)
    },
    put(table, after) {
      const key = anyTable(table).key.map((column) => (after as AnyRow)[column] as string | number)
      write(table, key, after)
    },
    drop(table, ...key) {
      if (row(table, ...key) !== undefined) write(table, key, undefined)
    },
  }
}
