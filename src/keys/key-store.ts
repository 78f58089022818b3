import type { KeyRecord } from './api-keys.ts'

/** Names who calls the nodes: the relay for payments, or the node service's callers. */
export type Asker = 'relay' | 'callers'

/** Counts the calls to nodes in a day (UTC), by who made them. */
export type DayOfCalls = Readonly<Record<Asker, number>>

/** Counts the calls of all processes of a deployment to nodes. */
export type CallStore = {
  /** Adds calls to today's, and returns the new counts. */
  count: (calls: DayOfCalls) => Promise<DayOfCalls & { resetAt: number }>
}

/** Stores all keys by their hashes, what each has spent today (UTC), and all calls to nodes. */
export type KeyStore = CallStore & {
  /** Finds a key that is not revoked. */
  find: (hash: string) => Promise<KeyRecord | null>
  /** Counts calls, all or none; also `ahead` if the quota is far from spent. */
  take: (hash: string, calls: number, ahead: number) => Promise<Taken>
  /** Creates a key; `false` if it exists already. */
  create: (record: KeyRecord) => Promise<boolean>
  /** Lists all keys, also revoked ones, oldest first. */
  list: () => Promise<(KeyRecord & { spentToday: number })[]>
  /** Revokes the keys whose hash starts like this, and returns how many. */
  revoke: (id: string) => Promise<number>
}

/** Tells whether calls were counted against a key's quota for today. */
export type Taken =
  | { kind: 'taken'; calls: number; resetAt: number }
  | { kind: 'spent'; resetAt: number }

/** Is the length of a quota's day. */
export const dayMs = 86_400_000

/** Sets how many times `ahead` must be left; below it each call is counted by itself. */
export const cautious = 20
