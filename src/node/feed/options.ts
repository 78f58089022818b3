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
  /** The same over a key's clients and over all, less what any client has read by now: beyond it who owes most is closed. */
  unreadPerKey: 32 * 1024 * 1024,
  unreadInAll: 64 * 1024 * 1024,
  /** Of a key's clients that were closed and have not gone: beyond it no new client of the key is taken in. */
  lingeringPerKey: 32 * 1024 * 1024,
  messageBytes: 2 * 1024 * 1024,
  /** Bytes that filters of subscriptions take, of one key and in all. */
  filters: { each: 2 * 1024 * 1024, inAll: 16 * 1024 * 1024 },
}

export type FeedLimits = typeof feedLimits

/** Who keeps the feed of a network. */
export type FeedKeeper = {
  service: NodeService
  /** Where the nodes take WebSockets. */
  socketUrls: readonly string[]
  openSocket?: (url: string) => WebSocket
  /** What of the day's calls is for subscriptions; undefined where nodes may be asked without a limit. */
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
  keyOf: Keys['lookup']
  /** How long to wait for a nudge before looking at the chain again, in ms. */
  waitMs: () => number
  /** Told of a block that a look found and that no nudge had told of. */
  foundUntold: () => void
}

/** Takes WebSockets over once their key was found good. What the key may do is looked up again here. */
export type SocketKeeper = {
  /** Answers 101, 401 to a key that was revoked a moment ago, and 429 to one with all its connections. */
  readonly accept: (request: Request, keyHash: string, chainId: number) => Promise<Response>
}
