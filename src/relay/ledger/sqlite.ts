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
  sql.transaction(() => migrateSql(sql, { relayer, now: now(), createTables, apply }))
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
    const table = anyTable(name)
    const columns = [...columnsOf(table), 'row'].join(', ')
    sql.exec(
      `CREATE TABLE IF NOT EXISTS ${name} (${columns}, PRIMARY KEY (${table.key.join(', ')})) WITHOUT ROWID`,
    )
    for (const [list, { group, score }] of Object.entries(table.lists)) {
      const order = group === undefined ? [score] : [group, score]
      if (order.join() === table.key.join()) continue
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

function sqlView(sql: Sql): View {
  const parse = <Name extends TableName>(name: Name, row: string) =>
    anyTable(name).row.parse(JSON.parse(row)) as Row<Name>

  return {
    row<Name extends TableName>(name: Name, ...key: (string | number)[]) {
      const [found] = sql.exec<{ row: string }>(
        `SELECT row FROM ${name} WHERE ${byKey(anyTable(name))}`,
        ...key,
      )
      return found && parse(name, found.row)
    },
    list<Name extends TableName>({ table: name, list, group, ...range }: Listing<Name>) {
      const { key, lists } = anyTable(name)
      const { group: column, score } = lists[list] ?? { group: undefined, score: '' }
      const { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER, limit } = range
      const direction = range.newest === true ? 'DESC' : 'ASC'
      const order = [...new Set([score, ...key])].map((each) => `${each} ${direction}`).join(', ')
      const found = sql.exec<{ row: string }>(
        `SELECT row FROM ${name} WHERE ${column === undefined ? '' : `${column} = ? AND `}
         ${score} BETWEEN ? AND ? ORDER BY ${order} LIMIT ?`,
        ...[...(column === undefined ? [] : [group ?? '']), from, to, limit],
      )
      return found.map(({ row }) => parse(name, row))
    },
  }
}

const byKey = ({ key }: AnyTable): string => key.map((column) => `${column} = ?`).join(' AND ')

/** Writes what differs: a column that stays as it was costs no index. */
export function apply(sql: Sql, { table: name, key, before, after }: Write): void {
  const table = anyTable(name)
  if (after === undefined) {
    if (before !== undefined) sql.exec(`DELETE FROM ${name} WHERE ${byKey(table)}`, ...key)
    return
  }
  const columns = columnsOf(table)
  const row = JSON.stringify(after)
  const cellOf = (column: string) => (after[column] ?? null) as SqlValue
  if (before === undefined) {
    const places = columns.map(() => '?, ').join('')
    sql.exec(`INSERT INTO ${name} VALUES (${places}?)`, ...columns.map(cellOf), row)
    return
  }
  const changed = columns.filter((column) => after[column] !== before[column])
  sql.exec(
    `UPDATE ${name} SET ${changed.map((column) => `${column} = ?, `).join('')}row = ? WHERE ${byKey(table)}`,
    ...[...changed.map(cellOf), row, ...key],
  )
}
