import type { Clock } from '../../runtime/clock.ts'
import type { FeedLimits } from './options.ts'

/** Sets how many characters per ms a client reads at least. */
const readPerMs = 64

type Unread = { length: number; at: number; clients: number }

/**
 * Estimates unread bytes where the runtime does not report them: sent, minus read since then.
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
    changeClients(keyHash: string, clients: 1 | -1): void {
      for (const each of of(keyHash)) {
        change(each, 0)
        each.clients += clients
      }
      if (byKey.get(keyHash)?.clients === 0) byKey.delete(keyHash)
    },
    /** Adds the characters sent to a key's client; a negative length counts them as read. */
    add(keyHash: string, length: number): void {
      for (const each of of(keyHash)) change(each, length)
    },
    /** Returns the key if it exceeds its limit, or the fullest key if the total exceeds its own. */
    keyOverLimit(keyHash: string): string | undefined {
      if ((byKey.get(keyHash)?.length ?? 0) > limits.unreadPerKey) return keyHash
      if (inAll.length <= limits.unreadInAll) return undefined
      for (const each of byKey.values()) change(each, 0)
      return [...byKey].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0]
    },
  }
}

/** Counts closed connections until they end, since the runtime still holds their unread data. */
export function createClosing(limits: FeedLimits) {
  const clients = new Map<string, { keyHash: string; length: number }>()
  const ofKey = (keyHash: string) =>
    [...clients.values()].filter((client) => client.keyHash === keyHash)

  return {
    add(id: string, keyHash: string, length: number): void {
      clients.set(id, { keyHash, length })
    },
    remove: (id: string) => void clients.delete(id),
    /** Counts a key's closing connections; infinite if they hold too much unread data. */
    places(keyHash: string): number {
      const closing = ofKey(keyHash)
      const held = closing.reduce((sum, { length }) => sum + length, 0)
      return held > limits.closingPerKey ? Number.POSITIVE_INFINITY : closing.length
    },
  }
}
