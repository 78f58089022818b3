import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Rows of the ledger that are not settled, read from its file as it lies there. */
export function openRows(objects: string): Record<string, unknown>[] {
  return databases(objects).flatMap((file) => {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      return database
        .prepare(
          `SELECT 'payment' AS what, state, nonce, attempts FROM payments
             WHERE state IN ('queued', 'signed', 'broadcast', 'mined')
           UNION ALL SELECT 'nonce', state, nonce, 0 FROM nonces
             WHERE state IN ('leased', 'recorded')`,
        )
        .all() as Record<string, unknown>[]
    } catch (error) {
      // No ledger has been opened in this file yet.
      if (error instanceof Error && /no such table/.test(error.message)) return []
      throw error
    } finally {
      database.close()
    }
  })
}

function databases(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[0-9a-f]{64}\.sqlite$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}
