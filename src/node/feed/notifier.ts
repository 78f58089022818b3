import * as z from 'zod/mini'
import { formatNotification } from '../message.ts'
import type { ChainLog } from '../objects/log.ts'
import { matchesFilter } from '../objects/log-filter.ts'
import { anyQuantity } from '../objects/values.ts'
import type { FeedBlock } from './chain.ts'
import type { Session } from './sessions.ts'
import type { Topic } from './subscriptions.ts'

/** Limits the remembered hashes, so that none of them is sent twice. */
const maxRememberedHashes = 20_000

export type Notifier = ReturnType<typeof createNotifier>

/** Creates a notifier that sends each event to the matching subscriptions. */
export function createNotifier(
  sessions: () => Iterable<Session>,
  send: (session: Session, text: string) => void,
) {
  const sentHashes = new Set<string>()
  let wasSyncing: boolean | undefined

  function notifyAll(
    kind: Topic['kind'],
    result: string,
    isMatch = (_topic: Topic): boolean => true,
  ): void {
    for (const session of sessions()) {
      for (const [id, { topic, isActive }] of session.topics) {
        const isRecipient = isActive && topic.kind === kind && isMatch(topic)
        if (isRecipient) send(session, formatNotification(id, result))
      }
    }
  }

  const topics = (): Topic[] =>
    [...sessions()].flatMap((session) => [...session.topics.values()].map(({ topic }) => topic))

  const isWanted = (kind: Topic['kind']): boolean => topics().some((topic) => topic.kind === kind)

  function announceLogs(logs: readonly ChainLog[] | undefined, removed: boolean): void {
    for (const log of isWanted('logs') && logs !== undefined ? logs : []) {
      const text = JSON.stringify({ ...log, removed })
      notifyAll('logs', text, (topic) => topic.kind === 'logs' && matchesFilter(topic.filter, log))
    }
  }

  /** Sends hashes of pending transactions, each once. */
  function announcePending(hashes: readonly string[]): void {
    for (const hash of hashes) {
      if (sentHashes.has(hash)) continue
      sentHashes.add(hash)
      notifyAll('newPendingTransactions', `"${hash}"`)
    }
    for (const oldest of sentHashes) {
      if (sentHashes.size <= maxRememberedHashes) break
      sentHashes.delete(oldest)
    }
  }

  return {
    /** Sends removed blocks, newest first, and added blocks, oldest first. */
    announceBlocks(removed: readonly FeedBlock[], added: readonly FeedBlock[]): void {
      for (const block of removed) announceLogs(block.logs?.toReversed(), true)
      for (const block of added) {
        notifyAll('newHeads', block.head)
        announceLogs(block.logs, false)
      }
      const mined = new Set(added.flatMap(({ transactions }) => transactions))
      const returnedHashes = removed
        .flatMap(({ transactions }) => transactions)
        .filter((hash) => !mined.has(hash))
      for (const hash of returnedHashes) sentHashes.delete(hash)
      announcePending(returnedHashes)
    },
    announcePending,
    /** Sends when the node's synchronization starts and stops. */
    announceSyncing(status: unknown): void {
      const progress = toSyncStatus(status)
      const isSyncing = progress !== false
      if (wasSyncing !== undefined && wasSyncing !== isSyncing) {
        notifyAll('syncing', JSON.stringify(progress))
      }
      wasSyncing = isSyncing
    },
    /** Forgets what was sent, since the next client has received none of it. */
    reset(): void {
      sentHashes.clear()
      wasSyncing = undefined
    },
    topics,
    isWanted,
  }
}

const anyNumber = z.catch(anyQuantity, '0x0')

const syncFields = z.object({
  startingBlock: anyNumber,
  currentBlock: anyNumber,
  highestBlock: anyNumber,
})

/** Parses a status as RSKj's notifications have it: wrapped, and with decimal numbers. */
const wrappedFields = z.object({ status: syncFields })

/** Returns a node's progress in the spec's form; `false` if it is synchronized. */
export function toSyncStatus(status: unknown): false | z.output<typeof syncFields> {
  const wrapped = wrappedFields.safeParse(status)
  if (wrapped.success) return wrapped.data.status
  const plain = syncFields.safeParse(status)
  return plain.success && plain.data
}
