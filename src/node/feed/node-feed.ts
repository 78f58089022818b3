import { runWithTimeLimit } from '../../runtime/time-limit.ts'
import { createNodeSocket } from '../upstream/socket.ts'
import { createFeedChain, createFeedSource } from './chain.ts'
import { createFeedEvents } from './events.ts'
import type { FeedStore } from './feed-store.ts'
import { createFeed, type Feed } from './network-feed.ts'
import type { FeedDeps } from './options.ts'
import { computePollWaitMs } from './pace.ts'

const pollMs = 6_000

export function createNodeFeed(deps: FeedDeps, store: FeedStore): Feed {
  const { service, socketUrls, openSocket, keys, clock, budget } = deps
  const { nodes } = service
  const ask: Parameters<typeof createFeedEvents>[0] = (work) =>
    runWithTimeLimit(clock, pollMs, (signal) =>
      nodes
        .withSignal(signal)
        .ask((node) => work(budget === undefined ? node : budget.countCalls(node))),
    )
  const onChange = () => feed.wake()
  const onHash = () => feed.announcePending()
  const socket = createNodeSocket(socketUrls, clock.now, { onChange, onHash }, openSocket)
  const source = createFeedSource(ask, nodes.recordHead, (bloom) => feed.areLogsWanted(bloom))
  const chain = createFeedChain(source, store.readBlocks())
  const feed: Feed = createFeed({
    ...deps,
    chain,
    events: createFeedEvents(ask, socket),
    store,
    findKey: keys.lookup,
    nextWaitMs() {
      socket.connectIfDue()
      return computePollWaitMs(
        chain.getBlocks(),
        socket.getReportedHead(),
        clock.now(),
        budget?.getPollIntervalMs(),
      )
    },
    onMissedHead: socket.closeUnlessNew,
  })
  return feed
}
