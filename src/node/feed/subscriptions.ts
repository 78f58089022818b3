import type { LogFilter } from '../objects/log-filter.ts'

/** What a client of a WebSocket can be told of as it happens. */
export type Topic =
  | { kind: 'newHeads' }
  | { kind: 'logs'; filter: LogFilter }
  | { kind: 'newPendingTransactions' }
  | { kind: 'syncing' }

export type Subscriptions = {
  /**
   * @returns the id of the new subscription: 16 random bytes in hex
   * @throws {RpcError} the connection has as many as it may have
   */
  readonly add: (topic: Topic) => Promise<string>
  /** Whether there was such a subscription. */
  readonly remove: (id: string) => boolean
}
