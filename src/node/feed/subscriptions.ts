import type { LogFilter } from '../objects/log-filter.ts'

/** What a client of a WebSocket can be told of as it happens. */
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
