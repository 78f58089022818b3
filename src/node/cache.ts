/** Holds a cached text, and when it was cached (Unix ms) if it is unverified. */
export type CachedText = { text: string; unverifiedSince: number | undefined }

/** Limits how long an unverified answer is kept, in ms, since it may be a lie. */
export const unverifiedMs = 60_000

export type Cache = ReturnType<typeof createCache>

/** Caches texts in memory up to a number of characters; evicts the least recently used. */
export function createCache({ maxLength, now }: { maxLength: number; now: () => number }) {
  const entries = new Map<string, CachedText>()
  let length = 0
  /** Holds the time (Unix ms) before which unverified answers are stale. */
  let trustedSince = 0

  function remove(key: string): void {
    const kept = entries.get(key)
    if (kept === undefined) return
    entries.delete(key)
    length -= key.length + kept.text.length
  }

  /** Tells whether a text, cached here or elsewhere, may still be used. */
  function isFresh({ unverifiedSince: since }: CachedText): boolean {
    return since === undefined || (since >= trustedSince && now() - since < unverifiedMs)
  }

  return {
    isFresh,
    /** Drops all unverified answers, since a node that may have given them was proved wrong. */
    forgetUnverified(): void {
      trustedSince = now()
      for (const [key, { unverifiedSince }] of entries) {
        if (unverifiedSince !== undefined) remove(key)
      }
    },
    get(key: string): CachedText | undefined {
      const kept = entries.get(key)
      if (kept === undefined) return undefined
      if (!isFresh(kept)) {
        remove(key)
        return undefined
      }
      // A Map iterates in order of insertion, so this marks the entry as most recently used.
      entries.delete(key)
      entries.set(key, kept)
      return kept
    },
    set(key: string, kept: CachedText): void {
      const own = key.length + kept.text.length
      // One answer must not evict all others.
      if (own > maxLength / 16) return
      remove(key)
      entries.set(key, kept)
      length += own
      for (const oldest of entries.keys()) {
        if (length <= maxLength) break
        remove(oldest)
      }
    },
  }
}
