import type { MemoryStore, StoredMemory } from '../../src/account/memory.ts'

/** Creates a memory of accounts in this process, with its own time and a count of its calls. */
export function createMemoryStore(
  now = Date.now,
): MemoryStore & { asked(): number; rows(): string[] } {
  const rows = new Map<string, Omit<StoredMemory, 'now'>>()
  let asked = 0
  const kept = (account: string) => rows.get(account.toLowerCase()) ?? { row: '', version: 0 }
  return {
    asked: () => asked,
    rows: () => [...rows.values()].map(({ row }) => row),
    async load(account) {
      asked += 1
      return { ...kept(account), now: now() }
    },
    async save(account, row, version) {
      asked += 1
      if (kept(account).version !== version) return false
      rows.set(account.toLowerCase(), { row, version: version + 1 })
      return true
    },
  }
}
