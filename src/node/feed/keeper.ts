import { withinTime } from '../../runtime/time-limit.ts'
import { createNodeSocket } from '../upstream/socket.ts'
import { createFeedChain, createFeedSource } from './chain.ts'
import { createFeedEvents } from './events.ts'
import type { FeedStore } from './feed-store.ts'
import { createFeed, type Feed } from './network-feed.ts'
import type { FeedKeeper } from './options.ts'

/** How often the chain is looked at while no node says that something happened, and while one does. */
const pollMs = { alone: 1_000, told: 2_500 }

const lookMs = 6_000

export function createNodeFeed(keeper: FeedKeeper, store: FeedStore): Feed {
  const { service, urls, keys, clock } = keeper
  const { nodes } = service
  const ask: Parameters<typeof createFeedEvents>[0] = (work) =>
    withinTime(clock, lookMs, (signal) => nodes.during(signal).ask(work))
  const socket = createNodeSocket(urls, clock.now, () => feed.nudge())
  const feed: Feed = createFeed({
    ...keeper,
    chain: createFeedChain(createFeedSource(ask, nodes.sawHead), store.blocks()),
    events: createFeedEvents(ask, socket),
    store,
    keyOf: keys.lookup,
    pollMs() {
      socket.ensure()
      return socket.connection() !== undefined ? pollMs.told : pollMs.alone
    },
  })
  return feed
}
