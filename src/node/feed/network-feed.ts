import { RpcError, TransportError } from '../../chain/rpc.ts'
import type { KeyCheck } from '../../keys/api-keys.ts'
import type { Clock } from '../../runtime/clock.ts'
import { faultOf, type Log } from '../../runtime/log.ts'
import { type Admission, answerMessage, requestsOf, textOf } from '../admission.ts'
import { codes } from '../codes.ts'
import { errorText } from '../message.ts'
import type { NodeService } from '../service.ts'
import type { FeedBlock, FeedChain } from './chain.ts'
import {
  closeCodes,
  createSessions,
  type FeedLimits,
  type FeedSocket,
  type Session,
} from './sessions.ts'
import type { Subscriptions, Topic } from './subscriptions.ts'
import { createTeller } from './teller.ts'

/** A subscription as it is kept. */
export type KeptSubscription = { socket: string; id: string; topic: Topic }

/** Where the feed keeps what must outlive its memory. */
export type FeedStore = {
  readonly blocks: () => FeedBlock[]
  readonly move: (removed: readonly FeedBlock[], added: readonly FeedBlock[]) => void
  readonly subscriptions: () => KeptSubscription[]
  readonly add: (subscription: KeptSubscription) => void
  readonly remove: (id: string) => void
  readonly removeSocket: (socket: string) => void
}

/** What the node has to tell beyond its chain. */
export type FeedEvents = {
  /**
   * Hashes that entered the pool since the last call. Not `live`: the node was away meanwhile, so
   * that some came and went unseen.
   */
  readonly entered: () => Promise<{ hashes: string[]; live: boolean }>
  /** Hashes that are in the pool now. */
  readonly pool: () => Promise<string[]>
  /** `false`, or how far the node has come (`eth_syncing`). */
  readonly syncing: () => Promise<unknown>
  /** Nobody wants to know what entered so far. */
  readonly skip: () => void
  /** Nobody listens any more. */
  readonly rest: () => void
}

/** The subscribers of one network, and what they are told. */
export type Feed = {
  /** Takes a connection in; `false` when its key has as many as it may have at a time. */
  readonly open: (socket: FeedSocket, most: number) => boolean
  /** Takes connections back in that outlived the feed's memory. */
  readonly restore: (sockets: readonly FeedSocket[]) => void
  readonly message: (socket: FeedSocket, text: string) => Promise<void>
  readonly closed: (socket: FeedSocket) => void
  /** Follows the chain as long as anybody listens; ends then. Safe to call at any time. */
  readonly follow: () => Promise<void>
  /** Something may have happened: look now. */
  readonly nudge: () => void
  readonly isFollowed: () => boolean
}

