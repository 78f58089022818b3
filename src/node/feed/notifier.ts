import * as z from 'zod/mini'
import { formatNotification } from '../message.ts'
import { type ChainLog, matchesFilter } from '../objects/log.ts'
import { anyQuantity } from '../objects/values.ts'
import type { FeedBlock } from './chain.ts'
import type { Sessions } from './sessions.ts'
import { findWait, mayMatch, type Topic, waitsFor } from './subscriptions.ts'

/** Limits the remembered hashes of sent transactions, which are not sent again. */
const maxRememberedHashes = 20_000

export type Notifier = ReturnType<typeof createNotifier>

export function createNotifier({ list: sessions, send }: Pick<Sessions, 'list' | 'send'>) {
  /** Holds the topics of subscriptions that are being added; the chain is followed for them too. */
  const joiningTopics = new Set<Topic>()
  const sentHashes = new Set<string>()
  const { announceLogs, takeLogsBack } = createLogNotifier(sessions, send)
  let wasSyncing: boolean | undefined

  function notifyAll(kind: Topic['kind'], result: string): void {
    for (const session of sessions()) {
      for (const [id, { topic, isActive }] of session.topics) {
        if (isActive && topic.kind === kind) send(session, formatNotification(id, result))
      }
    }
  }

  const listTopics = (): Topic[] => [
    ...joiningTopics,
    ...[...sessions()].flatMap(({ topics }) => [...topics.values()].map(({ topic }) => topic)),
  ]

  const isWanted = (kind: Topic['kind']): boolean =>
    listTopics().some((topic) => topic.kind === kind)

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
    /** Takes back the logs that removed blocks of the chain told, and sends added blocks' heads. */
    announceBlocks(
      chain: readonly FeedBlock[],
      removedBlocks: readonly FeedBlock[],
      addedBlocks: readonly FeedBlock[],
    ): void {
      takeLogsBack(chain, removedBlocks)
      for (const block of addedBlocks) notifyAll('newHeads', block.head)
      const minedHashes = new Set(addedBlocks.flatMap(({ transactions }) => transactions))
      // What only removed blocks had is pending again, so it is sent again.
      const unminedHashes = removedBlocks
        .flatMap(({ transactions }) => transactions)
        .filter((hash) => !minedHashes.has(hash))
      for (const hash of unminedHashes) sentHashes.delete(hash)
      announcePending(unminedHashes)
    },
    announceLogs,
    announcePending,
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
    joiningTopics,
    hasTopics: () => listTopics().length > 0,
    isWanted,
    /** Tells whether a subscription may match a log in a block of this bloom. */
    areLogsWanted: (bloom: string | null): boolean =>
      listTopics().some((topic) => mayMatch(topic, bloom)),
  }
}

function createLogNotifier(sessions: Sessions['list'], send: Sessions['send']) {
  function notifyLogs(removed: boolean, chooseBlocks: (topic: Topic) => readonly FeedBlock[]) {
    const texts = new Map<ChainLog, string>()
    for (const session of sessions()) {
      for (const [id, { topic, isActive }] of session.topics) {
        if (!isActive || topic.kind !== 'logs') continue
        for (const { logs = [] } of chooseBlocks(topic)) {
          for (const log of removed ? logs.toReversed() : logs) {
            if (!matchesFilter(topic.filter, log)) continue
            const text = texts.get(log) ?? JSON.stringify({ ...log, removed })
            texts.set(log, text)
            send(session, formatNotification(id, text))
          }
        }
      }
    }
  }

  return {
    /** Takes back the logs that removed blocks of a chain told, newest first. */
    takeLogsBack(chain: readonly FeedBlock[], removedBlocks: readonly FeedBlock[]): void {
      notifyLogs(true, (topic) => {
        const toldBlocks = new Set(chain.slice(0, findWait(topic, chain)))
        return removedBlocks.filter((block) => toldBlocks.has(block))
      })
    },
    /** Sends a block's logs once they are read, and those of later blocks that waited for them. */
    announceLogs(before: readonly FeedBlock[], index: number, after: readonly FeedBlock[]): void {
      const block = before[index]
      notifyLogs(false, (topic) =>
        block !== undefined && waitsFor(topic, block) && findWait(topic, before) === index
          ? after.slice(index, findWait(topic, after))
          : [],
      )
    },
  }
}

const quantityOrZero = z.catch(anyQuantity, '0x0')

const syncFields = z.object({
  startingBlock: quantityOrZero,
  currentBlock: quantityOrZero,
  highestBlock: quantityOrZero,
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
