import type { Clock } from '../../runtime/clock.ts'
import type { FeedLimits } from './options.ts'

/** Sets how many characters a reading client takes in a ms, at least. */
const readPerMs = 64

type Unread = { length: number; at: number; clients: number }

/**
 * Estimates unread bytes where a runtime does not tell them: what was sent, less what time allowed.
 */
export function createUnread(limits: FeedLimits, { now }: Pick<Clock, 'now'>) {
  const byKey = new Map<string, Unread>()
  const newUnread = (): Unread => ({ length: 0, at: now(), clients: 0 })
  const inAll = newUnread()

  function of(keyHash: string): readonly Unread[] {
    const known = byKey.get(keyHash) ?? newUnread()
    byKey.set(keyHash, known)
    return [known, inAll]
  }

  function change(one: Unread, by: number): number {
    const read = Math.max(0, now() - one.at) * readPerMs * one.clients
    one.length = Math.max(0, Math.max(0, one.length - read) + by)
    one.at = now()
    return one.length
  }

  return {
    count(keyHash: string, clients: 1 | -1): void {
      for (const each of of(keyHash)) {
        change(each, 0)
        each.clients += clients
      }
      if (byKey.get(keyHash)?.clients === 0) byKey.delete(keyHash)
    },
    /** Adds what was sent to a client of a key, or with a minus what it has read for sure. */
    add(keyHash: string, length: number): void {
      for (const each of of(keyHash)) change(each, length)
    },
    /** Names the key whose clients leave too much unread, or the most if all leave too much. */
    keyOverLimit(keyHash: string): string | undefined {
      if ((byKey.get(keyHash)?.length ?? 0) > limits.unreadPerKey) return keyHash
      if (inAll.length <= limits.unreadInAll) return undefined
      for (const each of byKey.values()) change(each, 0)
      return [...byKey].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0]
    },
  }
}

/** Counts closed clients until they are gone, since a runtime holds what they did not read. */
export function createLingering(limits: FeedLimits) {
  const clients = new Map<string, { keyHash: string; length: number }>()
  const ofKey = (keyHash: string) =>
    [...clients.values()].filter((client) => client.keyHash === keyHash)

  return {
    add(id: string, keyHash: string, length: number): void {
      clients.set(id, { keyHash, length })
    },
    gone: (id: string) => void clients.delete(id),
    /** Counts the places that a key's clients take; all, if they left too much unread. */
    places(keyHash: string): number {
      const gone = ofKey(keyHash)
      const held = gone.reduce((sum, { length }) => sum + length, 0)
      return held > limits.lingeringPerKey ? Number.POSITIVE_INFINITY : gone.length
    },
  }
}
