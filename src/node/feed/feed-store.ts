import { type FeedBlock, maxStoredBlocks } from './chain.ts'
import type { Topic } from './subscriptions.ts'

type StoredSubscription = { socket: string; id: string; topic: Topic }

/** Stores what must survive a restart of the feed. */
export type FeedStore = ReturnType<typeof createMemoryFeedStore>

/** Creates a store in memory, for runtimes whose connections end with the process. */
export function createMemoryFeedStore() {
  let blocks: FeedBlock[] = []
  const subscriptions = new Map<string, StoredSubscription>()
  return {
    readBlocks: () => blocks,
    replaceBlocks(removedBlocks: readonly FeedBlock[], addedBlocks: readonly FeedBlock[]): void {
      const removedHashes = new Set(removedBlocks.map(({ hash }) => hash))
      blocks = [...blocks.filter(({ hash }) => !removedHashes.has(hash)), ...addedBlocks].slice(
        -maxStoredBlocks,
      )
    },
    listSubscriptions: () => [...subscriptions.values()],
    addSubscription: (subscription: StoredSubscription) =>
      void subscriptions.set(subscription.id, subscription),
    removeSubscription: (id: string) => void subscriptions.delete(id),
    removeSocket(socket: string): void {
      for (const { id, socket: subscriptionSocket } of subscriptions.values()) {
        if (subscriptionSocket === socket) subscriptions.delete(id)
      }
    },
  }
}
