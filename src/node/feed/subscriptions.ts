import { estimateFilterBytes, type LogFilter, mayContainLogs } from '../objects/log-filter.ts'

/** Describes what a WebSocket client can subscribe to. */
export type Topic =
  | { kind: 'newHeads' }
  | { kind: 'logs'; filter: LogFilter }
  | { kind: 'newPendingTransactions' }
  | { kind: 'syncing' }

export type Subscriptions = {
  /** Adds a subscription and returns its id; throws if its key has reached its limit. */
  readonly add: (topic: Topic) => Promise<string>
  readonly remove: (id: string) => boolean
}

/** Limits the bytes of filters that are matched with blooms, since each value costs a hash. */
const maxBloomBytes = 1_300

/** Tells whether a subscription may match a log in a block of this bloom. */
export function mayMatch(topic: Topic, bloom: string | null): boolean {
  if (topic.kind !== 'logs') return false
  const isLarge = estimateFilterBytes(topic.filter) > maxBloomBytes
  return bloom === null || isLarge || mayContainLogs(bloom, topic.filter)
}
