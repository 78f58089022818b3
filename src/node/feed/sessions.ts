import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { FeedLimits } from './options.ts'
import type { Topic } from './subscriptions.ts'

/** One client's connection, whatever the runtime calls it. */
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
  /** What it has subscribed to, by id, and whether it was told that id: what comes before would be lost. */
  readonly topics: Map<string, { topic: Topic; isTold: boolean }>
  /** Characters sent since the client last sent anything. */
  unanswered: number
  requests: number
}

/** WebSocket close codes (RFC 6455, section 7.4; 1013 is IANA's "try again later"). */
export const closeCodes = { tooBig: 1009, policy: 1008, tryLater: 1013 } as const

const unreadWords = 'read faster, or send something now and then'

export const revokedWords = 'the API key is not valid any more'

/** A client that was closed and does not answer that keeps its place for so long. */
const lingerMs = 600_000

export type SessionsOptions = {
  limits: FeedLimits
  clock: Clock
  log: Log
  left: (session: Session) => void
}

export type Sessions = ReturnType<typeof createSessions>

/** The connections of a feed. None of them can make the runtime hold more than the limits. */
export function createSessions({ limits, clock, log, left }: SessionsOptions) {
  const sessions = new Map<string, Session>()
  /** Closed from here, but not by the client: the runtime holds what it did not read. */
  const lingering = new Map<string, { keyHash: string; since: number; length: number }>()
  let unansweredInAll = 0

  function restore(socket: FeedSocket): Session {
    const session = { socket, topics: new Map(), unanswered: 0, requests: 0 }
    sessions.set(socket.id, session)
    return session
  }

  function hasPlace(keyHash: string, most: number): boolean {
    const gone = keepSince(clock.now() - lingerMs, lingering)
    const open = [...sessions.values()].map(({ socket }) => socket)
    const ofKey = [...gone, ...open].filter((one) => one.keyHash === keyHash)
    const held = gone.reduce((sum, { length }) => sum + length, 0)
    return ofKey.length < most && held <= limits.lingeringInAll
  }

  /** The client sent something, so it is alive and, as far as one can tell, reads. */
  function heard(session: Session): void {
    unansweredInAll -= session.unanswered
    session.unanswered = 0
  }

  function forget(session: Session): void {
    if (!sessions.delete(session.socket.id)) return
    heard(session)
    left(session)
  }

  /** Closes from here. The client is told nothing more, whether it answers the closing or not. */
  function end(session: Session, code: number, reason: string): void {
    const { id, keyHash, close } = session.socket
    lingering.set(id, { keyHash, since: clock.now(), length: session.unanswered })
    close(code, reason)
    forget(session)
    log({ level: 'info', event: 'socket.closed', message: reason, code })
  }

  return {
    open(socket: FeedSocket, mostOfItsKey: number): boolean {
      if (!hasPlace(socket.keyHash, mostOfItsKey)) return false
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
      const buffered = socket.buffered?.()
      const owed = buffered ?? session.unanswered
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
      if (buffered !== undefined) return
      session.unanswered += text.length
      unansweredInAll += text.length
      while (unansweredInAll > limits.unansweredInAll) {
        const [most] = [...sessions.values()].toSorted((a, b) => b.unanswered - a.unanswered)
        if (most === undefined) break
        end(most, closeCodes.tryLater, unreadWords)
      }
    },
    end,
    gone(id: string): void {
      lingering.delete(id)
      const session = sessions.get(id)
      if (session !== undefined) forget(session)
    },
  }
}

/** Deletes what is older, and gives the others. */
function keepSince<T extends { since: number }>(earliest: number, all: Map<string, T>): T[] {
  for (const [id, { since }] of all) if (since < earliest) all.delete(id)
  return [...all.values()]
}
