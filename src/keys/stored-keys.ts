import type { Clock } from '../runtime/clock.ts'
import type { KeyCheck, KeyRecord, Keys, QuotaRefusal } from './api-keys.ts'
import type { KeyStore } from './key-store.ts'

/** Limits the age of a cached key in ms, so that a revoked key ends within 60 s. */
const cacheMs = 10_000

/** Limits the cached keys, which include unknown ones, so that guesses cost few look-ups. */
const maxKeys = 5_000

const maxAhead = 100

type CachedKey = {
  record: KeyRecord | null
  at: number
  /** Counts the calls that were counted ahead and not used yet. */
  left: number
  ahead: number
  resetAt: number
}

/** Looks keys up in the configuration, then in the store, which may be a new object each time. */
export function createStoredKeys(store: () => KeyStore, configured: Keys, clock: Clock): Keys {
  const cache = new Map<string, CachedKey>()

  async function lookup(hash: string): Promise<KeyCheck> {
    const configuredKey = await configured.lookup(hash)
    if (configuredKey.kind === 'granted') return configuredKey
    const key = await readKey(hash)
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

  async function readKey(hash: string): Promise<CachedKey> {
    const known = cache.get(hash)
    const now = clock.now()
    if (known !== undefined && now - known.at < cacheMs) return known
    const record = await store().find(hash)
    const key = { left: 0, ahead: 0, resetAt: 0, ...known, record, at: now }
    cache.delete(hash)
    cache.set(hash, key)
    for (const [oldest] of cache) {
      if (cache.size <= maxKeys) break
      cache.delete(oldest)
    }
    return key
  }

  async function spend(
    key: CachedKey,
    hash: string,
    calls: number,
  ): Promise<QuotaRefusal | undefined> {
    // Calls counted for a past day are worth nothing.
    if (clock.now() >= key.resetAt) key.left = 0
    if (key.left >= calls) {
      key.left -= calls
      return undefined
    }
    const taken = await store().take(hash, calls, key.ahead)
    if (taken.kind === 'spent') return { resetAt: new Date(taken.resetAt), period: 'day' }
    key.left += taken.calls - calls
    key.resetAt = taken.resetAt
    key.ahead = taken.calls > calls || key.ahead === 0 ? Math.min(maxAhead, key.ahead * 2 + 1) : 0
    return undefined
  }

  return { lookup }
}
