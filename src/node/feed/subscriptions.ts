import { estimateFilterBytes, type LogFilter, mayContainLogs } from '../objects/log.ts'
import type { FeedBlock } from './chain.ts'

export type Topic =
  | { kind: 'newHeads' }
  /** `passedBlocks` are those whose logs were still due when the client subscribed. */
  | { kind: 'logs'; filter: LogFilter; passedBlocks?: readonly string[] }
  | { kind: 'newPendingTransactions' }
  | { kind: 'syncing' }

export type Subscriptions = {
  /** Adds a subscription and returns its id; throws if its key has reached its limit. */
  readonly add: (topic: Topic) => Promise<string>
  readonly remove: (id: string) => boolean
}

/** Limits the bytes of filters that are matched with blooms, since each value costs a hash. */
const maxBloomBytes = 1_300

/** Tells whether a subscription may match a log in a block of this bloom. */
export function mayMatch(topic: Topic, bloom: string | null): boolean {
  if (topic.kind !== 'logs') return false
  const isLarge = estimateFilterBytes(topic.filter) > maxBloomBytes
  return bloom === null || isLarge || mayContainLogs(bloom, topic.filter)
}

/** Tells whether a subscription waits for the logs of a block. */
export const waitsFor = (topic: Topic, { areLogsDue, hash, bloom = null }: FeedBlock): boolean =>
  areLogsDue === true &&
  topic.kind === 'logs' &&
  !topic.passedBlocks?.includes(hash) &&
  mayMatch(topic, bloom)

/** Returns the index of the first block for whose logs a subscription waits, or the length. */
export function findWait(topic: Topic, blocks: readonly FeedBlock[]): number {
  const index = blocks.findIndex((block) => waitsFor(topic, block))
  return index === -1 ? blocks.length : index
}
