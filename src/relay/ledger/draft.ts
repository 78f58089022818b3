import { type PoolRules, poolRules } from '../../chain/chains.ts'
import {
  type AnyRow,
  getListPosition,
  getTable,
  type Key,
  type Listing,
  type RowIn,
  type Tables,
  type tables,
  toKey,
  toRowName,
  type View,
  type Write,
} from './rows.ts'

export const ledgerRules = {
  /**
   * Sets how long a nonce stays unused that a foreign transaction has. RSKj's pool drops one after
   * 650 s: by then unknown ones are in a block or gone.
   */
  displacedMs: 15 * 60 * 1000,
  /** Limits the transactions that carry a payment without effect; then it only waits to expire. */
  maxAttempts: 8,
  /**
   * Sets how long a session's answer is stored. The forwarder refuses a spent id for 7 days; a day
   * more covers clocks and pauses.
   */
  retentionMs: 8 * 24 * 60 * 60 * 1000,
  /** Sets how long a settled payment's outcome is kept; longer than its row. */
  historyMs: 90 * 24 * 60 * 60 * 1000,
  alertEndMs: poolRules.rootstock.alertEndMs,
  /** Tells whether the store may lose its last commits, as a Redis whose replica takes over. */
  canLoseTail: false,
  /** Tells whether the lender's own system is told of what happens to accounts. */
  tellsEvents: false,
}

export type LedgerRules = typeof ledgerRules &
  Pick<PoolRules, 'maxInFlight' | 'watchBlocks' | 'accountStateMs'>

/** Gives a step the store's rows with the step's own writes, which are not committed yet. */
export type Draft<All extends Tables = typeof tables> = {
  /** Gives the Unix time in ms by the store's clock, constant during a step. */
  readonly now: number
  readonly tables: Tables
  row<Name extends keyof All & string>(table: Name, ...key: Key): RowIn<All, Name> | undefined
  list<Name extends keyof All & string>(listing: Listing<Name, All>): RowIn<All, Name>[]
  put<Name extends keyof All & string>(table: Name, row: RowIn<All, Name>): void
  /** Adds a row that no store can have yet: it is neither read nor compared. */
  add<Name extends keyof All & string>(table: Name, row: RowIn<All, Name>): void
  drop(table: keyof All & string, ...key: Key): void
  /** Lists the rows of a table that this step has written: as it found them, and as they are. */
  changes<Name extends keyof All & string>(
    table: Name,
  ): { before: RowIn<All, Name> | undefined; after: RowIn<All, Name> | undefined }[]
  /** Returns a row that another row names. That it is missing is a fault, which is recorded. */
  named<Name extends keyof All & string>(table: Name, ...key: Key): RowIn<All, Name> | undefined
  /** Holds the names of rows that others name, and that are missing. */
  readonly missing: Set<string>
}

/** Holds what a step works on; `relayer` is the address whose nonces are assigned. */
export type StepContext = { rows: Draft; rules: LedgerRules; relayer: string }

/** Reports that a step lists rows which were written but not committed: stores list only others. */
export class UncommittedListError extends Error {
  override readonly name = 'UncommittedListError'
}

export type Writes = Map<string, Write>

/** Creates a draft over a view. It adds to `writes`, which may have those of earlier steps. */
export function createDraft(tables: Tables, view: View, now: number, writes: Writes): Draft {
  const missing = new Set<string>()
  function row(table: string, ...key: Key): AnyRow | undefined {
    const ownWrite = writes.get(toRowName(table, key))
    return ownWrite === undefined ? view.row(table, ...key) : ownWrite.after
  }

  function toUnchanged(table: string, key: Key): Write {
    const stored = view.row(table, ...key)
    return { table, key, before: stored, after: stored }
  }

  /** Maps the names of rows that this step has written to what it found there. */
  const found = new Map<string, AnyRow | undefined>()

  function write(table: string, key: Key, after: AnyRow | undefined): void {
    const name = toRowName(table, key)
    const ownWrite = writes.get(name) ?? toUnchanged(table, key)
    if (!found.has(name)) found.set(name, ownWrite.after)
    writes.set(name, { ...ownWrite, after })
  }

  const draft: Draft<Tables> = {
    now,
    tables,
    row,
    list(listing) {
      const columns = getTable(tables, listing.table).lists[listing.list]
      if (columns === undefined) throw new Error(`${listing.table} has no list ${listing.list}`)
      const isListed = (row: AnyRow | undefined) =>
        getListPosition(columns, row)?.group === (listing.group ?? '')
      for (const { table, before, after } of writes.values()) {
        if (table !== listing.table) continue
        if (isListed(before) || isListed(after))
          throw new UncommittedListError(`${table}.${listing.list}`)
      }
      return view.list(listing, now, missing)
    },
    put: (table, after) => write(table, toKey(getTable(tables, table), after), after),
    add(table, after) {
      const key = toKey(getTable(tables, table), after)
      const name = toRowName(table, key)
      if (!found.has(name)) found.set(name, undefined)
      writes.set(name, { table, key, before: writes.get(name)?.before, after })
    },
    changes: (table) =>
      [...found].flatMap(([name, before]) => {
        const write = writes.get(name)
        return write?.table === table ? [{ before, after: write.after }] : []
      }),
    drop(table, ...key) {
      if (row(table, ...key) !== undefined) write(table, key, undefined)
    },
    named(table, ...key) {
      const found = row(table, ...key)
      if (found === undefined) missing.add(toRowName(table, key))
      return found
    },
    missing,
  }
  return draft as Draft
}

/** Deletes rows that a table's list `age` has for longer than this, at most so many. */
export function dropOld(rows: Draft<Tables>, table: string, olderThanMs: number, limit: number) {
  for (const row of rows.list({ table, list: 'age', olderThanMs, limit }))
    rows.drop(table, ...toKey(getTable(rows.tables, table), row))
}
