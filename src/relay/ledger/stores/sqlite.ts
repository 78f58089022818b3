import { createRecent, type Recent } from '../../../runtime/recent.ts'
import { createDraft, type LedgerRules, type Writes } from '../draft.ts'
import { createLedgerPort, type LedgerParts, runStep, type Steps, type SyncPort } from '../port.ts'
import {
  type AnyListing,
  type AnyRow,
  assertSchema,
  getTable,
  type Key,
  parseRow,
  schemaWrite,
  type Tables,
  toKey,
  toRowName,
  type View,
  type Write,
} from '../rows.ts'

type SqlLedgerOptions<Any extends Steps> = LedgerParts<Any> & {
  rules: LedgerRules
  relayer: string
  /** Returns the storage's time (Unix ms), the ledger's only clock: those of Workers may differ. */
  now: () => number
}

/** Limits the rows in the cache, of 1 to 3 kB each. */
const maxCachedRows = 4_000

/**
 * Creates the ledger on SQLite. A method's writes are one transaction, and nothing runs between its
 * reads and writes. No other writer may use the database, since cached rows are not read again.
 */
export function createSqlLedger<Any extends Steps>(
  sql: Sql,
  { steps, tables, rules, relayer, now }: SqlLedgerOptions<Any>,
): SyncPort<Any> {
  const statements = writeStatements(tables)
  sql.transaction(() => openTables(sql, tables, statements))
  /** Maps names to rows as the database has them; undefined if it has no row of this name. */
  const cachedRows = createRecent<AnyRow | undefined>(maxCachedRows)
  const emptyTables = new Set(Object.keys(tables).filter((table) => isEmpty(sql, table)))
  const view = createSqlView(sql, { tables, statements }, cachedRows, emptyTables)

  return createLedgerPort(steps, (method, args) => {
    const writes: Writes = new Map()
    const rows = createDraft(tables, view, now(), writes)
    const answer = runStep(steps, { rows, rules, relayer }, method, args)
    if (writes.size === 0) return answer
    sql.transaction(() => {
      for (const write of writes.values()) {
        emptyTables.delete(write.table)
        writeRow(sql, statements, write)
      }
    })
    for (const [name, { after }] of writes) cachedRows.set(name, after)
    return answer
  }) as unknown as SyncPort<Any>
}

const isEmpty = (sql: Sql, table: string): boolean =>
  sql.exec(`SELECT 1 FROM ${table} LIMIT 1`).length === 0

/** Creates missing tables. @throws {Error} another version has written the ledger */
function openTables(sql: Sql, tables: Tables, statements: Statements): void {
  createTables(sql, tables, statements)
  const [schemaRow] = selectRow(sql, statements, 'meta', ['schema'])
  if (schemaRow === undefined) writeRow(sql, statements, schemaWrite)
  else assertSchema(JSON.parse(schemaRow.row))
}

function createTables(sql: Sql, tables: Tables, statements: Statements): void {
  for (const [name, { key, lists, isLarge }] of Object.entries(tables)) {
    const columns = [...statements(name).columns, 'row'].join(', ')
    const primaryKey = `PRIMARY KEY (${key.join(', ')})`
    // Without rowids its inner pages hold whole rows: of large ones a few each (sqlite.org/
    // withoutrowid.html). With rowids an insert writes one more entry, the key's.
    const form = isLarge ? '' : ' WITHOUT ROWID'
    sql.exec(`CREATE TABLE IF NOT EXISTS ${name} (${columns}, ${primaryKey})${form}`)
    for (const [list, { group, score }] of Object.entries(lists)) {
      const indexed = [...new Set([group ?? score, score, ...key])]
      // The primary key is an index of these columns already.
      if (indexed.length === key.length) continue
      const where = group === undefined ? '' : ` WHERE ${group} IS NOT NULL`
      sql.exec(
        `CREATE INDEX IF NOT EXISTS ${name}_${list} ON ${name} (${indexed.join(', ')})${where}`,
      )
    }
  }
}

/** Holds the texts of a table's statements: to write them anew costs as much as to run them. */
type TableStatements = {
  /** Lists the columns of the key and the lists. The column `row` holds the whole row as JSON. */
  columns: readonly string[]
  select: string
  insert: string
  /** Ends a statement about one row. */
  where: string
}

type Statements = (table: string) => TableStatements

