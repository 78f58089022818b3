import { RpcError, TransportError } from '../../chain/rpc.ts'
import { describeFault } from '../../runtime/log.ts'
import type { Notifier } from './notifier.ts'
import type { FeedOptions } from './options.ts'
import { closeCodes, revokedWords, type Sessions } from './sessions.ts'
import { mayMatch, type Topic } from './subscriptions.ts'

export type PollResult = 'moved' | 'unchanged' | undefined

export type PollerOptions = FeedOptions & {
  sessions: Sessions
  notifier: Notifier
  /** Holds the topics of subscriptions that are being added. */
  joining: ReadonlySet<Topic>
}

/** Sets the time between key checks, in ms: connections of a revoked key close within 60 s. */
const keyCheckMs = 10_000

const syncingPollMs = 2_000

type Memory = ReturnType<typeof newMemory>

/** Returns what one poll remembers for the next; times are Unix ms. */
const newMemory = (now: number) => ({
  isBehind: true,
  minedSincePool: [] as string[],
  keysCheckedAt: now,
  syncingAskedAt: Number.NEGATIVE_INFINITY,
})

export type Poller = ReturnType<typeof createPoller>

export function createPoller(options: PollerOptions) {
  const { clock, log } = options
  const memory = newMemory(clock.now())
  let last: Promise<PollResult> = Promise.resolve(undefined)
  let next: Promise<PollResult> | undefined

  /** Polls; returns undefined for a failure, after which the next poll finds the same changes. */
  async function pollSafely(): Promise<PollResult> {
    try {
      await start(memory, options)
      return await poll(memory, options)
    } catch (error) {
      const isExpected = error instanceof TransportError || error instanceof RpcError
      log({
        level: isExpected ? 'warn' : 'error',
        event: 'feed.waits',
        message: describeFault(error),
      })
      return undefined
    }
  }

  return {
    /** Polls one at a time; all calls during a poll share the next one. */
    pollOnce(): Promise<PollResult> {
      next ??= last.then(() => {
        next = undefined
        last = pollSafely()
        return last
      })
      return next
    },
    /** Makes the next poll announce nothing, since there were no subscriptions before it. */
    startOver(): void {
      memory.isBehind = true
    },
    /** Makes the next poll announce what happened since the last announced block. */
    resume(): void {
      memory.isBehind = false
    },
  }
}

async function start(memory: Memory, { chain, store, notifier }: PollerOptions): Promise<void> {
  if (!memory.isBehind) return
  const before = chain.blocks()
  await chain.restart()
  if (chain.blocks() !== before) store.move(store.blocks(), chain.blocks())
  notifier.forget()
  memory.minedSincePool = []
  memory.isBehind = false
}

async function poll(memory: Memory, options: PollerOptions): Promise<PollResult> {
  const { chain, store, sessions, notifier, joining } = options
  const isAskedFor = (bloom: string | null) => [...joining].some((topic) => mayMatch(topic, bloom))
  const isRead = joining.size > 0 && (await chain.readLogs(isAskedFor))
  if (isRead) store.move(store.blocks(), chain.blocks())
  const change = await chain.advance()
  switch (change.kind) {
    case 'lost':
      memory.isBehind = true
      endSubscribers(sessions, 'the chain moved too far: subscribe again')
      return 'moved'
    case 'moved':
      // Stored and announced without an `await` between, so a new instance continues exactly here.
      store.move(change.removed, change.added)
      notifier.announceBlocks(change.removed, change.added)
      memory.minedSincePool.push(...change.added.flatMap(({ transactions }) => transactions))
  }
  await pollPool(memory, options)
  await pollSyncing(memory, options)
  await checkKeys(memory, options)
  return change.kind
}

export function endSubscribers(sessions: Sessions, reason: string): void {
  for (const session of sessions.all()) {
    if (session.topics.size > 0) sessions.end(session, closeCodes.tryLater, reason)
  }
}

/** Tells whether a current or joining subscription is of a kind. */
function isWanted(kind: Topic['kind'], { notifier, joining }: PollerOptions): boolean {
  return notifier.isWanted(kind) || [...joining].some((topic) => topic.kind === kind)
}

async function pollPool(memory: Memory, options: PollerOptions): Promise<void> {
  const { events, notifier } = options
  if (isWanted('newPendingTransactions', options)) {
    const hashes = await events.takePending()
    // A mined transaction must have been in the pool, even if no poll saw it there.
    notifier.announcePending([...memory.minedSincePool, ...hashes])
  } else {
    events.drop()
  }
  memory.minedSincePool = []
}

async function pollSyncing(memory: Memory, options: PollerOptions): Promise<void> {
  const { events, notifier, clock } = options
  const now = clock.now()
  if (!isWanted('syncing', options) || now - memory.syncingAskedAt < syncingPollMs) return
  memory.syncingAskedAt = now
  notifier.announceSyncing(await events.syncing())
}

async function checkKeys(memory: Memory, options: PollerOptions): Promise<void> {
  const { sessions, findKey, clock } = options
  if (clock.now() - memory.keysCheckedAt < keyCheckMs) return
  memory.keysCheckedAt = clock.now()
  const hashes = new Set(Array.from(sessions.all(), ({ socket }) => socket.keyHash))
  for (const hash of hashes) {
    const key = await findKey(hash)
    if (key.kind !== 'unknown') continue
    for (const session of sessions.all()) {
      if (session.socket.keyHash !== hash) continue
      sessions.end(session, closeCodes.policy, revokedWords)
    }
  }
}
