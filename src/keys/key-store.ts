import type { KeyRecord, ListedKey } from './api-keys.ts'

/** Names the source of calls: the relay's payments, or the node service's callers. */
export type CallSource = 'relay' | 'callers'

/** Counts the calls to nodes in a day (UTC), by their source. */
export type DailyCalls = Readonly<Record<CallSource, number>>

/** Counts the calls of all processes of a deployment to nodes. */
export type CallStore = {
  /** Adds calls to today's, and returns the new counts. */
  count: (calls: DailyCalls) => Promise<DailyCalls & { resetAt: number }>
}

/** Stores all keys by their hashes, what each has spent today (UTC), and all calls to nodes. */
export type KeyStore = CallStore & {
  /** Finds a key that is not revoked. */
  find: (hash: string) => Promise<KeyRecord | null>
  /** Counts all calls or none. Counts `prepaidCalls` more while much of the quota is left. */
  take: (hash: string, calls: number, prepaidCalls: number) => Promise<QuotaResult>
  /** Creates a key; `false` if it exists already. */
  create: (record: KeyRecord) => Promise<boolean>
  /** Lists all keys, also revoked ones, oldest first. */
  list: () => Promise<ListedKey[]>
  /** Revokes the keys whose hash starts like this, and returns how many. */
  revoke: (id: string) => Promise<number>
}

/** Tells whether calls were counted against a key's quota for today. */
export type QuotaResult =
  | { kind: 'taken'; calls: number; resetAt: number }
  | { kind: 'spent'; resetAt: number }

export const dayMs = 86_400_000

/** Sets how many times `prepaidCalls` a quota must have left, so that they are counted too. */
export const minPrepaidMultiple = 20
