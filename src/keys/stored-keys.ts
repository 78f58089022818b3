import type { Clock } from '../runtime/clock.ts'
import type { KeyCheck, KeyRecord, Keys, Spent } from './api-keys.ts'
import type { KeyStore } from './key-store.ts'

/** Sets after how many ms a key is looked up again, so that a revoked one ends within 60 s. */
const lookupMs = 10_000

/** Limits the keys cached per isolate; unknown ones too, so that guesses cost no look-up each. */
const mostKeys = 5_000

/** Limits the calls that are counted ahead. */
const mostAhead = 100

type Remembered = {
  record: KeyRecord | null
  at: number
  /** Counts calls that are counted against the quota and not used yet. */
  left: number
  ahead: number
  resetAt: number
}

/** Looks keys up in the configuration, then in the store, which may be a new object each time. */
export function createStoredKeys(store: () => KeyStore, configured: Keys, clock: Clock): Keys {
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
    const record = await store().find(hash)
    const key = { left: 0, ahead: 0, resetAt: 0, ...known, record, at: now }
    remembered.delete(hash)
    remembered.set(hash, key)
    for (const [oldest] of remembered) {
      if (remembered.size <= mostKeys) break
      remembered.delete(oldest)
    }
    return key
  }

  async function spend(key: Remembered, hash: string, calls: number): Promise<Spent | undefined> {
    // Calls counted for a past day are worth nothing.
    if (clock.now() >= key.resetAt) key.left = 0
    if (key.left >= calls) {
      key.left -= calls
      return undefined
    }
    const taken = await store().take(hash, calls, key.ahead)
    if (taken.kind === 'spent') return { resetAt: new Date(taken.resetAt), of: 'day' }
    key.left += taken.calls - calls
    key.resetAt = taken.resetAt
    key.ahead = taken.calls > calls || key.ahead === 0 ? Math.min(mostAhead, key.ahead * 2 + 1) : 0
    return undefined
  }

  return { lookup }
}
