/** Keeps texts up to a number of characters in all; what was not used for longest goes first. */
export type Cache = {
  readonly get: (key: string) => string | undefined
  readonly set: (key: string, text: string) => void
}

/** A cache in this isolate's memory. */
export function createCache({ maxLength }: { maxLength: number }): Cache {
  const entries = new Map<string, string>()
  let length = 0

  function remove(key: string, text: string): void {
    entries.delete(key)
    length -= key.length + text.length
  }

  return {
    get(key) {
      const text = entries.get(key)
      if (text === undefined) return undefined
      // A Map iterates in the order of insertion, so this makes it the youngest.
      entries.delete(key)
      entries.set(key, text)
      return text
    },
    set(key, text) {
      // One answer must not drive out all others.
      if (key.length + text.length > maxLength / 16) return
      const previous = entries.get(key)
      if (previous !== undefined) remove(key, previous)
      entries.set(key, text)
      length += key.length + text.length
      for (const [oldest, value] of entries) {
        if (length <= maxLength) break
        remove(oldest, value)
      }
    },
  }
}
