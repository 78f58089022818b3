import { DatabaseSync } from 'node:sqlite'
import type { Sql, SqlValue } from '../../src/relay/ledger/stores/sqlite.ts'

/** Opens the ledger's SQL on node:sqlite, in memory without a file. */
export function openSqlite(path = ':memory:'): Sql {
  const database = new DatabaseSync(path)
  const statements = new Map<string, ReturnType<typeof database.prepare>>()
  const prepare = (query: string) => {
    const known = statements.get(query)
    if (known !== undefined) return known
    const statement = database.prepare(query)
    statements.set(query, statement)
    return statement
  }
  return {
    exec: <Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]) =>
      prepare(query).all(...bindings) as Row[],
    transaction(work) {
      database.exec('BEGIN')
      try {
        const result = work()
        database.exec('COMMIT')
        return result
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  }
}
