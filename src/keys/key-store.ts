import type { KeyRecord } from './api-keys.ts'

/** Names who asks the nodes: the relay for payments, or the node service's callers. */
export type Asker = 'relay' | 'callers'

/** Calls of the nodes in a day (UTC), by who made them. */
export type DayOfCalls = Readonly<Record<Asker, number>>

/** Counts what all processes of a deployment ask of the nodes. */
export type CallStore = {
  /** Adds calls to those of today; what they come to with these. */
  count: (calls: DayOfCalls) => Promise<DayOfCalls & { resetAt: number }>
}

/** Keeps all keys by their hashes, what each has spent today (UTC), and all calls of the nodes. */
export type KeyStore = CallStore & {
  /** Finds a key that is not revoked. */
  find: (hash: string) => Promise<KeyRecord | null>
  /** Counts calls, all or none; `ahead` too where the quota is far from spent. */
  take: (hash: string, calls: number, ahead: number) => Promise<Taken>
  /** Creates a key; `false` if it exists already. */
  create: (record: KeyRecord) => Promise<boolean>
  /** Lists all keys, also revoked ones, oldest first. */
  list: () => Promise<(KeyRecord & { spentToday: number })[]>
  /** Revokes the keys whose hash starts like this, and says how many. */
  revoke: (id: string) => Promise<number>
}

/** Calls that were counted against a key's quota for today. */
export type Taken =
  | { kind: 'taken'; calls: number; resetAt: number }
  | { kind: 'spent'; resetAt: number }

/** Is the length of a quota's day. */
export const dayMs = 86_400_000

/** Sets how many times of what is asked ahead must be left; below it each call is counted alone. */
export const cautious = 20
