import type { Clock } from '../../runtime/clock.ts'
import type { FeedDeps, FeedLimits } from './options.ts'
import type { Topic } from './subscriptions.ts'

export type FeedSocket = {
  readonly id: string
  readonly keyHash: string
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Returns the characters not sent yet; undefined if the runtime does not report them. */
  readonly getUnsentLength?: () => number
}

export type Session = {
  readonly socket: FeedSocket
  /** Holds subscriptions by id; one becomes active once the client has received its id. */
  readonly topics: Map<string, { topic: Topic; isActive: boolean }>
  /** Counts the characters sent since the client last sent anything. */
  unanswered: number
  runningRequests: number
}

/** Lists WebSocket close codes (RFC 6455, section 7.4; IANA has 1013, "try again later"). */
export const closeCodes = { tooBig: 1009, policy: 1008, tryLater: 1013 } as const

const unreadReason = 'read faster, or send something now and then'

export const revokedReason = 'the API key is not valid any more'

export type Sessions = ReturnType<typeof createSessions>

/** Manages a feed's connections, and keeps the memory for them within the limits. */
export function createSessions(
  { limits, clock, log }: Pick<FeedDeps, 'limits' | 'clock' | 'log'>,
  onRemove: (session: Session) => void,
) {
  const sessions = new Map<string, Session>()
  /** Holds closed connections until they end: the runtime still holds their unread data. */
  const closing = new Map<string, Session>()
  const unreadCounters = createUnreadCounters(limits, clock)

  function restore(socket: FeedSocket): Session {
    const session = { socket, topics: new Map(), unanswered: 0, runningRequests: 0 }
    sessions.set(socket.id, session)
    unreadCounters.changeClients(socket.keyHash, 1)
    return session
  }

  /** Resets what counts as unread, since a client that sends something probably reads too. */
  function recordMessage(session: Session): void {
    unreadCounters.add(session.socket.keyHash, -session.unanswered)
    session.unanswered = 0
  }

  function removeSession(id: string): void {
    const session = sessions.get(id)
    if (session === undefined || !sessions.delete(id)) return
    recordMessage(session)
    unreadCounters.changeClients(session.socket.keyHash, -1)
    onRemove(session)
  }

  /** Closes a connection; nothing more is sent, whether or not the client confirms the close. */
  function close(session: Session, code: number, reason: string): void {
    const { socket } = session
    closing.set(socket.id, { ...session, topics: new Map() })
    socket.close(code, reason)
    removeSession(socket.id)
    log({ level: 'info', event: 'socket.closed', message: reason, code })
  }

  /** Closes the fullest connections until the key's and the total unread data are within limits. */
  function enforceUnreadLimits(keyHash: string): void {
    for (;;) {
      const full = listSessions(sessions, unreadCounters.findKeyOverLimit(keyHash))
      const [fullest] = full.toSorted((a, b) => b.unanswered - a.unanswered)
      if (fullest === undefined) return
      close(fullest, closeCodes.tryLater, unreadReason)
    }
  }

  return {
    open(socket: FeedSocket, maxConnections: number): boolean {
      const places = maxConnections - countPlaces(listSessions(closing, socket.keyHash), limits)
      if (listSessions(sessions, socket.keyHash).length >= places) return false
      restore(socket)
      return true
    },
    restore,
    get: (id: string) => sessions.get(id),
    list: (): Iterable<Session> => sessions.values(),
    recordMessage,
    send(session: Session, text: string): void {
      const { socket } = session
      if (!sessions.has(socket.id)) return
      // Where the runtime shows no queue, the characters since the last message count instead.
      const unreadLength = socket.getUnsentLength?.() ?? session.unanswered
      if (unreadLength > 0 && unreadLength + text.length > limits.unansweredPerSocket) {
        close(session, closeCodes.tryLater, unreadReason)
        return
      }
      try {
        socket.send(text)
      } catch {
        // The connection just closed, and the runtime has not reported it yet.
        removeSession(socket.id)
        return
      }
      if (socket.getUnsentLength !== undefined) return
      session.unanswered += text.length
      unreadCounters.add(socket.keyHash, text.length)
      enforceUnreadLimits(socket.keyHash)
    },
    close,
    remove(id: string): void {
      closing.delete(id)
      removeSession(id)
    },
  }
}

/** Counts the places of closing connections; infinite if they hold too much unread data. */
function countPlaces(closing: readonly Session[], { closingPerKey }: FeedLimits): number {
  const heldCharacters = closing.reduce((sum, { unanswered }) => sum + unanswered, 0)
  return heldCharacters > closingPerKey ? Number.POSITIVE_INFINITY : closing.length
}

function listSessions(sessions: ReadonlyMap<string, Session>, keyHash: string | undefined) {
  if (keyHash === undefined) return []
  return [...sessions.values()].filter(({ socket }) => socket.keyHash === keyHash)
}

/** Sets how many characters per ms a client is assumed to read. */
const minReadPerMs = 64

type UnreadCounter = { characters: number; updatedAt: number; clients: number }

/** Estimates unread characters where the runtime does not report them. */
function createUnreadCounters(limits: FeedLimits, { now }: Pick<Clock, 'now'>) {
  const countersByKey = new Map<string, UnreadCounter>()
  const createCounter = (): UnreadCounter => ({ characters: 0, updatedAt: now(), clients: 0 })
  const totalCounter = createCounter()

  function getCounters(keyHash: string): readonly UnreadCounter[] {
    const counter = countersByKey.get(keyHash) ?? createCounter()
    countersByKey.set(keyHash, counter)
    return [counter, totalCounter]
  }

  function updateCounter(counter: UnreadCounter, delta: number): number {
    const readCharacters = Math.max(0, now() - counter.updatedAt) * minReadPerMs * counter.clients
    counter.characters = Math.max(0, Math.max(0, counter.characters - readCharacters) + delta)
    counter.updatedAt = now()
    return counter.characters
  }

  return {
    changeClients(keyHash: string, clients: 1 | -1): void {
      for (const counter of getCounters(keyHash)) {
        updateCounter(counter, 0)
        counter.clients += clients
      }
      if (countersByKey.get(keyHash)?.clients === 0) countersByKey.delete(keyHash)
    },
    /** Adds the characters sent to a key's client; a negative length counts them as read. */
    add(keyHash: string, characters: number): void {
      for (const counter of getCounters(keyHash)) updateCounter(counter, characters)
    },
    /** Returns the key if it exceeds its limit, or the fullest key if the total exceeds its own. */
    findKeyOverLimit(keyHash: string): string | undefined {
      if ((countersByKey.get(keyHash)?.characters ?? 0) > limits.unreadPerKey) return keyHash
      if (totalCounter.characters <= limits.unreadTotal) return undefined
      for (const counter of countersByKey.values()) updateCounter(counter, 0)
      return [...countersByKey].toSorted(([, a], [, b]) => b.characters - a.characters)[0]?.[0]
    },
  }
}
