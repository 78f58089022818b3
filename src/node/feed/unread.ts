import type { Clock } from '../../runtime/clock.ts'
import type { FeedLimits } from './options.ts'

/** Sets how many characters per ms a client is assumed to read. */
const minReadPerMs = 64

type UnreadCounter = { characters: number; updatedAt: number; clients: number }

/** Estimates unread characters where the runtime does not report them. */
export function createUnreadCounters(limits: FeedLimits, { now }: Pick<Clock, 'now'>) {
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

/** Counts closed connections until they end, since the runtime still holds their unread data. */
export function createClosingConnections(limits: FeedLimits) {
  const closingClients = new Map<string, { keyHash: string; characters: number }>()
  const listClosing = (keyHash: string) =>
    [...closingClients.values()].filter((client) => client.keyHash === keyHash)

  return {
    add(id: string, keyHash: string, characters: number): void {
      closingClients.set(id, { keyHash, characters })
    },
    remove: (id: string) => void closingClients.delete(id),
    /** Counts a key's closing connections; infinite if they hold too much unread data. */
    countPlaces(keyHash: string): number {
      const closing = listClosing(keyHash)
      const heldCharacters = closing.reduce((sum, { characters }) => sum + characters, 0)
      return heldCharacters > limits.closingPerKey ? Number.POSITIVE_INFINITY : closing.length
    },
  }
}
