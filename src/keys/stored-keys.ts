import type { Clock } from '../runtime/clock.ts'
import type { KeyCheck, KeyRecord, Keys, QuotaRefusal } from './api-keys.ts'
import type { KeyStore } from './key-store.ts'

/** Limits the age of a cached key in ms, so that a revoked key stops working within 60 s. */
const maxCacheAgeMs = 10_000

/** Limits the cached keys, which include unknown ones, so that guesses cost few look-ups. */
const maxCachedKeys = 5_000

/** Limits the calls that are counted ahead, which spares most calls a question to the store. */
const maxAheadCalls = 100

type CachedKey = {
  record: KeyRecord | null
  cachedAt: number
  /** Counts the calls that the store counted ahead and that are not used yet. */
  unusedCalls: number
  /** Sets how many calls the store counts ahead next time. */
  aheadCalls: number
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
      maxSockets: 20,
      maxSubscriptions: 1_000,
      spend: async (calls) => (quota === null ? undefined : await spend(key, hash, calls)),
    }
  }

  async function readKey(hash: string): Promise<CachedKey> {
    const cachedKey = cache.get(hash)
    const now = clock.now()
    if (cachedKey !== undefined && now - cachedKey.cachedAt < maxCacheAgeMs) return cachedKey
    const record = await store().find(hash)
    const counts = { unusedCalls: 0, aheadCalls: 0, resetAt: 0 }
    const key = { ...counts, ...cachedKey, record, cachedAt: now }
    cache.delete(hash)
    cache.set(hash, key)
    for (const [oldest] of cache) {
      if (cache.size <= maxCachedKeys) break
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
    if (clock.now() >= key.resetAt) key.unusedCalls = 0
    if (key.unusedCalls >= calls) {
      key.unusedCalls -= calls
      return undefined
    }
    const result = await store().take(hash, calls, key.aheadCalls)
    if (result.kind === 'spent') return { resetAt: new Date(result.resetAt), period: 'day' }
    key.unusedCalls += result.calls - calls
    key.resetAt = result.resetAt
    const mayGrow = result.calls > calls || key.aheadCalls === 0
    key.aheadCalls = mayGrow ? Math.min(maxAheadCalls, key.aheadCalls * 2 + 1) : 0
    return undefined
  }

  return { lookup }
}
