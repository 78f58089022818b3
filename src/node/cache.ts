/** Holds a text, and since when it is kept (Unix ms) if nothing verified it. */
export type KeptText = { text: string; unverifiedSince: number | undefined }

/** Limits how long an unverified answer, which may be a lie, is kept. */
export const unverifiedMs = 60_000

export type Cache = ReturnType<typeof createCache>

/** Keeps texts in memory up to a number of characters; what was not used for longest goes first. */
export function createCache({ maxLength, now }: { maxLength: number; now: () => number }) {
  const entries = new Map<string, KeptText>()
  let length = 0
  /** Is the time (Unix ms) before which unverified answers are not believed. */
  let believedSince = 0

  function remove(key: string): void {
    const kept = entries.get(key)
    if (kept === undefined) return
    entries.delete(key)
    length -= key.length + kept.text.length
  }

  /** Tells whether nothing speaks against a text that is kept here or elsewhere. */
  function isBelieved({ unverifiedSince: since }: KeptText): boolean {
    return since === undefined || (since >= believedSince && now() - since < unverifiedMs)
  }

  return {
    isBelieved,
    /** Forgets what nothing verified: a node whose answers it may hold was proved wrong. */
    forgetUnverified(): void {
      believedSince = now()
      for (const [key, { unverifiedSince }] of entries) {
        if (unverifiedSince !== undefined) remove(key)
      }
    },
    get(key: string): KeptText | undefined {
      const kept = entries.get(key)
      if (kept === undefined) return undefined
      if (!isBelieved(kept)) {
        remove(key)
        return undefined
      }
      // A Map iterates in the order of insertion, so this makes it the youngest.
      entries.delete(key)
      entries.set(key, kept)
      return kept
    },
    set(key: string, kept: KeptText): void {
      const own = key.length + kept.text.length
      // One answer must not drive out all others.
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
