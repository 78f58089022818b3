import type { Keys } from '../../keys/api-keys.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { NodeService } from '../service.ts'
import type { FeedShare } from '../upstream/budget.ts'
import type { FeedChain } from './chain.ts'
import type { FeedEvents } from './events.ts'
import type { FeedStore } from './feed-store.ts'

export const feedLimits = {
  /** Requests of one connection that may be under way at the same time. */
  requestsPerSocket: 50,
  /** Characters that were sent to a client which has sent nothing since. */
  unansweredPerSocket: 8 * 1024 * 1024,
  /** Limits unread bytes of a key and of all, less what was read; the largest debtor is closed. */
  unreadPerKey: 32 * 1024 * 1024,
  unreadInAll: 64 * 1024 * 1024,
  /**
   * Limits a key's bytes of closed clients that have not gone; beyond it new clients are refused.
   */
  lingeringPerKey: 32 * 1024 * 1024,
  messageBytes: 2 * 1024 * 1024,
  /** Bytes that filters of subscriptions take, of one key and in all. */
  filters: { each: 2 * 1024 * 1024, inAll: 16 * 1024 * 1024 },
}

export type FeedLimits = typeof feedLimits

/** Holds what the feed of a network needs. */
export type FeedKeeper = {
  service: NodeService
  /** Lists the nodes' WebSocket addresses. */
  socketUrls: readonly string[]
  openSocket?: (url: string) => WebSocket
  /** Shares the day's calls with subscriptions; undefined where calls have no limit. */
  share: FeedShare | undefined
  keys: Keys
  limits: FeedLimits
  clock: Clock
  log: Log
}

export type FeedOptions = Omit<FeedKeeper, 'socketUrls' | 'openSocket' | 'keys'> & {
  chain: FeedChain
  events: FeedEvents
  store: FeedStore
  findKey: Keys['lookup']
  /** Returns how long to wait for news before the next look, in ms. */
  waitMs: () => number
  /** Is called for a block that a look found before any news of it. */
  foundUntold: () => void
}

/** Takes over WebSockets whose key was found good; what the key may do is looked up again here. */
export type SocketKeeper = {
  /** Answers 101; 401 to a key just revoked, and 429 to one with all its connections. */
  readonly accept: (request: Request, keyHash: string, chainId: number) => Promise<Response>
}
