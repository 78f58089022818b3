export type Recent<Value> = {
  has(key: string): boolean
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

/** Creates a map of at most `limit` entries, which has at least the last half of them used. */
export function createRecent<Value>(limit: number): Recent<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()

  function set(key: string, value: Value): void {
    if (young.size >= limit / 2 && !young.has(key)) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }

  return {
    has: (key) => young.has(key) || old.has(key),
    get(key) {
      if (young.has(key) || !old.has(key)) return young.get(key)
      const value = old.get(key) as Value
      set(key, value)
      return value
    },
    set,
  }
}
