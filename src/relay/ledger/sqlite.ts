import { createDraft, type Writes } from './draft.ts'
import { migrateSql } from './migrate.ts'
import type { Ledger, LedgerRules } from './port.ts'
import {
  type AnyTable,
  anyTable,
  type Listing,
  type Row,
  type TableName,
  tables,
  type View,
  type Write,
} from './rows.ts'
import type { Sql, SqlValue } from './sql.ts'
import { type LedgerMethod, ledgerMethods, runStep } from './steps.ts'

/** Every method of the port, synchronous: nothing can fall between its reads and writes. */
export type SqlLedger = {
  [Method in keyof Ledger]: (
    ...args: Parameters<Ledger[Method]>
  ) => Awaited<ReturnType<Ledger[Method]>>
}

export type SqlLedgerOptions = {
  rules: LedgerRules
  /** Address of the key whose nonces are handed out. */
  relayer: string
  /** This storage's clock in ms: leases are measured by it alone, so no two Workers' clocks have to agree. */
  now: () => number
}

/** The ledger on SQLite. A method is one transaction: a throw takes back what it wrote. */
export function createSqlLedger(sql: Sql, { rules, relayer, now }: SqlLedgerOptions): SqlLedger {
  sql.transaction(() => migrateSql(sql, { relayer, rules, now: now(), createTables, apply }))
  const view = sqlView(sql)

  function run(method: LedgerMethod, args: readonly unknown[]): unknown {
    return sql.transaction(() => {
      const writes: Writes = new Map()
      const rows = createDraft(view, now(), writes)
      const answer = runStep({ rows, rules, relayer }, method, args)
      for (const write of writes.values()) apply(sql, write)
      return answer
    })
  }

  const methods = ledgerMethods.map((method) => [
    method,
    (...args: readonly unknown[]) => run(method, args),
  ])
  return Object.fromEntries(methods) as SqlLedger
}

/**
 * Tables and indexes as `rows.ts` has them. A row is JSON; what it is found by stands beside it. A
 * list that is in the order of its key needs no index.
 */
export function createTables(sql: Sql): void {
  for (const name of Object.keys(tables) as TableName[]) {
    const { key, lists } = anyTable(name)
    const columns = [...statements[name].columns, 'row'].join(', ')
    // Rows of a kilobyte and more: in a table without row ids they would fill pages of their own.
    const isLarge = name === 'payments' || name === 'transactions'
    sql.exec(
      `CREATE TABLE IF NOT EXISTS ${name} (${columns}, PRIMARY KEY (${key.join(', ')}))${isLarge ? '' : ' WITHOUT ROWID'}`,
    )
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

/** What rows are found by. */
function columnsOf({ key, lists }: AnyTable): string[] {
  const listed = Object.values(lists).flatMap(({ group, score }) => [group ?? score, score])
  return [...new Set([...key, ...listed])]
}

/** What is asked of each table, in SQL. */
type Statements = {
  columns: readonly string[]
  byKey: string
  row: string
  insert: string
  /** By list: the oldest first, and the newest. */
  lists: Readonly<Record<string, { oldest: string; newest: string; isGrouped: boolean }>>
}

const statements = Object.fromEntries(
  (Object.keys(tables) as TableName[]).map((name) => [name, statementsOf(name)]),
) as Record<TableName, Statements>

function statementsOf(name: TableName): Statements {
  const table = anyTable(name)
  const columns = columnsOf(table)
  const byKey = table.key.map((column) => `${column} = ?`).join(' AND ')
  const lists = Object.entries(table.lists).map(([list, { group, score }]) => {
    const where = group === undefined ? '' : `${group} = ? AND `
    const ordered = (direction: 'ASC' | 'DESC') => {
      const order = [...new Set([score, ...table.key])].map((each) => `${each} ${direction}`)
      return `SELECT row FROM ${name} WHERE ${where}${score} BETWEEN ? AND ?
        ORDER BY ${order.join(', ')} LIMIT ?`
    }
    const both = { oldest: ordered('ASC'), newest: ordered('DESC') }
    return [list, { ...both, isGrouped: group !== undefined }]
  })
  return {
    ...{ columns, byKey, lists: Object.fromEntries(lists) },
    row: `SELECT row FROM ${name} WHERE ${byKey}`,
    insert: `INSERT INTO ${name} VALUES (${columns.map(() => '?, ').join('')}?)`,
  }
}

function sqlView(sql: Sql): View {
  const parse = <Name extends TableName>(name: Name, row: string) =>
    anyTable(name).row.parse(JSON.parse(row)) as Row<Name>

  return {
    row<Name extends TableName>(name: Name, ...key: (string | number)[]) {
      const [found] = sql.exec<{ row: string }>(statements[name].row, ...key)
      return found && parse(name, found.row)
    },
    list<Name extends TableName>({ table: name, list, group = '', ...range }: Listing<Name>) {
      const statement = statements[name].lists[list]
      if (statement === undefined) throw new Error(`${name} has no list ${list}`)
      const { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER, limit } = range
      const found = sql.exec<{ row: string }>(
        range.newest === true ? statement.newest : statement.oldest,
        ...[...(statement.isGrouped ? [group] : []), from, to, limit],
      )
      return found.map(({ row }) => parse(name, row))
    },
  }
}

/** Writes what differs: a column that stays as it was costs no index. */
export function apply(sql: Sql, { table: name, key, before, after }: Write): void {
  const { columns, byKey, insert } = statements[name]
  if (after === undefined) {
    if (before !== undefined) sql.exec(`DELETE FROM ${name} WHERE ${byKey}`, ...key)
    return
  }
  const row = JSON.stringify(after)
  const cellOf = (column: string) => (after[column] ?? null) as SqlValue
  if (before === undefined) {
    sql.exec(insert, ...columns.map(cellOf), row)
    return
  }
  const changed = columns.filter((column) => after[column] !== before[column])
  const cells = changed.map((column) => `${column} = ?, `).join('')
  sql.exec(
    `UPDATE ${name} SET ${cells}row = ? WHERE ${byKey}`,
    ...[...changed.map(cellOf), row, ...key],
  )
}
