import { RpcError, TransportError } from '../../chain/rpc.ts'
import type { KeyCheck } from '../../keys/api-keys.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import { codes } from '../codes.ts'
import { filterBytes } from '../objects/log-filter.ts'
import type { NodeService } from '../service.ts'
import { createShares } from '../shares.ts'
import type { FeedChain } from './chain.ts'
import type { FeedEvents } from './events.ts'
import type { FeedStore } from './feed-store.ts'
import { createLooks } from './looks.ts'
import { handleMessage } from './requests.ts'
import {
  createSessions,
  type FeedLimits,
  type FeedSocket,
  type Session,
  type Sessions,
} from './sessions.ts'
import type { Subscriptions, Topic } from './subscriptions.ts'
import { createTeller } from './teller.ts'

export type FeedOptions = {
  chain: FeedChain
  events: FeedEvents
  store: FeedStore
  limits: FeedLimits
  /** Looks a key up by its hash, for as long as a connection lasts. */
  keyOf: (hash: string) => Promise<KeyCheck>
  service: NodeService
  clock: Clock
  newId: () => string
  log: Log
  /** How long to wait for a nudge before looking at the chain again, in ms. */
  pollMs: () => number
}

export type Feed = ReturnType<typeof createFeed>

/** The subscribers of one network, and what they are told. */
export function createFeed(options: FeedOptions) {
  const { chain, events, store, limits, clock, log, pollMs } = options
  const sessions = createSessions({ limits, clock, log, left })
  const teller = createTeller(sessions.all, sessions.send)
  const looks = createLooks({ ...options, sessions, teller })
  const shares = createShares(clock)
  const joining = { count: 0 }
  let isFollowing = false
  let wake = new AbortController()
  const subscriptionsOf = (session: Session, most: number) =>
    createSubscriptions(session, most, {
      ...options,
      sessions,
      joining,
      look: looks.soon,
      pending: async () => teller.pending(await events.pool()),
      left: endIfUnheard,
    })

  return {
    /** Takes a connection in; `false` when its key has as many as it may have at a time. */
    open: sessions.open,
    /** Takes connections back in that outlived the feed's memory. */
    restore(sockets: readonly FeedSocket[]): void {
      restoreSessions(sockets, sessions, store)
      // What happened meanwhile is told to the clients that have been listening.
      if (subscribers() === 0 || chain.blocks().length === 0) looks.startOver()
      else looks.goOn()
    },
    async message(socket: FeedSocket, message: string | ArrayBuffer): Promise<void> {
      const session = sessions.get(socket.id)
      if (session === undefined) return
      await handleMessage(session, message, { ...options, sessions, shares, subscriptionsOf })
    },
    closed: ({ id }: FeedSocket) => sessions.gone(id),
    /** Follows the chain as long as a client listens; ends then. Safe to call at any time. */
    async follow(): Promise<void> {
      if (isFollowing) return
      isFollowing = true
      while (subscribers() > 0) {
        wake = new AbortController()
        const seen = await looks.soon()
        if (seen !== 'moved') await clock.sleep(pollMs(), wake.signal)
      }
      // In the same turn as the last check: a subscription that comes next starts over.
      isFollowing = false
      looks.startOver()
      events.rest()
    },
    /** Something may have happened: look now. */
    nudge: () => wake.abort(),
    isFollowed: () => subscribers() > 0,
  }

  function subscribers(): number {
    return joining.count + subscriptionsIn(sessions.all())
  }

  function left({ socket, topics, untold }: Session): void {
    if (topics.size + untold.size > 0) store.removeSocket(socket.id)
    endIfUnheard()
  }

  /** No client listens: the loop ends now and not after its next sleep. */
  function endIfUnheard(): void {
    if (subscribers() === 0) wake.abort()
  }
}

/** Takes connections back in with what they had subscribed to, and drops what the others had. */
function restoreSessions(
  sockets: readonly FeedSocket[],
  sessions: Sessions,
  store: FeedStore,
): void {
  const kept = store.subscriptions()
  for (const socket of sockets) {
    const session = sessions.restore(socket)
    for (const { id, topic } of kept.filter((one) => one.socket === socket.id)) {
      session.topics.set(id, topic)
    }
  }
  const gone = new Set(kept.map((one) => one.socket).filter((id) => !sessions.get(id)))
  for (const id of gone) store.removeSocket(id)
}

type SubscribingOptions = {
  sessions: Sessions
  limits: FeedLimits
  store: FeedStore
  newId: () => string
  /** Subscriptions that are about to be there: the chain is followed for them too. */
  joining: { count: number }
  /** Looks at the chain; undefined when that failed. */
  look: () => Promise<unknown>
  pending: () => Promise<void>
  /** A client listens to one thing less. */
  left: () => void
}

/** The subscriptions of one connection, whose key may have so many at a time. */
function createSubscriptions(
  session: Session,
  most: number,
  { sessions, limits, store, newId, joining, look, pending, left }: SubscribingOptions,
): Subscriptions {
  const { id: socket, keyHash } = session.socket
  return {
    async add(topic) {
      joining.count += 1
      try {
        // The client hears of what happens from now on, so what happened before has to be known.
        if (!(await look())) throw new TransportError('the chain could not be looked at')
        if (topic.kind === 'newPendingTransactions') await pending()
      } finally {
        joining.count -= 1
      }
      if (sessions.get(socket) !== session) throw new TransportError('the client has left')
      const ofKey = [...sessions.all()].filter((one) => one.socket.keyHash === keyHash)
      if (subscriptionsIn(ofKey) >= most) {
        const message = `at most ${most} subscriptions for one key`
        throw new RpcError(codes.limitExceeded, message)
      }
      const bytes = topicBytes(topic)
      for (const [most, those] of [
        [limits.filters.each, ofKey],
        [limits.filters.inAll, sessions.all()],
      ] as const) {
        if (bytes === 0 || bytesIn(those) + bytes <= most) continue
        const message = 'the filters of subscriptions take too much memory: use shorter ones'
        throw new RpcError(codes.limitExceeded, message)
      }
      const id = newId()
      session.untold.set(id, topic)
      store.add({ socket, id, topic })
      return id
    },
    remove(id) {
      if (!session.topics.delete(id) && !session.untold.delete(id)) return false
      store.remove(id)
      left()
      return true
    },
  }
}

/** Counted anew each time, so that what is closed is free. */
function bytesIn(sessions: Iterable<Session>): number {
  let bytes = 0
  for (const { topics, untold } of sessions) {
    for (const topic of topics.values()) bytes += topicBytes(topic)
    for (const topic of untold.values()) bytes += topicBytes(topic)
  }
  return bytes
}

function topicBytes(topic: Topic): number {
  return topic.kind === 'logs' ? filterBytes(topic.filter) : 0
}

function subscriptionsIn(sessions: Iterable<Session>): number {
  let count = 0
  for (const { topics, untold } of sessions) count += topics.size + untold.size
  return count
}
