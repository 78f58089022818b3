import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const lockedForMs = 5_000

/** Reads the unsettled rows of the ledger directly from its file. */
export function openRows(objects: string): Record<string, unknown>[] {
  const files = ledgerFiles(objects).filter((file) => file.endsWith('.sqlite'))
  return files.flatMap((file) => {
    using database = new DatabaseSync(file, { readOnly: true, timeout: lockedForMs })
    try {
      return database
        .prepare(
          `SELECT 'payment' AS what, row ->> 'state' AS state, row ->> 'nonce' AS nonce FROM payments
             WHERE phase <> 'settled'
           UNION ALL SELECT 'nonce', NULL, value ->> 0 FROM relayers, json_each(row, '$.open')`,
        )
        .all() as Record<string, unknown>[]
    } catch (error) {
      // No ledger has been opened in this file yet.
      if (error instanceof Error && /no such table/.test(error.message)) return []
      throw error
    }
  })
}

/** Lists the files with the ledgers' rows. */
export function ledgerFiles(objects: string): string[] {
  return readdirSync(objects, { recursive: true, withFileTypes: true })
    .filter(
      ({ name, parentPath }) =>
        /^[0-9a-f]{64}\.sqlite/.test(name) && /LedgerObject$/.test(parentPath),
    )
    .map((entry) => join(entry.parentPath, entry.name))
}
