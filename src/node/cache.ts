import * as z from 'zod/mini'

/** Parses a cached text, and when it was cached (Unix ms) if it is unverified. */
export const cachedText = z.object({ text: z.string(), unverifiedSince: z.optional(z.number()) })

export type CachedText = z.output<typeof cachedText>

/** Limits how long an unverified answer is used, in ms, because the node may have lied. */
export const maxUnverifiedMs = 60_000

export type Cache = ReturnType<typeof createCache>

/** Caches texts in memory up to a number of characters; evicts the least recently used. */
export function createCache({ maxLength, now }: { maxLength: number; now: () => number }) {
  const entries = new Map<string, CachedText>()
  let length = 0
  /** Holds the time (Unix ms) before which unverified answers are stale. */
  let trustedSince = 0

  function remove(key: string): void {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    length -= key.length + entry.text.length
  }

  /** Tells whether a text, cached here or elsewhere, may still be used. */
  function isUsable({ unverifiedSince: since }: CachedText): boolean {
    return since === undefined || (since >= trustedSince && now() - since < maxUnverifiedMs)
  }

  return {
    isUsable,
    /** Drops all unverified answers, because one of the nodes was proved wrong. */
    dropUnverified(): void {
      trustedSince = now()
      for (const [key, { unverifiedSince }] of entries) {
        if (unverifiedSince !== undefined) remove(key)
      }
    },
    get(key: string): CachedText | undefined {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (!isUsable(entry)) {
        remove(key)
        return undefined
      }
      // A Map iterates in order of insertion, so this marks the entry as most recently used.
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    set(key: string, entry: CachedText): void {
      const entryLength = key.length + entry.text.length
      // One answer must not evict all others.
      if (entryLength > maxLength / 16) return
      remove(key)
      entries.set(key, entry)
      length += entryLength
      for (const oldest of entries.keys()) {
        if (length <= maxLength) break
        remove(oldest)
      }
    },
  }
}
