import type { FeedBlock } from './chain.ts'
import type { Topic } from './subscriptions.ts'

export type KeptSubscription = { socket: string; id: string; topic: Topic }

/** Where the feed keeps what must outlive its memory. */
export type FeedStore = {
  readonly blocks: () => FeedBlock[]
  readonly move: (removed: readonly FeedBlock[], added: readonly FeedBlock[]) => void
  readonly subscriptions: () => KeptSubscription[]
  readonly add: (subscription: KeptSubscription) => void
  readonly remove: (id: string) => void
  readonly removeSocket: (socket: string) => void
}
