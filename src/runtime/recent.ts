export type Recent<Value> = ReturnType<typeof createRecent<Value>>

/** Creates a map of at most `limit` entries, which has at least the last half of them used. */
export function createRecent<Value>(limit: number) {
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
    has: (key: string): boolean => young.has(key) || old.has(key),
    get(key: string): Value | undefined {
      const recent = young.get(key)
      if (recent !== undefined || young.has(key) || !old.has(key)) return recent
      const value = old.get(key) as Value
      set(key, value)
      return value
    },
    set,
  }
}
