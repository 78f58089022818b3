import type { Address, Hex } from 'viem'
import { type AccountPool, createAccountPool } from './account-pool.ts'
import type { PoolRules } from './rules.ts'
import type { SignedTransaction } from './transaction.ts'

export type Pool = ReturnType<typeof createPool>

/** Creates RSKj's pool from one pool per account, each with its own limits. */
export function createPool(rules: PoolRules) {
  const accounts = new Map<Address, AccountPool<SignedTransaction>>()
  const each = (list: (pool: AccountPool<SignedTransaction>) => SignedTransaction[]) =>
    [...accounts].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, pool]) => list(pool))

  return {
    of(account: Address) {
      const pool = accounts.get(account) ?? createAccountPool<SignedTransaction>(rules)
      accounts.set(account, pool)
      return pool
    },
    pending: () => each((pool) => pool.pending()),
    queued: () => each((pool) => pool.queued()),
    all: () => each((pool) => pool.all()),
    evict: (head: number, nowMs: number) => each((pool) => pool.evict(head, nowMs)),
    remove: (hash: Hex) => [...accounts.values()].some((pool) => pool.remove(hash)),
  }
}
