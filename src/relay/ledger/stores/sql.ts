/** Holds what SQLite keeps. Amounts in wei are text: they outgrow its 64-bit integers. */
export type SqlValue = string | number | null

/** Runs a synchronous SQLite database: a Durable Object's storage, or node:sqlite. */
export type Sql = {
  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[]
  /** Does all of the work or nothing. */
  transaction<Result>(work: () => Result): Result
}
