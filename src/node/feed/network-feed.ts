import { bytesToHex } from 'viem'
import { RpcError, TransportError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { filterBytes } from '../objects/log-filter.ts'
import { createShares } from '../shares.ts'
import { createFollower, spentWords } from './follower.ts'
import { createNotifier } from './notifier.ts'
import type { FeedOptions } from './options.ts'
import { createPoller } from './poller.ts'
import { handleMessage } from './requests.ts'
import { createSessions, type FeedSocket, type Session, type Sessions } from './sessions.ts'
import { mayTell, type Subscriptions, type Topic } from './subscriptions.ts'

export type Feed = ReturnType<typeof createFeed>

/** Follows one network for its subscribers, and tells them what happens. */
export function createFeed(options: FeedOptions) {
  const { chain, events, store, limits, clock, log, share } = options
  const sessions = createSessions({ limits, clock, log, left })
  const notifier = createNotifier(sessions.all, sessions.send)
  /** Subscriptions that are about to be there: the chain is followed for them too. */
  const joining = new Set<Topic>()
  const pollerOptions = { ...options, sessions, notifier, joining }
  const poller = createPoller(pollerOptions)
  const { follow, nudge, endIfUnheard } = createFollower({ ...pollerOptions, poller, subscribers })
  const shares = createShares(clock)
  const openSubscriptions = (session: Session, most: number) =>
    createSubscriptions(session, most, { ...options, sessions, join, left: endIfUnheard })

  function subscribers(): number {
    return joining.size + subscriptionsIn([...sessions.all()])
  }

  /** Looks at the chain first, since a client hears only of what happens from now on. */
  async function join(topic: Topic): Promise<void> {
    const spent = spentWords(share)
    if (spent !== undefined) throw new RpcError(codes.limitExceeded, spent)
    joining.add(topic)
    const seen = await poller.soon()
    joining.delete(topic)
    if (seen === undefined) throw new TransportError('the chain could not be looked at')
  }

  function left({ socket, topics }: Session): void {
    if (topics.size > 0) store.removeSocket(socket.id)
    endIfUnheard()
  }

  return {
    /** Takes a connection in; `false` when its key has as many as it may have at a time. */
    open: sessions.open,
    /** Takes connections back in that outlived the feed's memory. */
    restore(sockets: readonly FeedSocket[]): void {
      restoreSessions(sockets, sessions, options)
      // What happened meanwhile is told to the clients that have been listening.
      if (subscribers() === 0 || chain.blocks().length === 0) poller.startOver()
      else poller.goOn()
    },
    async message(socket: FeedSocket, message: string | ArrayBuffer): Promise<void> {
      const session = sessions.get(socket.id)
      if (session === undefined) return
      await handleMessage(session, message, { ...options, sessions, shares, openSubscriptions })
    },
    closed: ({ id }: FeedSocket) => sessions.gone(id),
    /** Follows the chain as long as a client listens. Safe to call at any time. */
    follow,
    /** Looks now: something may have happened. */
    nudge,
    /** Tells what entered the pool without a look at the chain. */
    hear(): void {
      if (notifier.isWanted('newPendingTransactions')) notifier.pending(events.heard())
    },
    /**
     * Tells whether a client wants, or is about to want, a log that a block of this bloom may hold.
     */
    areLogsWanted: (bloom: string | null): boolean =>
      [...joining, ...notifier.topics()].some((topic) => mayTell(topic, bloom)),
    isFollowed: () => subscribers() > 0,
  }
}

/** Takes connections back in with what they had subscribed to, and drops what the others had. */
function restoreSessions(
  sockets: readonly FeedSocket[],
  sessions: Sessions,
  { store }: FeedOptions,
): void {
  for (const socket of sockets) sessions.restore(socket)
  for (const { socket, id, topic } of store.subscriptions()) {
    const session = sessions.get(socket)
    if (session === undefined) store.removeSocket(socket)
    else session.topics.set(id, { topic, isTold: true })
  }
}

/** Makes the subscriptions of one connection, whose key may have so many at a time. */
function createSubscriptions(
  session: Session,
  most: number,
  options: FeedOptions & {
    sessions: Sessions
    join: (topic: Topic) => Promise<void>
    /** Is called when a client listens to one thing less. */
    left: () => void
  },
): Subscriptions {
  const { sessions, limits, store, join, left } = options
  const { id: socket, keyHash } = session.socket
  return {
    async add(topic) {
      await join(topic)
      if (sessions.get(socket) !== session) throw new TransportError('the client has left')
      const ofKey = [...sessions.all()].filter((one) => one.socket.keyHash === keyHash)
      if (subscriptionsIn(ofKey) >= most) {
        throw new RpcError(codes.limitExceeded, `at most ${most} subscriptions for one key`)
      }
      const bytes = topicBytes(topic)
      const { each, inAll } = limits.filters
      if (
        bytes > 0 &&
        (bytesIn(ofKey) + bytes > each || bytesIn([...sessions.all()]) + bytes > inAll)
      ) {
        const message = 'the filters of subscriptions take too much memory: use shorter ones'
        throw new RpcError(codes.limitExceeded, message)
      }
      const id = bytesToHex(crypto.getRandomValues(new Uint8Array(16)))
      session.topics.set(id, { topic, isTold: false })
      store.add({ socket, id, topic })
      return id
    },
    remove(id) {
      if (!session.topics.delete(id)) return false
      store.remove(id)
      left()
      return true
    },
  }
}

/** Counts the bytes of the topics anew each time, so that closed ones free theirs. */
function bytesIn(sessions: readonly Session[]): number {
  const topics = sessions.flatMap((session) => [...session.topics.values()])
  return topics.reduce((sum, { topic }) => sum + topicBytes(topic), 0)
}

function topicBytes(topic: Topic): number {
  return topic.kind === 'logs' ? filterBytes(topic.filter) : 0
}

function subscriptionsIn(sessions: readonly Session[]): number {
  return sessions.reduce((sum, { topics }) => sum + topics.size, 0)
}
