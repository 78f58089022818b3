import * as z from 'zod/mini'
import type { RedisDatabase } from '../../../runtime/redis.ts'
import type { LedgerRules } from '../port.ts'
import { nameOf, schemaVersion, type Write } from '../rows.ts'
import { fromVersion1, type OldRow, type Version1 } from '../versions/version-1.ts'
import { version1Lua } from './lua.ts'
import { type Commit, commitAttempts, type Load, type LoadQuery } from './redis-rows.ts'
import type { Sql, SqlValue } from './sql.ts'

const schema: Write = {
  ...{ table: 'meta', key: ['schema'], before: undefined },
  after: { name: 'schema', value: schemaVersion },
}

/** What puts rows into a new ledger, and how it makes its tables. */
export type SqlMigration = {
  relayer: string
  rules: LedgerRules
  now: number
  createTables: (sql: Sql) => void
  apply: (sql: Sql, write: Write) => void
}

/**
 * Brings a database to the layout of today, in one transaction with whatever comes first.
 *
 * @throws {Error} a later version has written it
 */
export function migrateSql(
  sql: Sql,
  { relayer, rules, now, createTables, apply }: SqlMigration,
): void {
  const [meta] = sql.exec<{ sql: string }>(`SELECT sql FROM sqlite_master WHERE name = 'meta'`)
  const isOld = meta !== undefined && /\bvalue\b/.test(meta.sql)
  const old = isOld ? readVersion1(sql) : undefined
  if (isOld) for (const table of version1Tables) sql.exec(`DROP TABLE ${table}`)
  createTables(sql)
  const [known] = sql.exec<{ row: string }>(`SELECT row FROM meta WHERE name = 'schema'`)
  if (known !== undefined) {
    assertKnown(JSON.parse(known.row))
    return
  }
  const writes = old === undefined ? [] : fromVersion1(old, { relayer, rules, now })
  for (const write of [...writes, schema]) apply(sql, write)
}

const version1Tables = ['meta', 'sessions', 'payments', 'nonces', 'transactions'] as const

function readVersion1(sql: Sql): Version1 {
  const rowsOf = (table: string) => sql.exec<Record<string, SqlValue>>(`SELECT * FROM ${table}`)
  const meta = rowsOf('meta').map(({ name, value }) => [name, value])
  return {
    meta: Object.fromEntries(meta),
    ...{ sessions: rowsOf('sessions'), payments: rowsOf('payments') },
    ...{ nonces: rowsOf('nonces'), transactions: rowsOf('transactions') },
  }
}

export type RedisMigration = {
  database: RedisDatabase
  relayer: string
  rules: LedgerRules
  keys: readonly string[]
  load: Load
  commit: Commit
}

const asking = (names: readonly string[]): LoadQuery => ({
  ...{ methods: [], lists: new Map() },
  rows: new Set(['meta:schema', ...names]),
})

/** Writes rows while the schema's row is not there; false once it is. */
async function insert({ load, commit }: RedisMigration, rows: readonly Write[]): Promise<boolean> {
  const named = rows.map((write) => [nameOf(write.table, write.key), write] as const)
  const wanted = asking(named.map(([name]) => name))
  for (let attempt = 0; attempt < commitAttempts; attempt++) {
    const loaded = await load(wanted)
    if (loaded.rows.get('meta:schema')?.row !== undefined) return false
    // A migration that ended half-way has written it, and listed it elsewhere perhaps.
    const writes = new Map(
      named.map(([name, write]) => [name, { ...write, before: loaded.rows.get(name)?.row }]),
    )
    if (await commit(loaded, { wanted, writes, dueMs: undefined })) return true
  }
  throw new Error('other processes changed what was migrated again and again')
}

/** Rows that travel at a time. */
const pageSize = 500

/**
 * The same on Redis, where it may end anywhere and begin again, in several processes at a time: the
 * schema's row comes last, and nobody works before it is there. Processes of the version before can
 * claim, record and refuse nothing from the first step on, in a ledger without a row as well.
 *
 * @throws {Error} a later version has written it
 */
export async function migrateRedis(migration: RedisMigration): Promise<void> {
  const { relayer, rules, database, keys, load } = migration
  const script = database.script(version1Lua)
  const ask = async (call: Record<string, unknown>) =>
    z.array(z.unknown()).parse(await script(keys, [JSON.stringify(call)]))
  const { rows: known, now } = await load(asking([]))
  const there = known.get('meta:schema')?.row
  if (there !== undefined) return assertKnown(there)
  const names = z.array(z.string()).parse(await ask({ method: 'close' }))
  const found: [string, OldRow][] = []
  for (const page of pagesOf(names)) {
    const hashes = z.array(z.array(z.string())).parse(await ask({ method: 'read', names: page }))
    for (const [index, hash] of hashes.entries()) {
      // Another process is done already, and has dropped it.
      if (hash.length > 0) found.push([page[index] ?? '', fieldsOf(hash)])
    }
  }
  const writes = names.length === 0 ? [] : fromVersion1(version1Of(found), { relayer, rules, now })
  for (const page of pagesOf(writes)) if (!(await insert(migration, page))) return
  await insert(migration, [schema])
  if (names.length > 0) await ask({ method: 'forget', keptMs: rules.retentionMs })
}

function* pagesOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let index = 0; index < items.length; index += pageSize)
    yield items.slice(index, index + pageSize)
}

/** A hash as Redis lists it: each field before its value. */
function fieldsOf(hash: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let index = 0; index < hash.length; index += 2)
    fields[`${hash[index]}`] = `${hash[index + 1]}`
  return fields
}

/** Names are as `session:…`, and `meta`. */
function version1Of(found: readonly [string, OldRow][]): Version1 {
  const of = (kind: string) =>
    found.flatMap(([name, row]) => {
      const [own, key] = name.split(':')
      return own === kind ? [kind === 'session' ? { ...row, session: key } : row] : []
    })
  return {
    meta: z.record(z.string(), z.string()).parse(Object.assign({}, ...of('meta'))),
    ...{ sessions: of('session'), payments: of('payment') },
    ...{ nonces: of('nonce'), transactions: of('transaction') },
  }
}

function assertKnown(row: unknown): void {
  const { value } = z.object({ value: z.string() }).parse(row)
  if (value !== schemaVersion) {
    throw new Error(`the ledger has schema ${value}, and this version knows ${schemaVersion}`)
  }
}