/** Returns a function that gives a table's statements. @throws {Error} there is no such table */
function writeStatements(tables: Tables): Statements {
  const written = new Map<string, TableStatements>()
  return (name) => {
    const known = written.get(name)
    if (known !== undefined) return known
    const { key, lists } = getTable(tables, name)
    const listColumns = Object.values(lists).flatMap(({ group, score }) => [group ?? score, score])
    const columns = [...new Set([...key, ...listColumns])]
    const where = `WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`
    const select = `SELECT row FROM ${name} ${where}`
    const insert = `INSERT INTO ${name} VALUES (${columns.map(() => '?, ').join('')}?)`
    written.set(name, { columns, select, insert, where })
    return { columns, select, insert, where }
  }
}

const selectRow = (sql: Sql, statements: Statements, name: string, key: Key) =>
  sql.exec<{ row: string }>(statements(name).select, ...key)

function createSqlView(
  sql: Sql,
  { tables, statements }: { tables: Tables; statements: Statements },
  cachedRows: Recent<AnyRow | undefined>,
  /** Holds tables in which no row was ever written: they are not read. */
  emptyTables: ReadonlySet<string>,
): View {
  return {
    row(table, ...key) {
      if (emptyTables.has(table)) return undefined
      const name = toRowName(table, key)
      const cached = cachedRows.get(name)
      if (cached !== undefined || cachedRows.has(name)) return cached
      const [stored] = selectRow(sql, statements, table, key)
      const row = stored && parseRow(getTable(tables, table), stored.row)
      cachedRows.set(name, row)
      return row
    },
    list(listing, now) {
      const { group, from = Number.MIN_SAFE_INTEGER, olderThanMs, before } = listing
      if (emptyTables.has(listing.table)) return []
      const table = getTable(tables, listing.table)
      const end = olderThanMs === undefined ? before : now - olderThanMs
      const range = [from, end === undefined ? Number.MAX_SAFE_INTEGER : end - 1]
      const bindings = group === undefined ? range : [group, ...range]
      const read = (columns: readonly string[]) =>
        sql.exec<Record<string, SqlValue>>(buildListQuery(tables, listing, columns), ...bindings)
      const nameRow = (columns: AnyRow) => toRowName(listing.table, toKey(table, columns))
      // A list's index has the keys: rows that are all in the cache are not read.
      const names = read(table.key).map(nameRow)
      const cached = names.flatMap<AnyRow>((name) => cachedRows.get(name) ?? [])
      if (cached.length === names.length) return cached
      return read([...table.key, 'row']).map((columns) => {
        const name = nameRow(columns)
        const row = cachedRows.get(name) ?? parseRow(table, `${columns.row}`)
        cachedRows.set(name, row)
        return row
      })
    },
  }
}

/** Builds a list's query. Its limit is text: if bound, SQLite would plan the query each time. */
function buildListQuery(
  tables: Tables,
  { table, list, newest, limit }: AnyListing,
  selected: readonly string[],
): string {
  const { key, lists } = getTable(tables, table)
  const columns = lists[list]
  if (columns === undefined) throw new Error(`${table} has no list ${list}`)
  const { group, score } = columns
  const direction = newest === true ? 'DESC' : 'ASC'
  const order = [...new Set([score, ...key])].map((column) => `${column} ${direction}`).join(', ')
  return `SELECT ${selected.join(', ')} FROM ${table}
    WHERE ${group === undefined ? '' : `${group} = ? AND `}${score} BETWEEN ? AND ?
    ORDER BY ${order} LIMIT ${Number(limit)}`
}

/** Writes a row. An update sets only the changed columns, as each one updates its indexes. */
function writeRow(sql: Sql, statements: Statements, { table, key, before, after }: Write): void {
  const { columns, insert, where } = statements(table)
  if (after === undefined) {
    if (before !== undefined) sql.exec(`DELETE FROM ${table} ${where}`, ...key)
    return
  }
  const row = JSON.stringify(after)
  const toCell = (column: string) => (after[column] ?? null) as SqlValue
  if (before === undefined) {
    sql.exec(insert, ...columns.map(toCell), row)
    return
  }
  const changed = columns.filter((column) => after[column] !== before[column])
  const assignments = changed.map((column) => `${column} = ?, `).join('')
  sql.exec(
    `UPDATE ${table} SET ${assignments}row = ? ${where}`,
    ...changed.map(toCell),
    row,
    ...key,
  )
}

/** Holds a value of SQLite. Amounts in wei are text, because they exceed its 64-bit integers. */
export type SqlValue = string | number | null

/** Runs a synchronous SQLite database: a Durable Object's storage, or node:sqlite. */
export type Sql = {
  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[]
  /** Runs work in one transaction, which is undone if the work throws. */
  transaction<Result>(work: () => Result): Result
}
