import { RpcError, TransportError } from '../chain/rpc.ts'
import type { Clock } from '../clock.ts'
import { faultOf, type Log as LogEvents } from '../log.ts'
import { codes } from './codes.ts'
import type { FeedBlock, FeedChain } from './feed-chain.ts'
import type { KeyCheck } from './keys.ts'
import type { Log } from './log.ts'
import { type LogFilter, matches } from './log-filter.ts'
import { errorText, notificationText, parseMessage } from './message.ts'
import { type Caller, joinResponses, respond } from './respond.ts'
import type { Subscriptions, Topic } from './subscriptions.ts'

/** One client's connection, whatever the runtime calls it. */
export type FeedSocket = {
  /** Names the connection as long as it lasts. */
  readonly id: string
  /** SHA-256 of the API key that it was opened with. */
  readonly keyHash: string
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Characters that the runtime still holds for it; undefined where a runtime does not tell. */
  readonly buffered?: () => number
}

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

/** What else the node has to tell. */
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

export type FeedLimits = {
  /** Requests of one connection that may be under way at the same time. */
  requestsPerSocket: number
  /** Characters that were sent to a client which has sent nothing since. */
  unansweredPerSocket: number
  /** The same over all clients: beyond it those who owe most are closed first. */
  unansweredInAll: number
  /** The same over clients that were closed and have not gone: beyond it nobody new is taken in. */
  lingeringInAll: number
  messageLength: number
}

export const feedLimits: FeedLimits = {
  requestsPerSocket: 50,
  unansweredPerSocket: 8 * 1024 * 1024,
  unansweredInAll: 32 * 1024 * 1024,
  lingeringInAll: 32 * 1024 * 1024,
  messageLength: 2 * 1024 * 1024,
}

/** WebSocket close codes (RFC 6455, section 7.4; 1013 is IANA's "try again later"). */
export const closeCodes = { tooBig: 1009, policy: 1008, tryLater: 1013 } as const

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
  service: Caller['service']
  clock: Clock
  newId: () => string
  log: LogEvents
  /** How long to wait for a nudge before looking at the chain again, in ms. */
  pollMs: () => number
}

/** What a look at the chain found; undefined when it failed. */
type Seen = 'moved' | 'still' | undefined

type Session = {
  socket: FeedSocket
  topics: Map<string, Topic>
  /** Subscriptions whose ids the client has not been told yet. */
  untold: Map<string, Topic>
  /** Sent since the client last sent anything. */
  unanswered: number
  requests: number
}

/** How often keys of open connections are looked up again, so that a revoked one ends within 60 s. */
const keyCheckMs = 30_000

const syncingPollMs = 2_000

/** A client that was closed and does not answer that keeps its place for so long. */
const lingerMs = 600_000

/** Hashes that are remembered, so that none is told of twice. */
const rememberedHashes = 20_000

