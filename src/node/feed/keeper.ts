import { withinTime } from '../../runtime/time-limit.ts'
import { createNodeSocket } from '../upstream/socket.ts'
import { createFeedChain, createFeedSource } from './chain.ts'
import { createFeedEvents } from './events.ts'
import type { FeedStore } from './feed-store.ts'
import { createFeed, type Feed } from './network-feed.ts'
import type { FeedKeeper } from './options.ts'
import { waitBetweenLooks } from './pace.ts'

const lookMs = 6_000

export function createNodeFeed(keeper: FeedKeeper, store: FeedStore): Feed {
  const { service, socketUrls, openSocket, keys, clock, share } = keeper
  const { nodes } = service
  const ask: Parameters<typeof createFeedEvents>[0] = (work) =>
    withinTime(clock, lookMs, (signal) =>
      nodes.during(signal).ask((node) => work(share === undefined ? node : share.counted(node))),
    )
  const changed = () => feed.nudge()
  const entered = () => feed.hear()
  const socket = createNodeSocket(socketUrls, clock.now, { changed, entered }, openSocket)
  const source = createFeedSource(ask, nodes.sawHead, (bloom) => feed.areLogsWanted(bloom))
  const chain = createFeedChain(source, store.blocks())
  const feed: Feed = createFeed({
    ...keeper,
    chain,
    events: createFeedEvents(ask, socket),
    store,
    findKey: keys.lookup,
    waitMs() {
      socket.ensure()
      return waitBetweenLooks(chain.blocks(), socket.told(), clock.now(), share?.stretchMs())
    },
    foundUntold: socket.doubt,
  })
  return feed
}
