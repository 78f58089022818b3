import type { FeedBlock } from './chain.ts'
import type { Topic } from './subscriptions.ts'

type StoredSubscription = { socket: string; id: string; topic: Topic }

/** Stores what must survive a restart of the feed. */
export type FeedStore = ReturnType<typeof createMemoryFeedStore>

/** Creates a store in memory, for runtimes whose connections end with the process. */
export function createMemoryFeedStore() {
  const blocks = new Map<string, FeedBlock>()
  const subscriptions = new Map<string, StoredSubscription>()
  return {
    readBlocks: () => [...blocks.values()],
    /** Removes blocks, adds or replaces others, and drops those before number `oldest`. */
    replaceBlocks(
      removedBlocks: readonly FeedBlock[],
      changedBlocks: readonly FeedBlock[],
      oldest: number,
    ): void {
      for (const { hash } of removedBlocks) blocks.delete(hash)
      for (const block of changedBlocks) blocks.set(block.hash, block)
      for (const { hash, number } of blocks.values()) if (number < oldest) blocks.delete(hash)
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
