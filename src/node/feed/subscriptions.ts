import { filterBytes, type LogFilter, mayHold } from '../objects/log-filter.ts'

/** Describes what a client of a WebSocket can listen to. */
export type Topic =
  | { kind: 'newHeads' }
  | { kind: 'logs'; filter: LogFilter }
  | { kind: 'newPendingTransactions' }
  | { kind: 'syncing' }

export type Subscriptions = {
  /** Gives the id of the new subscription; refuses one more than the connection may have. */
  readonly add: (topic: Topic) => Promise<string>
  readonly remove: (id: string) => boolean
}

/** Limits the size of filters that are matched with blooms, since each value costs a hash. */
const fewBytes = 1_300

/** Tells whether a subscription may be told of a log in a block of this bloom. */
export function mayTell(topic: Topic, bloom: string | null): boolean {
  if (topic.kind !== 'logs') return false
  return bloom === null || filterBytes(topic.filter) > fewBytes || mayHold(bloom, topic.filter)
}