export function createFeed(deps: FeedDeps): Feed {
  const { chain, events, store, limits, keyOf, service, clock, newId, log, pollMs } = deps
  const sessions = new Map<string, Session>()
  /** Closed from here, but not yet by the client: the runtime still holds what it did not read. */
  const lingering = new Map<string, { keyHash: string; since: number; length: number }>()
  const told = new Set<string>()
  let minedUntold: string[] = []
  let unansweredInAll = 0
  let isFollowing = false
  let isBehind = true
  let lastLook: Promise<Seen> = Promise.resolve(undefined)
  let nextLook: Promise<Seen> | undefined
  let wake = new AbortController()
  let keysCheckedAt = clock.now()
  let syncing: { at: number; state: string } | undefined

  return {
    open(socket, most) {
      const now = clock.now()
      for (const [id, { since }] of lingering) if (now - since > lingerMs) lingering.delete(id)
      const places = [
        ...[...sessions.values()].map((session) => session.socket.keyHash),
        ...[...lingering.values()].map(({ keyHash }) => keyHash),
      ].filter((keyHash) => keyHash === socket.keyHash)
      let held = 0
      for (const { length } of lingering.values()) held += length
      if (places.length >= most || held > limits.lingeringInAll) return false
      sessions.set(socket.id, sessionOf(socket))
      return true
    },

    restore(sockets) {
      const kept = store.subscriptions()
      for (const socket of sockets) {
        const session = sessionOf(socket)
        for (const { id, topic } of kept.filter((one) => one.socket === socket.id)) {
          session.topics.set(id, topic)
        }
        sessions.set(socket.id, session)
      }
      const gone = new Set(kept.map((one) => one.socket).filter((id) => !sessions.has(id)))
      for (const id of gone) store.removeSocket(id)
      // What happened meanwhile is told to those who have been listening.
      isBehind = subscribers() === 0 || chain.blocks().length === 0
    },

    async message(socket, text) {
      const session = sessions.get(socket.id)
      if (session === undefined) return
      unansweredInAll -= session.unanswered
      session.unanswered = 0
      if (text.length > limits.messageLength) {
        return end(session, closeCodes.tooBig, 'the message is too large')
      }
      const answer = await answerTo(session, text)
      // The client may have left meanwhile.
      if (answer !== undefined && sessions.get(socket.id) === session) send(session, answer)
      // Only now does the client know its subscription's id: what is told before would be lost.
      for (const [id, topic] of session.untold) {
        session.topics.set(id, topic)
        session.untold.delete(id)
      }
    },

    closed({ id }) {
      lingering.delete(id)
      forget(id)
    },

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

  function sessionOf(socket: FeedSocket): Session {
    return { socket, topics: new Map(), untold: new Map(), unanswered: 0, requests: 0 }
  }

  /** Nobody listens: the loop ends now and not after its next sleep. */
  function endIfUnheard(): void {
    if (subscribers() === 0) wake.abort()
  }

  function subscribers(): number {
    let count = 0
    for (const { topics, untold } of sessions.values()) count += topics.size + untold.size
    return count
  }

  function forget(id: string): void {
    const session = sessions.get(id)
    if (session === undefined) return
    sessions.delete(id)
    unansweredInAll -= session.unanswered
    if (session.topics.size + session.untold.size > 0) store.removeSocket(id)
    endIfUnheard()
  }

  /** The client may not answer the closing; it is told nothing more, whatever it does. */
  function end(session: Session, code: number, reason: string): void {
    const { socket } = session
    const { keyHash } = socket
    lingering.set(socket.id, { keyHash, since: clock.now(), length: session.unanswered })
    socket.close(code, reason)
    forget(socket.id)
    log({ level: 'info', event: 'socket.closed', message: reason, code })
  }

  async function answerTo(session: Session, text: string): Promise<string | undefined> {
    const message = parseMessage(text)
    if (message.kind === 'refused') return errorText('null', message.error)
    const requests = message.kind === 'batch' ? message.requests : [message.request]
    const refusal = await refusalOf(session, requests.length)
    if (refusal !== undefined && 'error' in refusal) {
      const refused = requests.map(({ id }) => id && errorText(id, refusal.error))
      return message.kind === 'batch' ? joinResponses(refused) : refused[0]
    }
    if (refusal === undefined) return undefined
    session.requests += requests.length
    try {
      const caller: Caller = {
        service,
        methods: refusal.methods,
        subscriptions: subscriptionsOf(session, refusal.subscriptions),
        clock,
        log,
      }
      const responses = await Promise.all(requests.map((request) => respond(request, caller)))
      return message.kind === 'batch' ? joinResponses(responses) : responses[0]
    } finally {
      session.requests -= requests.length
    }
  }

  type Allowed = { methods: ReadonlySet<string> | undefined; subscriptions: number }

  /** Undefined when the connection was closed over it. */
  async function refusalOf(
    session: Session,
    calls: number,
  ): Promise<Allowed | { error: RpcError } | undefined> {
    if (session.requests + calls > limits.requestsPerSocket) {
      const message = `at most ${limits.requestsPerSocket} requests at a time on one connection`
      return { error: new RpcError(codes.limitExceeded, message) }
    }
    const key = await keyOf(session.socket.keyHash)
    if (key.kind === 'unknown') {
      end(session, closeCodes.policy, 'the API key is not valid any more')
      return undefined
    }
    const spent = await key.spend(calls)
    if (spent === undefined) return key
    const resetAt = spent.resetAt.toISOString()
    const message = `daily quota exceeded, resets at ${resetAt}`
    return { error: new RpcError(codes.limitExceeded, message, { resetAt }) }
  }

  function subscriptionsOf(session: Session, most: number): Subscriptions {
    const { id: socket, keyHash } = session.socket
    return {
      async add(topic) {
        // The client hears of what happens from now on, so what happened before has to be known.
        if (!(await lookSoon())) throw new TransportError('the chain could not be looked at')
        if (topic.kind === 'newPendingTransactions') tellPending(await events.pool())
        let own = 0
        for (const { socket, topics, untold } of sessions.values()) {
          if (socket.keyHash === keyHash) own += topics.size + untold.size
        }
        if (own >= most) {
          const message = `at most ${most} subscriptions for one key`
          throw new RpcError(codes.limitExceeded, message)
        }
        const id = newId()
        session.untold.set(id, topic)
        store.add({ socket, id, topic })
        return id
      },
      remove(id) {
        if (!session.topics.delete(id)) return false
        store.remove(id)
        endIfUnheard()
        return true
      },
    }
  }

  /** Nothing is told of what was there before the first who listens came. */
  async function started(): Promise<void> {
    if (!isBehind) return
    await chain.restart()
    store.move(store.blocks(), chain.blocks())
    told.clear()
    minedUntold = []
    syncing = undefined
    isBehind = false
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
      await started()
      return await look()
    } catch (error) {
      const expected = error instanceof TransportError || error instanceof RpcError
      log({ level: expected ? 'warn' : 'error', event: 'feed.waits', message: faultOf(error) })
      return undefined
    }
  }

  async function look(): Promise<Seen> {
    const change = await chain.advance()
    switch (change.kind) {
      case 'lost':
        isBehind = true
        for (const session of sessions.values()) {
          if (session.topics.size === 0) continue
          end(session, closeCodes.tryLater, 'the chain moved too far: subscribe again')
        }
        return 'moved'
      case 'moved':
        // Kept and told in the same turn: whoever takes over goes on right here.
        store.move(change.removed, change.added)
        tellMove(change.removed, change.added)
    }
    if (!someoneWants('newPendingTransactions')) {
      events.skip()
    } else {
      const { hashes, live } = await events.entered()
      // What was mined while nobody watched the pool must have been in it.
      tellPending(live ? hashes : [...minedUntold, ...hashes])
    }
    minedUntold = []
    if (someoneWants('syncing')) await tellSyncing()
    if (clock.now() - keysCheckedAt > keyCheckMs) await checkKeys()
    return change.kind
  }

  function tellMove(removed: readonly FeedBlock[], added: readonly FeedBlock[]): void {
    for (const { logs } of removed) tellLogs(logs.toReversed(), true)
    for (const { head, logs } of added) {
      tellAll('newHeads', head)
      tellLogs(logs, false)
    }
    const mined = added.flatMap(({ transactions }) => transactions)
    minedUntold.push(...mined)
    const included = new Set(mined)
    const returned = removed
      .flatMap(({ transactions }) => transactions)
      .filter((hash) => !included.has(hash))
    for (const hash of returned) told.delete(hash)
    tellPending(returned)
  }

  function tellLogs(logs: readonly Log[], removed: boolean): void {
    if (logs.length === 0) return
    const readers = [...sessions.values()].flatMap((session) =>
      [...session.topics].flatMap(([id, topic]) =>
        topic.kind === 'logs' ? [{ session, id, filter: topic.filter }] : [],
      ),
    )
    for (const log of logs) {
      const text = JSON.stringify({ ...log, removed })
      const seen = new Map<LogFilter, boolean>()
      for (const { session, id, filter } of readers) {
        const wanted = seen.get(filter) ?? matches(filter, log)
        seen.set(filter, wanted)
        if (wanted) send(session, notificationText(id, text))
      }
    }
  }

  function tellPending(hashes: readonly string[]): void {
    for (const hash of hashes) {
      if (told.has(hash)) continue
      told.add(hash)
      tellAll('newPendingTransactions', `"${hash}"`)
    }
    for (const oldest of told) {
      if (told.size <= rememberedHashes) break
      told.delete(oldest)
    }
  }

  async function tellSyncing(): Promise<void> {
    if (syncing !== undefined && clock.now() - syncing.at < syncingPollMs) return
    const status = syncStatus(await events.syncing())
    const state = status === false ? 'off' : 'on'
    if (syncing !== undefined && syncing.state !== state) {
      tellAll('syncing', JSON.stringify(status))
    }
    syncing = { at: clock.now(), state }
  }

  function tellAll(kind: Topic['kind'], result: string): void {
    for (const session of sessions.values()) {
      for (const [id, topic] of session.topics) {
        if (topic.kind === kind) send(session, notificationText(id, result))
      }
    }
  }

  function someoneWants(kind: Topic['kind']): boolean {
    for (const { topics, untold } of sessions.values()) {
      for (const topic of [...topics.values(), ...untold.values()]) {
        if (topic.kind === kind) return true
      }
    }
    return false
  }

  /** Runtimes that show no queue are held by what the client has left unanswered. */
  function send(session: Session, text: string): void {
    const { socket } = session
    if (!sessions.has(socket.id)) return
    const buffered = socket.buffered?.()
    const owed = buffered ?? session.unanswered
    if (owed > 0 && owed + text.length > limits.unansweredPerSocket) {
      end(session, closeCodes.tryLater, 'read faster, or send something now and then')
      return
    }
    try {
      socket.send(text)
    } catch {
      // It was closed a moment ago, and the runtime has not said so yet.
      forget(socket.id)
      return
    }
    if (buffered !== undefined) return
    session.unanswered += text.length
    unansweredInAll += text.length
    while (unansweredInAll > limits.unansweredInAll) {
      const [most] = [...sessions.values()].toSorted((a, b) => b.unanswered - a.unanswered)
      if (most === undefined) break
      end(most, closeCodes.tryLater, 'read faster, or send something now and then')
    }
  }

  async function checkKeys(): Promise<void> {
    keysCheckedAt = clock.now()
    const hashes = new Set([...sessions.values()].map(({ socket }) => socket.keyHash))
    for (const hash of hashes) {
      const key = await keyOf(hash)
      if (key.kind !== 'unknown') continue
      for (const session of sessions.values()) {
        if (session.socket.keyHash !== hash) continue
        end(session, closeCodes.policy, 'the API key is not valid any more')
      }
    }
  }
}

/** In the spec's shape: RSKj prints decimal numbers, and says more than is asked for. */
export function syncStatus(status: unknown): false | Record<string, string> {
  if (typeof status !== 'object' || status === null) return false
  const fields = status as Record<string, unknown>
  return Object.fromEntries(
    ['startingBlock', 'currentBlock', 'highestBlock'].map((name) => [
      name,
      `0x${BigInt((fields[name] ?? 0) as string | number).toString(16)}`,
    ]),
  )
}
