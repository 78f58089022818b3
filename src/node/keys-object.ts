import { DurableObject } from 'cloudflare:workers'
import type { Clock } from '../clock.ts'
import { hashKey, type KeyCheck, type KeyRecord, type KeyRegistry, type Keys } from './keys.ts'

/** What the objects' stub offers: the methods of the class below. */
export type KeysStub = {
  find: (hash: string) => Promise<KeyRecord | null>
  take: (hash: string, calls: number, ahead: number) => Promise<Taken>
  create: (record: KeyRecord) => Promise<boolean>
  list: () => Promise<(KeyRecord & { spentToday: number })[]>
  revoke: (id: string) => Promise<number>
}

/** Calls that were counted against a key's quota for today. */
export type Taken =
  | { kind: 'taken'; calls: number; resetAt: number }
  | { kind: 'spent'; resetAt: number }

/** Every key of the deployment, by its hash, and what each has spent today, in one object. */
export class KeysObject<Env = unknown> extends DurableObject<Env> implements KeysStub {
  readonly #sql: SqlStorage

  constructor(state: DurableObjectState, env: Env) {
    super(state, env)
    this.#sql = state.storage.sql
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS keys (
      hash TEXT PRIMARY KEY, name TEXT NOT NULL, chain_id INTEGER NOT NULL, quota INTEGER,
      methods TEXT, created_at INTEGER NOT NULL, revoked_at INTEGER)`)
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS spent (
      hash TEXT PRIMARY KEY, day INTEGER NOT NULL, calls INTEGER NOT NULL)`)
  }

  /** A key that may be used. */
  async find(hash: string): Promise<KeyRecord | null> {
    const [row] = this.#rows('WHERE hash = ? AND revoked_at IS NULL', hash)
    return row ?? null
  }

  /**
   * Counts calls, all or none. `ahead` are counted too where the quota is far from spent, so that
   * whoever asks need not ask for each.
   */
  async take(hash: string, calls: number, ahead: number): Promise<Taken> {
    const day = today()
    const resetAt = (day + 1) * dayMs
    const [key] = this.#rows('WHERE hash = ? AND revoked_at IS NULL', hash)
    if (key === undefined) return { kind: 'spent', resetAt }
    if (key.quota === null) return { kind: 'taken', calls: calls + ahead, resetAt }
    const left = key.quota - this.#spent(hash, day)
    if (left < calls) return { kind: 'spent', resetAt }
    const taken = left > ahead * cautious ? calls + ahead : calls
    this.#sql.exec(
      `INSERT INTO spent (hash, day, calls) VALUES (?1, ?2, ?3) ON CONFLICT (hash) DO UPDATE
       SET calls = CASE WHEN day = ?2 THEN calls + ?3 ELSE ?3 END, day = ?2`,
      hash,
      day,
      taken,
    )
    return { kind: 'taken', calls: taken, resetAt }
  }

  /** `false` when there is such a key already. */
  async create(record: KeyRecord): Promise<boolean> {
    const { hash, name, chainId, quota, methods, createdAt } = record
    const { rowsWritten } = this.#sql.exec(
      `INSERT OR IGNORE INTO keys (hash, name, chain_id, quota, methods, created_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      hash,
      name,
      chainId,
      quota,
      methods === null ? null : JSON.stringify(methods),
      createdAt,
    )
    return rowsWritten > 0
  }

  /** Every key, the revoked too, oldest first. */
  async list(): Promise<(KeyRecord & { spentToday: number })[]> {
    const day = today()
    return this.#rows('ORDER BY created_at').map((record) => ({
      ...record,
      spentToday: this.#spent(record.hash, day),
    }))
  }

  /** Revokes the keys whose hash starts like this, and says how many. */
  async revoke(id: string): Promise<number> {
    const keys = this.#rows('WHERE revoked_at IS NULL AND substr(hash, 1, ?) = ?', id.length, id)
    for (const { hash } of keys) {
      this.#sql.exec('UPDATE keys SET revoked_at = ? WHERE hash = ?', Date.now(), hash)
    }
    return keys.length
  }

  #rows(condition: string, ...values: SqlStorageValue[]): KeyRecord[] {
    return this.#sql
      .exec<{
        hash: string
        name: string
        chain_id: number
        quota: number | null
        methods: string | null
        created_at: number
        revoked_at: number | null
      }>(`SELECT * FROM keys ${condition}`, ...values)
      .toArray()
      .map((row) => ({
        hash: row.hash,
        name: row.name,
        chainId: row.chain_id,
        quota: row.quota,
        methods: row.methods === null ? null : (JSON.parse(row.methods) as string[]),
        createdAt: row.created_at,
        revokedAt: row.revoked_at,
      }))
  }

  #spent(hash: string, day: number): number {
    const [row] = this.#sql
      .exec<{ calls: number }>('SELECT calls FROM spent WHERE hash = ? AND day = ?', hash, day)
      .toArray()
    return row?.calls ?? 0
  }
}

const dayMs = 86_400_000

/** A quota with less than so many times of what is asked ahead is counted call by call. */
const cautious = 20

/** A key is looked up again after this time, so that a revoked one ends within 60 s. */
const lookupMs = 30_000

/** Keys that one isolate remembers; unknown ones too, so that guessing costs no look-up each. */
const mostKeys = 5_000

/** Calls that are taken ahead, at most. */
const mostAhead = 100

type Remembered = {
  record: KeyRecord | null
  at: number
  /** Taken and not used yet. */
  left: number
  ahead: number
  resetAt: number
}

/** Keys in the object, after those of the configuration. */
export function createObjectKeys({
  stub,
  configured,
  clock,
}: {
  stub: () => KeysStub
  configured: Keys
  clock: Clock
}): Keys {
  const remembered = new Map<string, Remembered>()

  async function lookup(hash: string): Promise<KeyCheck> {
    const own = await configured.lookup(hash)
    if (own.kind === 'granted') return own
    const key = await recall(hash)
    if (key.record === null) return { kind: 'unknown' }
    const { chainId, methods, quota } = key.record
    return {
      kind: 'granted',
      hash,
      chainId,
      methods: methods === null ? undefined : new Set(methods),
      sockets: 20,
      subscriptions: 1_000,
      spend: async (calls) => (quota === null ? undefined : await spend(key, hash, calls)),
    }
  }

  async function recall(hash: string): Promise<Remembered> {
    const known = remembered.get(hash)
    const now = clock.now()
    if (known !== undefined && now - known.at < lookupMs) return known
    const record = await stub().find(hash)
    const key = { left: 0, ahead: 0, resetAt: 0, ...known, record, at: now }
    remembered.delete(hash)
    remembered.set(hash, key)
    for (const [oldest] of remembered) {
      if (remembered.size <= mostKeys) break
      remembered.delete(oldest)
    }
    return key
  }

  async function spend(
    key: Remembered,
    hash: string,
    calls: number,
  ): Promise<{ resetAt: Date } | undefined> {
    // What was taken for a day that is over is worth nothing.
    if (clock.now() >= key.resetAt) key.left = 0
    if (key.left >= calls) {
      key.left -= calls
      return undefined
    }
    const taken = await stub().take(hash, calls, key.ahead)
    if (taken.kind === 'spent') return { resetAt: new Date(taken.resetAt) }
    key.left += taken.calls - calls
    key.resetAt = taken.resetAt
    key.ahead = taken.calls > calls || key.ahead === 0 ? Math.min(mostAhead, key.ahead * 2 + 1) : 0
    return undefined
  }

  return { lookup, check: async (key) => lookup(await hashKey(key)) }
}

/** The registry behind the operator's routes. */
export function createObjectRegistry(stub: () => KeysStub): KeyRegistry {
  return {
    create: (record) => stub().create(record),
    list: () => stub().list(),
    revoke: (id) => stub().revoke(id),
  }
}

function today(): number {
  return Math.floor(Date.now() / dayMs)
}
