import type { Clock } from '../../runtime/clock.ts'
import type { FeedLimits } from './options.ts'

/** Sets how many characters per ms a client reads at least. */
const readPerMs = 64

type UnreadCounter = { characters: number; at: number; clients: number }

/** Estimates unread characters where the runtime does not report them. */
export function createUnreadCounters(limits: FeedLimits, { now }: Pick<Clock, 'now'>) {
  const byKey = new Map<string, UnreadCounter>()
  const createCounter = (): UnreadCounter => ({ characters: 0, at: now(), clients: 0 })
  const totalCounter = createCounter()

  function getCounters(keyHash: string): readonly UnreadCounter[] {
    const known = byKey.get(keyHash) ?? createCounter()
    byKey.set(keyHash, known)
    return [known, totalCounter]
  }

  function change(counter: UnreadCounter, delta: number): number {
    const read = Math.max(0, now() - counter.at) * readPerMs * counter.clients
    counter.characters = Math.max(0, Math.max(0, counter.characters - read) + delta)
    counter.at = now()
    return counter.characters
  }

  return {
    changeClients(keyHash: string, clients: 1 | -1): void {
      for (const counter of getCounters(keyHash)) {
        change(counter, 0)
        counter.clients += clients
      }
      if (byKey.get(keyHash)?.clients === 0) byKey.delete(keyHash)
    },
    /** Adds the characters sent to a key's client; a negative length counts them as read. */
    add(keyHash: string, characters: number): void {
      for (const counter of getCounters(keyHash)) change(counter, characters)
    },
    /** Returns the key if it exceeds its limit, or the fullest key if the total exceeds its own. */
    keyOverLimit(keyHash: string): string | undefined {
      if ((byKey.get(keyHash)?.characters ?? 0) > limits.unreadPerKey) return keyHash
      if (totalCounter.characters <= limits.unreadTotal) return undefined
      for (const counter of byKey.values()) change(counter, 0)
      return [...byKey].toSorted(([, a], [, b]) => b.characters - a.characters)[0]?.[0]
    },
  }
}

/** Counts closed connections until they end, since the runtime still holds their unread data. */
export function createClosingConnections(limits: FeedLimits) {
  const clients = new Map<string, { keyHash: string; characters: number }>()
  const listClosing = (keyHash: string) =>
    [...clients.values()].filter((client) => client.keyHash === keyHash)

  return {
    add(id: string, keyHash: string, characters: number): void {
      clients.set(id, { keyHash, characters })
    },
    remove: (id: string) => void clients.delete(id),
    /** Counts a key's closing connections; infinite if they hold too much unread data. */
    countPlaces(keyHash: string): number {
      const closing = listClosing(keyHash)
      const heldCharacters = closing.reduce((sum, { characters }) => sum + characters, 0)
      return heldCharacters > limits.closingPerKey ? Number.POSITIVE_INFINITY : closing.length
    },
  }
}
