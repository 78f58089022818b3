import { DurableObject } from 'cloudflare:workers'
import {
  type DailyCalls,
  dayMs,
  type KeyRecord,
  type KeyStore,
  type ListedKey,
  minPrepaidMultiple,
  type QuotaResult,
} from './api-keys.ts'

/** Stores all keys by their hashes, and what each has spent today, in one object. */
export class KeysObject<Env = unknown> extends DurableObject<Env> implements KeyStore {
  readonly #sql: SqlStorage

  constructor(state: DurableObjectState, env: Env) {
    super(state, env)
    this.#sql = state.storage.sql
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS keys (
      hash TEXT PRIMARY KEY, name TEXT NOT NULL, chain_id INTEGER NOT NULL, quota INTEGER,
      methods TEXT, created_at INTEGER NOT NULL, revoked_at INTEGER);
    CREATE TABLE IF NOT EXISTS spent (
      hash TEXT PRIMARY KEY, day INTEGER NOT NULL, calls INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS upstream (
      day INTEGER PRIMARY KEY, relay INTEGER NOT NULL, callers INTEGER NOT NULL)`)
  }

  async count({ relay, callers }: DailyCalls): Promise<DailyCalls & { resetAt: number }> {
    const day = getDay()
    this.#sql.exec('DELETE FROM upstream WHERE day < ?', day)
    const row = this.#sql
      .exec<{ relay: number; callers: number }>(
        `INSERT INTO upstream (day, relay, callers) VALUES (?1, ?2, ?3) ON CONFLICT (day) DO UPDATE
         SET relay = relay + ?2, callers = callers + ?3 RETURNING relay, callers`,
        ...[day, relay, callers],
      )
      .one()
    return { ...row, resetAt: (day + 1) * dayMs }
  }

  async find(hash: string): Promise<KeyRecord | null> {
    return this.#selectKeys('WHERE hash = ?2 AND revoked_at IS NULL', hash)[0] ?? null
  }

  async take(hash: string, calls: number, prepaidCalls: number): Promise<QuotaResult> {
    const day = getDay()
    const resetAt = (day + 1) * dayMs
    const [key] = this.#selectKeys('WHERE hash = ?2 AND revoked_at IS NULL', hash)
    if (key === undefined) return { kind: 'spent', resetAt }
    if (key.quota === null) return { kind: 'taken', calls: calls + prepaidCalls, resetAt }
    const remaining = key.quota - key.spentToday
    if (remaining < calls) return { kind: 'spent', resetAt }
    const takenCalls = remaining > prepaidCalls * minPrepaidMultiple ? calls + prepaidCalls : calls
    const values = [hash, day, key.spentToday + takenCalls]
    this.#sql.exec('INSERT OR REPLACE INTO spent (hash, day, calls) VALUES (?, ?, ?)', ...values)
    return { kind: 'taken', calls: takenCalls, resetAt }
  }

  async create(record: KeyRecord): Promise<boolean> {
    const { hash, name, chainId, quota, createdAt } = record
    const methods = record.methods && JSON.stringify(record.methods)
    const { rowsWritten } = this.#sql.exec(
      `INSERT OR IGNORE INTO keys (hash, name, chain_id, quota, methods, created_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      ...[hash, name, chainId, quota, methods, createdAt],
    )
    return rowsWritten > 0
  }

  async list(): Promise<ListedKey[]> {
    return this.#selectKeys('ORDER BY created_at')
  }

  async revoke(id: string): Promise<number> {
    const update = `UPDATE keys SET revoked_at = ? WHERE revoked_at IS NULL AND substr(hash, 1, ?) = ?
      RETURNING hash`
    return this.#sql.exec(update, Date.now(), id.length, id).toArray().length
  }

  /** Selects keys; in a condition, the first value is the day, and the second the given one. */
  #selectKeys(condition: string, ...values: SqlStorageValue[]): ListedKey[] {
    const rows = this.#sql.exec<Omit<ListedKey, 'methods'> & { methods: string | null }>(
      `SELECT hash, name, chain_id AS chainId, quota, methods, created_at AS createdAt,
       revoked_at AS revokedAt, coalesce((SELECT calls FROM spent
       WHERE spent.hash = keys.hash AND day = ?1), 0) AS spentToday FROM keys ${condition}`,
      getDay(),
      ...values,
    )
    return rows.toArray().map(({ methods, ...row }) => ({
      ...row,
      methods: methods === null ? null : (JSON.parse(methods) as string[]),
    }))
  }
}

const getDay = (): number => Math.floor(Date.now() / dayMs)
