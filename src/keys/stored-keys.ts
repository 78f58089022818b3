import type { Clock } from '../runtime/clock.ts'
import { createRecent } from '../runtime/recent.ts'
import type { KeyCheck, KeyRecord, KeyStore, Keys } from './api-keys.ts'

/** Limits a cached key's age, in ms. A revoked key works at most this long (promised: 60 s). */
const maxCacheAgeMs = 10_000

/** Limits the memory that guessed keys can fill, because unknown keys are cached too. */
const maxCachedKeys = 5_000

/** Limits the calls that are counted in advance, so that most need no request to the store. */
const maxPrepaidCalls = 100

type CachedKey = {
  record: KeyRecord | null
  cachedAt: number
  /** Counts the calls that the store has counted, and that are not used yet. */
  prepaidCalls: number
  /** Sets how many further calls the store is asked to count next time. */
  nextPrepaidCalls: number
  resetAt: number
}

/** Looks keys up in the configuration, then in the store, which may be a new object each time. */
export function createStoredKeys(store: () => KeyStore, configured: Keys, clock: Clock): Keys {
  const cache = createRecent<CachedKey>(maxCachedKeys)

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
    const noCalls = { prepaidCalls: 0, nextPrepaidCalls: 0, resetAt: 0 }
    const key = { ...noCalls, ...cachedKey, record, cachedAt: now }
    cache.set(hash, key)
    return key
  }

  async function spend(key: CachedKey, hash: string, calls: number) {
    // Calls counted for a past day are worth nothing.
    if (clock.now() >= key.resetAt) key.prepaidCalls = 0
    if (key.prepaidCalls >= calls) {
      key.prepaidCalls -= calls
      return undefined
    }
    const result = await store().take(hash, calls, key.nextPrepaidCalls)
    if (result.kind === 'spent')
      return { resetAt: new Date(result.resetAt), period: 'day' as const }
    key.prepaidCalls += result.calls - calls
    key.resetAt = result.resetAt
    const { nextPrepaidCalls: asked } = key
    const hasGrantedExtra = result.calls > calls || asked === 0
    key.nextPrepaidCalls = hasGrantedExtra ? Math.min(maxPrepaidCalls, asked * 2 + 1) : 0
    return undefined
  }

  return { lookup }
}

/** Creates the operator's own keys from the configuration: for one network, without a quota. */
export function createConfigKeys(hashes: readonly string[], chainId: number): Keys {
  const knownHashes = new Set(hashes.map((hash) => hash.toLowerCase()))
  const rights = { chainId, methods: undefined, maxSockets: 10_000, maxSubscriptions: 100_000 }
  return {
    async lookup(hash) {
      if (!knownHashes.has(hash)) return { kind: 'unknown' }
      return { ...rights, kind: 'granted', hash, spend: async () => undefined }
    },
  }
}
