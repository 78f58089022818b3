import * as z from 'zod/mini'
import { notificationText } from '../message.ts'
import type { ChainLog } from '../objects/log.ts'
import { matches } from '../objects/log-filter.ts'
import { anyQuantity } from '../objects/values.ts'
import type { FeedBlock } from './chain.ts'
import type { Session } from './sessions.ts'
import type { Topic } from './subscriptions.ts'

/** Limits the hashes that are remembered so that none is told twice. */
const rememberedHashes = 20_000

export type Notifier = ReturnType<typeof createNotifier>

/** Puts what happened into notifications, for each who wants to hear of it. */
export function createNotifier(
  sessions: () => Iterable<Session>,
  send: (session: Session, text: string) => void,
) {
  const told = new Set<string>()
  let wasSyncing: boolean | undefined

  function everyone(
    kind: Topic['kind'],
    result: string,
    isWanting = (_topic: Topic): boolean => true,
  ): void {
    for (const session of sessions()) {
      for (const [id, { topic, isTold }] of session.topics) {
        const isTo = isTold && topic.kind === kind && isWanting(topic)
        if (isTo) send(session, notificationText(id, result))
      }
    }
  }

  const topics = (): Topic[] =>
    [...sessions()].flatMap((session) => [...session.topics.values()].map(({ topic }) => topic))

  const isWanted = (kind: Topic['kind']): boolean => topics().some((topic) => topic.kind === kind)

  function logs(logs: readonly ChainLog[] | undefined, removed: boolean): void {
    for (const log of isWanted('logs') && logs !== undefined ? logs : []) {
      const text = JSON.stringify({ ...log, removed })
      everyone('logs', text, (topic) => topic.kind === 'logs' && matches(topic.filter, log))
    }
  }

  /** Tells hashes of the pool, each once. */
  function pending(hashes: readonly string[]): void {
    for (const hash of hashes) {
      if (told.has(hash)) continue
      told.add(hash)
      everyone('newPendingTransactions', `"${hash}"`)
    }
    for (const oldest of told) {
      if (told.size <= rememberedHashes) break
      told.delete(oldest)
    }
  }

  return {
    /** Blocks that left the chain, newest first, and blocks that came, oldest first. */
    moved(removed: readonly FeedBlock[], added: readonly FeedBlock[]): void {
      for (const block of removed) logs(block.logs?.toReversed(), true)
      for (const block of added) {
        everyone('newHeads', block.head)
        logs(block.logs, false)
      }
      const mined = new Set(added.flatMap(({ transactions }) => transactions))
      const returned = removed
        .flatMap(({ transactions }) => transactions)
        .filter((hash) => !mined.has(hash))
      for (const hash of returned) told.delete(hash)
      pending(returned)
    },
    pending,
    /** Tells when the node's synchronization starts and stops. */
    syncing(status: unknown): void {
      const shaped = syncStatus(status)
      const isSyncing = shaped !== false
      if (wasSyncing !== undefined && wasSyncing !== isSyncing) {
        everyone('syncing', JSON.stringify(shaped))
      }
      wasSyncing = isSyncing
    },
    /** Forgets what was told, since the next client was not there. */
    forget(): void {
      told.clear()
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

/** Parses RSKj's notifications, which wrap the fields and have decimal numbers. */
const wrapped = z.object({ status: syncFields })

/** Returns a node's progress in the spec's form; `false` when it has arrived. */
export function syncStatus(status: unknown): false | z.output<typeof syncFields> {
  const inside = wrapped.safeParse(status)
  if (inside.success) return inside.data.status
  const plain = syncFields.safeParse(status)
  return plain.success && plain.data
}
