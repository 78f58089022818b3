import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { FeedLimits } from './options.ts'
import type { Topic } from './subscriptions.ts'
import { createLingering, createUnread } from './unread.ts'

/** Describes one client's connection in any runtime. */
export type FeedSocket = {
  readonly id: string
  readonly keyHash: string
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Characters that the runtime still holds for it; undefined where a runtime does not tell. */
  readonly buffered?: () => number
}

export type Session = {
  readonly socket: FeedSocket
  /** Holds its subscriptions by id; nothing is sent for one before its id was told. */
  readonly topics: Map<string, { topic: Topic; isTold: boolean }>
  /** Characters sent since the client last sent anything. */
  unanswered: number
  requests: number
}

/** Lists WebSocket close codes (RFC 6455, section 7.4; IANA has 1013, "try again later"). */
export const closeCodes = { tooBig: 1009, policy: 1008, tryLater: 1013 } as const

const unreadWords = 'read faster, or send something now and then'

export const revokedWords = 'the API key is not valid any more'

export type SessionsOptions = {
  limits: FeedLimits
  clock: Clock
  log: Log
  left: (session: Session) => void
}

export type Sessions = ReturnType<typeof createSessions>

/** Keeps the connections of a feed, and the runtime's memory for them within the limits. */
export function createSessions({ limits, clock, log, left }: SessionsOptions) {
  const sessions = new Map<string, Session>()
  const lingering = createLingering(limits)
  const unread = createUnread(limits, clock)

  function restore(socket: FeedSocket): Session {
    const session = { socket, topics: new Map(), unanswered: 0, requests: 0 }
    sessions.set(socket.id, session)
    unread.count(socket.keyHash, 1)
    return session
  }

  /** Notes that the client sent something, so it is alive and probably reads. */
  function heard(session: Session): void {
    unread.add(session.socket.keyHash, -session.unanswered)
    session.unanswered = 0
  }

  function forget(session: Session): void {
    const { id, keyHash } = session.socket
    if (!sessions.delete(id)) return
    heard(session)
    unread.count(keyHash, -1)
    left(session)
  }

  /** Closes from here. The client is told nothing more, whether it answers the closing or not. */
  function end(session: Session, code: number, reason: string): void {
    const { id, keyHash, close } = session.socket
    lingering.add(id, keyHash, session.unanswered)
    close(code, reason)
    forget(session)
    log({ level: 'info', event: 'socket.closed', message: reason, code })
  }

  /** Closes the largest debtor of the key that was sent something, or of the key that owes most. */
  function bound(keyHash: string): void {
    for (;;) {
      const over = unread.keyOverLimit(keyHash)
      const [most] = ofKey(sessions, over).toSorted((a, b) => b.unanswered - a.unanswered)
      if (most === undefined) return
      end(most, closeCodes.tryLater, unreadWords)
    }
  }

  return {
    open(socket: FeedSocket, mostOfItsKey: number): boolean {
      const places = mostOfItsKey - lingering.places(socket.keyHash)
      if (ofKey(sessions, socket.keyHash).length >= places) return false
      restore(socket)
      return true
    },
    restore,
    get: (id: string) => sessions.get(id),
    all: (): Iterable<Session> => sessions.values(),
    heard,
    send(session: Session, text: string): void {
      const { socket } = session
      if (!sessions.has(socket.id)) return
      // Runtimes that show no queue are held by what the client has left unanswered.
      const owed = socket.buffered?.() ?? session.unanswered
      if (owed > 0 && owed + text.length > limits.unansweredPerSocket) {
        end(session, closeCodes.tryLater, unreadWords)
        return
      }
      try {
        socket.send(text)
      } catch {
        // It was closed a moment ago, and the runtime has not said so yet.
        forget(session)
        return
      }
      if (socket.buffered !== undefined) return
      session.unanswered += text.length
      unread.add(socket.keyHash, text.length)
      bound(socket.keyHash)
    },
    end,
    gone(id: string): void {
      lingering.gone(id)
      const session = sessions.get(id)
      if (session !== undefined) forget(session)
    },
  }
}

function ofKey(sessions: ReadonlyMap<string, Session>, keyHash: string | undefined): Session[] {
  if (keyHash === undefined) return []
  return [...sessions.values()].filter(({ socket }) => socket.keyHash === keyHash)
}
