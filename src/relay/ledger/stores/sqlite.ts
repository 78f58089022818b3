import { createDraft, type Writes } from '../draft.ts'
import { createLedgerPort, runStep } from '../methods.ts'
import type { Ledger, LedgerRules } from '../port.ts'
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
import type { Sql, SqlValue } from './sql.ts'

/** Has every method synchronous: no other call can run between its reads and writes. */
export type SqlLedger = {
  [Method in keyof Ledger]: (
    ...args: Parameters<Ledger[Method]>
  ) => Awaited<ReturnType<Ledger[Method]>>
}

export type SqlLedgerOptions = {
  rules: LedgerRules
  relayer: string
  /**
   * Returns the storage's time in ms: the only clock of the ledger, so Workers' clocks may differ.
   */
  now: () => number
}

/** Limits the rows in the cache, of 1 to 3 kB each. */
const maxCachedRows = 4_000

/** Maps names to the database's rows; a name without a row is known to have none. */
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
  const [schemaRow] = sql.exec<{ row: string }>(statements.meta.row, 'schema')
  if (schemaRow === undefined) writeRow(sql, schemaWrite)
  else assertSchema(JSON.parse(schemaRow.row))
}

/** Creates tables and indexes as `rows.ts` has them; lists in key order need no index. */
export function createTables(sql: Sql): void {
  for (const name of tableNames) {
    const { key, lists } = getTable(name)
    const columns = [...listStoredColumns(name), 'row'].join(', ')
    const primary = `PRIMARY KEY (${key.join(', ')})`
    sql.exec(`CREATE TABLE IF NOT EXISTS ${name} (${columns}, ${primary}) WITHOUT ROWID`)
    for (const [list, { group, score }] of Object.entries(lists)) {
      const order = [...new Set([group ?? score, score, ...key])]
      if ([...order].sort().join() === [...key].sort().join()) continue
      const where = group === undefined ? '' : ` WHERE ${group} IS NOT NULL`
      sql.exec(
        `CREATE INDEX IF NOT EXISTS ${name}_${list} ON ${name} (${order.join(', ')})${where}`,
      )
    }
  }
}

/** Returns the columns that keys and lists need; the whole row is beside them as JSON. */
function listStoredColumns(name: TableName): readonly string[] {
  const { key, lists } = getTable(name)
  const listColumns = Object.values(lists).flatMap(({ group, score }) => [group ?? score, score])
  return [...new Set([...key, ...listColumns])]
}

const statements = Object.fromEntries(
  tableNames.map((name) => {
    const columns = listStoredColumns(name)
    const byKey = getTable(name)
      .key.map((column) => `${column} = ?`)
      .join(' AND ')
    const insert = `INSERT INTO ${name} VALUES (${columns.map(() => '?, ').join('')}?)`
    return [name, { columns, byKey, insert, row: `SELECT row FROM ${name} WHERE ${byKey}` }]
  }),
) as Record<TableName, { columns: readonly string[]; byKey: string; insert: string; row: string }>

/** Caches the texts of queries, by all that makes them differ. */
const listQueries = new Map<string, string>()
const updateQueries = new Map<string, string>()

function getQuery(queries: Map<string, string>, id: string, build: () => string): string {
  const query = queries.get(id) ?? build()
  queries.set(id, query)
  return query
}

function createSqlView(sql: Sql, cachedRows: RowCache): View {
  return {
    row<Name extends TableName>(table: Name, ...key: Key) {
      const name = toRowName(table, key)
      if (!cachedRows.has(name)) {
        const [stored] = sql.exec<{ row: string }>(statements[table].row, ...key)
        cachedRows.set(name, stored && parseRow(table, stored.row))
      }
      return cachedRows.get(name) as Row<Name> | undefined
    },
    list<Name extends TableName>(listing: Listing<Name>, now: number) {
      const { table, list, group, from = Number.MIN_SAFE_INTEGER, olderThanMs, before } = listing
      const id = `${table} ${list} ${listing.newest} ${listing.limit}`
      const query = getQuery(listQueries, id, () => buildListQuery(listing))
      const limit = olderThanMs === undefined ? before : now - olderThanMs
      const range = [from, limit === undefined ? Number.MAX_SAFE_INTEGER : limit - 1]
      const results = sql.exec<Record<string, SqlValue> & { row: string }>(
        ...[query, ...(group === undefined ? range : [group, ...range])],
      )
      return results.map((columns) => {
        const name = toRowName(table, toKey(table, columns))
        const row = cachedRows.get(name) ?? parseRow(table, columns.row)
        cachedRows.set(name, row)
        return row as Row<Name>
      })
    },
  }
}

/** Builds a query with its limit as text: if it were bound, SQLite would plan each query anew. */
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

/** Writes only changed columns, because each one that is set updates its indexes. */
export function writeRow(sql: Sql, { table, key, before, after }: Write): void {
  const { columns, byKey, insert } = statements[table]
  if (after === undefined) {
    if (before !== undefined) sql.exec(`DELETE FROM ${table} WHERE ${byKey}`, ...key)
    return
  }
  const row = JSON.stringify(after)
  const toCell = (column: string) => (after[column] ?? null) as SqlValue
  if (before === undefined) {
    sql.exec(insert, ...columns.map(toCell), row)
    return
  }
  const changed = columns.filter((column) => after[column] !== before[column])
  const update = getQuery(updateQueries, `${table} ${changed}`, () => {
    const cells = changed.map((column) => `${column} = ?, `).join('')
    return `UPDATE ${table} SET ${cells}row = ? WHERE ${byKey}`
  })
  sql.exec(update, ...changed.map(toCell), row, ...key)
}
