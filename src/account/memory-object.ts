import { DurableObject } from 'cloudflare:workers'
import type { MemoryStore, StoredMemory } from './memory.ts'

export class AccountObject<Env = unknown> extends DurableObject<Env> {
  readonly #sql: SqlStorage

  constructor(state: DurableObjectState, env: Env) {
    super(state, env)
    this.#sql = state.storage.sql
    this.#sql.exec(
      'CREATE TABLE IF NOT EXISTS memory (row TEXT NOT NULL, version INTEGER NOT NULL)',
    )
  }

  async load(): Promise<StoredMemory> {
    return { ...this.#readRow(), now: Date.now() }
  }

  async save(row: string, version: number): Promise<boolean> {
    if (this.#readRow().version !== version) return false
    this.#sql.exec('DELETE FROM memory')
    this.#sql.exec('INSERT INTO memory (row, version) VALUES (?, ?)', row, version + 1)
    return true
  }

  #readRow(): Omit<StoredMemory, 'now'> {
    const [stored] = this.#sql
      .exec<Omit<StoredMemory, 'now'>>('SELECT row, version FROM memory')
      .toArray()
    return stored ?? { row: '', version: 0 }
  }
}

export type AccountStub = Pick<AccountObject, 'load' | 'save'>

export function createObjectMemory(getStub: (account: string) => AccountStub): MemoryStore {
  return {
    load: (account) => getStub(account.toLowerCase()).load(),
    save: (account, row, version) => getStub(account.toLowerCase()).save(row, version),
  }
}
