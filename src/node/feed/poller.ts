import { RpcError, TransportError } from '../../chain/rpc.ts'
import { describeFault } from '../../runtime/log.ts'
import type { Notifier } from './notifier.ts'
import type { FeedOptions } from './options.ts'
import { closeCodes, revokedWords, type Sessions } from './sessions.ts'
import { mayTell, type Topic } from './subscriptions.ts'

export type PollResult = 'moved' | 'still' | undefined

export type PollerOptions = FeedOptions & {
  sessions: Sessions
  notifier: Notifier
  /** Lists what clients are about to listen to. */
  joining: ReadonlySet<Topic>
}

/** Sets the time between checks of open connections' keys, in ms: a revoked key ends in 60 s. */
const keyCheckMs = 10_000

const syncingPollMs = 2_000

type Memory = ReturnType<typeof newMemory>

/** Returns what one look remembers for the next; times are Unix ms. */
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

  /** Looks, and returns undefined for a failure: the next look then finds the same changes. */
  async function pollSafely(): Promise<PollResult> {
    try {
      await start(memory, options)
      return await look(memory, options)
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
    /** Looks once at a time; all that ask during a look share the next one. */
    soon(): Promise<PollResult> {
      next ??= last.then(() => {
        next = undefined
        last = pollSafely()
        return last
      })
      return next
    },
    /** Has the next look tell nothing, since no client was there before it. */
    startOver(): void {
      memory.isBehind = true
    },
    /** Has the next look tell the clients what happened since the last block that was told. */
    goOn(): void {
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

async function look(memory: Memory, options: PollerOptions): Promise<PollResult> {
  const { chain, store, sessions, notifier, joining } = options
  const isAskedFor = (bloom: string | null) => [...joining].some((topic) => mayTell(topic, bloom))
  const isRead = joining.size > 0 && (await chain.readLogs(isAskedFor))
  if (isRead) store.move(store.blocks(), chain.blocks())
  const change = await chain.advance()
  switch (change.kind) {
    case 'lost':
      memory.isBehind = true
      endSubscribers(sessions, 'the chain moved too far: subscribe again')
      return 'moved'
    case 'moved':
      // Kept and told in the same turn: an instance that takes over goes on right here.
      store.move(change.removed, change.added)
      notifier.moved(change.removed, change.added)
      memory.minedSincePool.push(...change.added.flatMap(({ transactions }) => transactions))
  }
  await lookAtPool(memory, options)
  await lookAtSyncing(memory, options)
  await lookAtKeys(memory, options)
  return change.kind
}

export function endSubscribers(sessions: Sessions, reason: string): void {
  for (const session of sessions.all()) {
    if (session.topics.size > 0) sessions.end(session, closeCodes.tryLater, reason)
  }
}

/** Tells whether a client listens to something of a kind, or is about to. */
function isWanted(kind: Topic['kind'], { notifier, joining }: PollerOptions): boolean {
  return notifier.isWanted(kind) || [...joining].some((topic) => topic.kind === kind)
}

async function lookAtPool(memory: Memory, options: PollerOptions): Promise<void> {
  const { events, notifier } = options
  if (isWanted('newPendingTransactions', options)) {
    const hashes = await events.entered()
    // What was mined must have been in the pool, whether its entering was seen or not; none is told
    // twice.
    notifier.pending([...memory.minedSincePool, ...hashes])
  } else {
    events.skip()
  }
  memory.minedSincePool = []
}

async function lookAtSyncing(memory: Memory, options: PollerOptions): Promise<void> {
  const { events, notifier, clock } = options
  const now = clock.now()
  if (!isWanted('syncing', options) || now - memory.syncingAskedAt < syncingPollMs) return
  memory.syncingAskedAt = now
  notifier.syncing(await events.syncing())
}

async function lookAtKeys(memory: Memory, options: PollerOptions): Promise<void> {
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
