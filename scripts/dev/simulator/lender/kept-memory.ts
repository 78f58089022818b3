import type { Address } from 'viem'
import type { AccountMemory, MemoryStore, StoredMemory } from '../../../../src/account/memory.ts'

/** A call of an account's memory, its caller, and the PIN at that time. */
export type MemoryEvent = {
  at: number
  by: string
  account: Address
  kind: 'load' | 'save'
  version: number
  pin: AccountMemory['pin']
}

export type KeptMemories = ReturnType<typeof createKeptMemories>

/** Creates the memories of accounts, which outlive every actor and record each call. */
export function createKeptMemories(now: () => number) {
  const rows = new Map<string, Omit<StoredMemory, 'now'> & Pick<MemoryEvent, 'pin'>>()
  const events: MemoryEvent[] = []
  const keptOf = (account: Address) =>
    rows.get(account.toLowerCase()) ?? { row: '', version: 0, pin: undefined }
  const note = (kind: MemoryEvent['kind'], by: string, account: Address) => {
    const { version, pin } = keptOf(account)
    events.push({ at: now(), by, account: account.toLowerCase() as Address, kind, version, pin })
  }
  return {
    events,
    load(by: string, account: Address): StoredMemory {
      note('load', by, account)
      return { ...keptOf(account), now: now() }
    },
    save(by: string, account: Address, row: string, version: number): boolean {
      if (keptOf(account).version !== version) return false
      const { pin } = JSON.parse(row) as AccountMemory
      rows.set(account.toLowerCase(), { row, version: version + 1, pin })
      note('save', by, account)
      return true
    },
  }
}

export const memoryFor = (memories: KeptMemories, by: string): MemoryStore => ({
  load: async (account) => memories.load(by, account),
  save: async (account, row, version) => memories.save(by, account, row, version),
})