export type FeedDeps = {
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

/** What a look at the chain found; undefined when it failed. */
type Seen = 'moved' | 'still' | undefined

/** How often keys of open connections are looked up again, so that a revoked one ends within 60 s. */
const keyCheckMs = 10_000

const syncingPollMs = 2_000

export function createFeed(deps: FeedDeps): Feed {
  const { chain, events, store, limits, keyOf, service, clock, newId, log, pollMs } = deps
  const sessions = createSessions({ limits, clock, log, left })
  const teller = createTeller(sessions.all, sessions.send)
  let minedSincePool: string[] = []
  /** Subscriptions that are about to be there: the chain is followed for them too. */
  let joining = 0
  let isFollowing = false
  let isBehind = true
  let lastLook: Promise<Seen> = Promise.resolve(undefined)
  let nextLook: Promise<Seen> | undefined
  let wake = new AbortController()
  let keysCheckedAt = clock.now()
  let syncingAskedAt = Number.NEGATIVE_INFINITY

  return {
    open: sessions.open,

    restore(sockets) {
      const kept = store.subscriptions()
      for (const socket of sockets) {
        const session = sessions.restore(socket)
        for (const { id, topic } of kept.filter((one) => one.socket === socket.id)) {
          session.topics.set(id, topic)
        }
      }
      const gone = new Set(kept.map((one) => one.socket).filter((id) => !sessions.get(id)))
      for (const id of gone) store.removeSocket(id)
      // What happened meanwhile is told to those who have been listening.
      isBehind = subscribers() === 0 || chain.blocks().length === 0
    },

    async message(socket, text) {
      const session = sessions.get(socket.id)
      if (session === undefined) return
      sessions.heard(session)
      if (text.length > limits.messageLength) {
        return sessions.end(session, closeCodes.tooBig, 'the message is too large')
      }
      const answer = await answerTo(session, text)
      if (answer !== undefined) sessions.send(session, answer)
      // Only now does the client know its subscription's id: what is told before would be lost.
      for (const [id, topic] of session.untold) {
        session.topics.set(id, topic)
        session.untold.delete(id)
      }
    },

    closed: ({ id }) => sessions.gone(id),

    async follow() {
      if (isFollowing) return
      isFollowing = true
      while (subscribers() > 0) {
        wake = new AbortController()
        const seen = await lookSoon()
        if (seen !== 'moved') await clock.sleep(pollMs(), wake.signal)
      }
      // In the same turn as the last check: a subscription that comes next starts over.
      isFollowing = false
      isBehind = true
      events.rest()
    },

    nudge: () => wake.abort(),
    isFollowed: () => subscribers() > 0,
  }

  function subscribers(): number {
    let count = joining
    for (const { topics, untold } of sessions.all()) count += topics.size + untold.size
    return count
  }

  function left({ socket, topics, untold }: Session): void {
    if (topics.size + untold.size > 0) store.removeSocket(socket.id)
    endIfUnheard()
  }

  /** Nobody listens: the loop ends now and not after its next sleep. */
  function endIfUnheard(): void {
    if (subscribers() === 0) wake.abort()
  }

  async function answerTo(session: Session, text: string): Promise<string | undefined> {
    const answered = await answerMessage(text, {
      service,
      admit: (calls) => admit(session, calls),
      subscriptionsOf: (key) => subscriptionsOf(session, key.subscriptions),
      async during(calls, work) {
        session.requests += calls
        try {
          return await work()
        } finally {
          session.requests -= calls
        }
      },
      clock,
      log,
    })
    switch (answered.kind) {
      case 'unknown_key':
        sessions.end(session, closeCodes.policy, 'the API key is not valid any more')
        return undefined
      case 'unreadable':
        return errorText('null', answered.error)
      case 'refused':
      case 'over_quota': {
        const { message, error } = answered
        return textOf(
          message,
          requestsOf(message).map(({ id }) => id && errorText(id, error)),
        )
      }
      case 'answered':
        return answered.text
    }
  }

  async function admit(session: Session, calls: number): Promise<Admission> {
    if (session.requests + calls <= limits.requestsPerSocket) {
      return await keyOf(session.socket.keyHash)
    }
    const message = `at most ${limits.requestsPerSocket} requests at a time on one connection`
    return { kind: 'refused', error: new RpcError(codes.limitExceeded, message) }
  }

  function subscriptionsOf(session: Session, most: number): Subscriptions {
    const { id: socket, keyHash } = session.socket
    return {
      async add(topic) {
        joining += 1
        try {
          // The client hears of what happens from now on, so what happened before has to be known.
          if (!(await lookSoon())) throw new TransportError('the chain could not be looked at')
          if (topic.kind === 'newPendingTransactions') teller.pending(await events.pool())
        } finally {
          joining -= 1
        }
        if (sessions.get(socket) !== session) throw new TransportError('the client has left')
        if (subscriptionsOfKey(keyHash) >= most) {
          const message = `at most ${most} subscriptions for one key`
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
        endIfUnheard()
        return true
      },
    }
  }

  function subscriptionsOfKey(keyHash: string): number {
    let count = 0
    for (const { socket, topics, untold } of sessions.all()) {
      if (socket.keyHash === keyHash) count += topics.size + untold.size
    }
    return count
  }

  /** One look at a time; whoever comes while one is under way shares the next. */
  function lookSoon(): Promise<Seen> {
    nextLook ??= lastLook.then(() => {
      nextLook = undefined
      lastLook = lookSafely()
      return lastLook
    })
    return nextLook
  }

  /** Undefined when it failed: then nothing has changed, and the next look finds the same. */
  async function lookSafely(): Promise<Seen> {
    try {
      await start()
      return await look()
    } catch (error) {
      const expected = error instanceof TransportError || error instanceof RpcError
      log({ level: expected ? 'warn' : 'error', event: 'feed.waits', message: faultOf(error) })
      return undefined
    }
  }

  /** Nothing is told of what was there before the first who listens came. */
  async function start(): Promise<void> {
    if (!isBehind) return
    await chain.restart()
    store.move(store.blocks(), chain.blocks())
    teller.forget()
    minedSincePool = []
    isBehind = false
  }

  async function look(): Promise<Seen> {
    const change = await chain.advance()
    switch (change.kind) {
      case 'lost':
        isBehind = true
        for (const session of sessions.all()) {
          if (session.topics.size === 0) continue
          sessions.end(session, closeCodes.tryLater, 'the chain moved too far: subscribe again')
        }
        return 'moved'
      case 'moved':
        // Kept and told in the same turn: whoever takes over goes on right here.
        store.move(change.removed, change.added)
        teller.moved(change.removed, change.added)
        minedSincePool.push(...change.added.flatMap(({ transactions }) => transactions))
    }
    await lookAtPool()
    await lookAtSyncing()
    await lookAtKeys()
    return change.kind
  }

  async function lookAtPool(): Promise<void> {
    if (teller.isWanted('newPendingTransactions')) {
      const { hashes, live } = await events.entered()
      // What was mined while nobody watched the pool must have been in it.
      teller.pending(live ? hashes : [...minedSincePool, ...hashes])
    } else {
      events.skip()
    }
    minedSincePool = []
  }

  async function lookAtSyncing(): Promise<void> {
    if (!teller.isWanted('syncing') || clock.now() - syncingAskedAt < syncingPollMs) return
    syncingAskedAt = clock.now()
    teller.syncing(await events.syncing())
  }

  async function lookAtKeys(): Promise<void> {
    if (clock.now() - keysCheckedAt < keyCheckMs) return
    keysCheckedAt = clock.now()
    const hashes = new Set(Array.from(sessions.all(), ({ socket }) => socket.keyHash))
    for (const hash of hashes) {
      const key = await keyOf(hash)
      if (key.kind !== 'unknown') continue
      for (const session of sessions.all()) {
        if (session.socket.keyHash !== hash) continue
        sessions.end(session, closeCodes.policy, 'the API key is not valid any more')
      }
    }
  }
}
