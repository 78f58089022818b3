import type { KeyRecord } from './api-keys.ts'

/** Who asks the nodes: the relay for its payments, or the callers of the node service. */
export type Asker = 'relay' | 'callers'

/** Calls of the nodes in a day (UTC), by who made them. */
export type DayOfCalls = Readonly<Record<Asker, number>>

/** Counts what all processes of a deployment ask of the nodes. */
export type CallStore = {
  /** Adds calls to those of today; what they come to with these. */
  count: (calls: DayOfCalls) => Promise<DayOfCalls & { resetAt: number }>
}

/** Every key of the deployment, by its hash, and what each has spent today (UTC); and what all ask of the nodes. */
export type KeyStore = CallStore & {
  /** A key that may be used. */
  find: (hash: string) => Promise<KeyRecord | null>
  /** Counts calls, all or none; `ahead` too where the quota is far from spent. */
  take: (hash: string, calls: number, ahead: number) => Promise<Taken>
  /** `false` when there is such a key already. */
  create: (record: KeyRecord) => Promise<boolean>
  /** Every key, the revoked too, oldest first. */
  list: () => Promise<(KeyRecord & { spentToday: number })[]>
  /** Revokes the keys whose hash starts like this, and says how many. */
  revoke: (id: string) => Promise<number>
}

/** Calls that were counted against a key's quota for today. */
export type Taken =
  | { kind: 'taken'; calls: number; resetAt: number }
  | { kind: 'spent'; resetAt: number }

/** A day of a quota. */
export const dayMs = 86_400_000

/** A quota with less than so many times of what is asked ahead is counted call by call. */
export const cautious = 20
