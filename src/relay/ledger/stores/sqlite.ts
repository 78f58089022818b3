import { createDraft, type LedgerRules, type Writes } from '../draft.ts'
import {
  type AnyRow,
  assertSchema,
  getTable,
  type Key,
  type Listing,
  parseRow,
  type Row,
  schemaWrite,
  type TableName,
  tableNames,
  toKey,
  toRowName,
  type View,
  type Write,
} from '../rows.ts'
import { createLedgerPort, type Ledger, runStep } from '../steps.ts'
import type { Sql, SqlValue } from './sql.ts'

/** Has the ledger's methods synchronous, so that no other call runs within one. */
export type SqlLedger = {
  [Method in keyof Ledger]: (
    ...args: Parameters<Ledger[Method]>
  ) => Awaited<ReturnType<Ledger[Method]>>
}

type SqlLedgerOptions = {
  rules: LedgerRules
  relayer: string
  /** Returns the storage's time (Unix ms), the ledger's only clock: those of Workers may differ. */
  now: () => number
}

/** Limits the rows in the cache, of 1 to 3 kB each. */
const maxCachedRows = 4_000

/** Maps names to rows as the database has them; undefined if it has no row of this name. */
type RowCache = Map<string, AnyRow | undefined>

/**
 * Creates the ledger on SQLite. A method's writes are one transaction, and nothing runs between its
 * reads and writes. No other writer may use the database, since cached rows are not read again.
 */
export function createSqlLedger(sql: Sql, { rules, relayer, now }: SqlLedgerOptions): SqlLedger {
  sql.transaction(() => openTables(sql))
  const cachedRows: RowCache = new Map()
  const view = createSqlView(sql, cachedRows)

  return createLedgerPort<SqlLedger>((method, args) => {
    if (cachedRows.size > maxCachedRows) cachedRows.clear()
    const writes: Writes = new Map()
    const rows = createDraft(view, now(), writes)
    const answer = runStep({ rows, rules, relayer }, method, args)
    if (writes.size === 0) return answer
    sql.transaction(() => {
      for (const write of writes.values()) writeRow(sql, write)
    })
    for (const [name, { after }] of writes) cachedRows.set(name, after)
    return answer
  })
}

/** Creates missing tables. @throws {Error} another version has written the ledger */
function openTables(sql: Sql): void {
  createTables(sql)
  const [schemaRow] = sql.exec<{ row: string }>(statements.meta.selectRow, 'schema')
  if (schemaRow === undefined) writeRow(sql, schemaWrite)
  else assertSchema(JSON.parse(schemaRow.row))
}

/** Creates the tables and indexes of `rows.ts`, unless they exist. */
function createTables(sql: Sql): void {
  for (const name of tableNames) {
    const { key, lists } = getTable(name)
    const columns = [...listStoredColumns(name), 'row'].join(', ')
    const primaryKey = `PRIMARY KEY (${key.join(', ')})`
    sql.exec(`CREATE TABLE IF NOT EXISTS ${name} (${columns}, ${primaryKey}) WITHOUT ROWID`)
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

/** Lists the columns of the key and the lists. The column `row` holds the whole row as JSON. */
function listStoredColumns(name: TableName): readonly string[] {
  const { key, lists } = getTable(name)
  const listColumns = Object.values(lists).flatMap(({ group, score }) => [group ?? score, score])
  return [...new Set([...key, ...listColumns])]
}

function createStatements(table: TableName) {
  const columns = listStoredColumns(table)
  const equalsKey = getTable(table)
    .key.map((column) => `${column} = ?`)
    .join(' AND ')
  const insertRow = `INSERT INTO ${table} VALUES (${columns.map(() => '?, ').join('')}?)`
  return { columns, equalsKey, insertRow, selectRow: `SELECT row FROM ${table} WHERE ${equalsKey}` }
}

const statements = Object.fromEntries(
  tableNames.map((table) => [table, createStatements(table)]),
) as Record<TableName, ReturnType<typeof createStatements>>

const listQueries = new Map<string, string>()
const updateQueries = new Map<string, string>()

function getCachedQuery(queries: Map<string, string>, id: string, build: () => string): string {
  const query = queries.get(id) ?? build()
  queries.set(id, query)
  return query
}

function createSqlView(sql: Sql, cachedRows: RowCache): View {
  return {
    row<Name extends TableName>(table: Name, ...key: Key) {
      const name = toRowName(table, key)
      if (!cachedRows.has(name)) {
        const [stored] = sql.exec<{ row: string }>(statements[table].selectRow, ...key)
        cachedRows.set(name, stored && parseRow(table, stored.row))
      }
      return cachedRows.get(name) as Row<Name> | undefined
    },
    list<Name extends TableName>(listing: Listing<Name>, now: number) {
      const { table, list, group, from = Number.MIN_SAFE_INTEGER, olderThanMs, before } = listing
      const id = `${table} ${list} ${listing.newest} ${listing.limit}`
      const query = getCachedQuery(listQueries, id, () => buildListQuery(listing))
      const end = olderThanMs === undefined ? before : now - olderThanMs
      const range = [from, end === undefined ? Number.MAX_SAFE_INTEGER : end - 1]
      const bindings = group === undefined ? range : [group, ...range]
      const results = sql.exec<Record<string, SqlValue> & { row: string }>(query, ...bindings)
      return results.map((columns) => {
        const name = toRowName(table, toKey(table, columns))
        const row = cachedRows.get(name) ?? parseRow(table, columns.row)
        cachedRows.set(name, row)
        return row as Row<Name>
      })
    },
  }
}

/** Builds a list's query. Its limit is text: if bound, SQLite would plan the query each time. */
function buildListQuery<Name extends TableName>(listing: Listing<Name>): string {
  const { table, list, newest, limit } = listing
  const { key, lists } = getTable(table)
  const columns = lists[list]
  if (columns === undefined) throw new Error(`${table} has no list ${list}`)
  const { group, score } = columns
  const direction = newest === true ? 'DESC' : 'ASC'
  const order = [...new Set([score, ...key])].map((column) => `${column} ${direction}`).join(', ')
  return `SELECT ${key.join(', ')}, row FROM ${table}
    WHERE ${group === undefined ? '' : `${group} = ? AND `}${score} BETWEEN ? AND ?
    ORDER BY ${order} LIMIT ${Number(limit)}`
}

/** Writes a row. An update sets only the changed columns, as each one updates its indexes. */
function writeRow(sql: Sql, { table, key, before, after }: Write): void {
  const { columns, equalsKey, insertRow } = statements[table]
  if (after === undefined) {
    if (before !== undefined) sql.exec(`DELETE FROM ${table} WHERE ${equalsKey}`, ...key)
    return
  }
  const row = JSON.stringify(after)
  const toCell = (column: string) => (after[column] ?? null) as SqlValue
  if (before === undefined) {
    sql.exec(insertRow, ...columns.map(toCell), row)
    return
  }
  const changed = columns.filter((column) => after[column] !== before[column])
  const update = getCachedQuery(updateQueries, `${table} ${changed}`, () => {
    const assignments = changed.map((column) => `${column} = ?, `).join('')
    return `UPDATE ${table} SET ${assignments}row = ? WHERE ${equalsKey}`
  })
  sql.exec(update, ...changed.map(toCell), row, ...key)
}
