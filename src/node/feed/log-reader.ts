import { describeFault } from '../../runtime/log.ts'
import type { ChainLog } from '../objects/log.ts'
import type { FeedBlock } from './chain.ts'
import type { Notifier } from './notifier.ts'
import type { FeedOptions } from './options.ts'
import { closeCodes, type Sessions } from './sessions.ts'
import { mayMatch, type Topic, waitsFor } from './subscriptions.ts'

/** Limits how often a block's logs are tried: once when it comes, and with each later head. */
const maxAttempts = 10

type LogReaderOptions = Pick<FeedOptions, 'chain' | 'store' | 'log'> & {
  notifier: Notifier
  sessions: Sessions
}

export type LogReader = ReturnType<typeof createLogReader>

/** Creates what reads the logs of followed blocks beside the polls, which never wait for it. */
export function createLogReader({ chain, store, notifier, sessions, log }: LogReaderOptions) {
  const readings = new Map<string, Promise<void>>()
  const failures = new Map<string, number>()
  let triedHead: string | undefined

  /** Reads a block's logs; calls for the same block share one reading. */
  function readLogs(block: FeedBlock): Promise<void> {
    const reading =
      readings.get(block.hash) ??
      chain
        .readLogs(block)
        .then(
          (logs) => settle(block.hash, logs),
          (error: unknown) => handleFailure(block, error),
        )
        .finally(() => readings.delete(block.hash))
    readings.set(block.hash, reading)
    return reading
  }

  /** Stores and announces logs. No `await` separates the two, as for heads. */
  function settle(hash: string, logs: ChainLog[] | undefined): void {
    failures.delete(hash)
    const before = chain.getBlocks()
    const block = chain.setLogs(hash, logs)
    if (block === undefined) return
    const after = chain.getBlocks()
    store?.replaceBlocks([], [block], after[0]?.number ?? 0)
    notifier.announceLogs(before, after.indexOf(block), after)
  }

  /** Ends the subscriptions that wait for a block's logs once these were tried often enough. */
  function handleFailure({ hash, number }: FeedBlock, error: unknown): void {
    const message = `the logs of block ${number} cannot be read: ${describeFault(error)}`
    log({ level: 'warn', event: 'feed.waits', message })
    const due = chain.getBlocks().find((block) => block.hash === hash && block.areLogsDue)
    const attempts = (failures.get(hash) ?? 0) + 1
    if (due === undefined) failures.delete(hash)
    else if (attempts < maxAttempts) failures.set(hash, attempts)
    else {
      const reason = `the logs of block ${number} cannot be read: ask eth_getLogs, and subscribe again`
      for (const session of sessions.list()) {
        const isWaiting = [...session.topics.values()].some(({ topic }) => waitsFor(topic, due))
        if (isWaiting) sessions.close(session, closeCodes.tryLater, reason)
      }
      settle(hash, undefined)
    }
  }

  return {
    /** Starts to read the logs that are due; those that failed are tried with the next head. */
    readDue(): void {
      const blocks = chain.getBlocks()
      const head = blocks.at(-1)?.hash
      if (head === triedHead) return
      triedHead = head
      for (const block of blocks) if (block.areLogsDue) void readLogs(block)
    },
    /** Reads what a new subscription may have to take back: logs of blocks before it. */
    async readMissing(topic: Topic): Promise<void> {
      const missing = chain
        .getBlocks()
        .filter(({ logs, bloom = null }) => logs === undefined && mayMatch(topic, bloom))
      // Subscribing is no further attempt for logs that others wait for.
      await Promise.all(
        missing.map((block) => (block.areLogsDue ? readings.get(block.hash) : readLogs(block))),
      )
    },
  }
}
