/** Holds a value of SQLite. Amounts in wei are text, because they exceed its 64-bit integers. */
export type SqlValue = string | number | null

/** Runs a synchronous SQLite database: a Durable Object's storage, or node:sqlite. */
export type Sql = {
  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[]
  /** Runs work in one transaction, which is undone if the work throws. */
  transaction<Result>(work: () => Result): Result
}
