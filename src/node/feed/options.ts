import type { Keys } from '../../keys/api-keys.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { NodeService } from '../service.ts'
import type { FeedBudget } from '../upstream/budget.ts'
import type { FeedChain } from './chain.ts'
import type { FeedEvents } from './events.ts'
import type { FeedStore } from './store.ts'

export const feedLimits = {
  requestsPerSocket: 100,
  /** Limits the characters sent to a client since it last sent anything. */
  unansweredPerSocket: 8 * 1024 * 1024,
  /** Limits the estimated unread bytes of a key and in total; the fullest connection is closed. */
  unreadPerKey: 32 * 1024 * 1024,
  unreadTotal: 64 * 1024 * 1024,
  /** Limits a key's unread bytes in closing connections; beyond it new ones are refused. */
  closingPerKey: 32 * 1024 * 1024,
  messageBytes: 2 * 1024 * 1024,
  filters: { perKey: 2 * 1024 * 1024, total: 16 * 1024 * 1024 },
}

export type FeedLimits = typeof feedLimits

export type FeedDeps = {
  service: NodeService
  socketUrls: readonly string[]
  openSocket?: (url: string) => WebSocket
  /** Limits the day's calls for subscriptions; undefined if calls have no limit. */
  budget: FeedBudget | undefined
  keys: Keys
  limits: FeedLimits
  clock: Clock
  log: Log
}

export type FeedOptions = Omit<FeedDeps, 'socketUrls' | 'openSocket' | 'keys'> & {
  chain: FeedChain
  events: FeedEvents
  /** Is undefined where connections end with the process. */
  store: FeedStore | undefined
  findKey: Keys['lookup']
  /** Returns how long to wait before the next poll, in ms. */
  nextWaitMs: () => number
  /** Is called when a poll finds a block that the socket has not reported. */
  onMissedHead: () => void
}

/** Accepts WebSockets with a valid key; looks up the key's limits itself. */
export type SocketServer = {
  /** Answers 101; 401 for a revoked key, and 429 if the key has reached its connections. */
  readonly accept: (request: Request, keyHash: string, chainId: number) => Promise<Response>
}
