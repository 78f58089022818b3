import { RpcError, TransportError } from '../../chain/rpc.ts'
import { describeFault } from '../../runtime/log.ts'
import type { Notifier } from './notifier.ts'
import type { FeedOptions } from './options.ts'
import { closeCodes, revokedReason, type Sessions } from './sessions.ts'
import { mayMatch, type Topic } from './subscriptions.ts'

export type PollResult = 'moved' | 'unchanged' | undefined

export type PollerOptions = FeedOptions & {
  sessions: Sessions
  notifier: Notifier
  /** Holds the topics of subscriptions that are being added. */
  joiningTopics: ReadonlySet<Topic>
}

/** Sets the time between key checks, in ms: connections of a revoked key close within 60 s. */
const keyCheckIntervalMs = 10_000

const syncingIntervalMs = 2_000

type PollState = ReturnType<typeof createPollState>

/** Creates what one poll remembers for the next; times are Unix ms. */
const createPollState = (now: number) => ({
  /** Tells whether the next poll first reads the chain anew, without announcing its blocks. */
  mustRestart: true,
  /** Lists transactions that were mined since the pool was last read. */
  minedHashes: [] as string[],
  keysCheckedAt: now,
  syncingAskedAt: Number.NEGATIVE_INFINITY,
})

export type Poller = ReturnType<typeof createPoller>

export function createPoller(options: PollerOptions) {
  const { clock, log } = options
  const state = createPollState(clock.now())
  let lastPoll: Promise<PollResult> = Promise.resolve(undefined)
  let nextPoll: Promise<PollResult> | undefined

  /** Polls; returns undefined for a failure, after which the next poll finds the same changes. */
  async function pollSafely(): Promise<PollResult> {
    try {
      if (state.mustRestart) await restart(state, options)
      return await poll(state, options)
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
      nextPoll ??= lastPoll.then(() => {
        nextPoll = undefined
        lastPoll = pollSafely()
        return lastPoll
      })
      return nextPoll
    },
    /** Makes the next poll announce nothing, since there were no subscriptions before it. */
    startOver(): void {
      state.mustRestart = true
    },
    /** Makes the next poll announce what happened since the last announced block. */
    resume(): void {
      state.mustRestart = false
    },
  }
}

async function restart(state: PollState, { chain, store, notifier }: PollerOptions): Promise<void> {
  const before = chain.getBlocks()
  await chain.restart()
  if (chain.getBlocks() !== before) store.replaceBlocks(store.readBlocks(), chain.getBlocks())
  notifier.reset()
  state.minedHashes = []
  state.mustRestart = false
}

async function poll(state: PollState, options: PollerOptions): Promise<PollResult> {
  const { chain, store, sessions, notifier, joiningTopics } = options
  const isWantedByJoining = (bloom: string | null) =>
    [...joiningTopics].some((topic) => mayMatch(topic, bloom))
  const hasReadLogs = joiningTopics.size > 0 && (await chain.addMissingLogs(isWantedByJoining))
  if (hasReadLogs) store.replaceBlocks(store.readBlocks(), chain.getBlocks())
  const change = await chain.advance()
  switch (change.kind) {
    case 'lost':
      state.mustRestart = true
      closeSubscribers(sessions, 'the chain moved too far: subscribe again')
      return 'moved'
    case 'moved':
      // No `await` separates storing and announcing, so a restarted feed continues exactly here.
      store.replaceBlocks(change.removedBlocks, change.addedBlocks)
      notifier.announceBlocks(change.removedBlocks, change.addedBlocks)
      state.minedHashes.push(...change.addedBlocks.flatMap(({ transactions }) => transactions))
  }
  await pollPool(state, options)
  await pollSyncing(state, options)
  await checkKeys(state, options)
  return change.kind
}

export function closeSubscribers(sessions: Sessions, reason: string): void {
  for (const session of sessions.list()) {
    if (session.topics.size > 0) sessions.close(session, closeCodes.tryLater, reason)
  }
}

/** Tells whether a current or joining subscription is of a kind. */
function isWanted(kind: Topic['kind'], { notifier, joiningTopics }: PollerOptions): boolean {
  return notifier.isWanted(kind) || [...joiningTopics].some((topic) => topic.kind === kind)
}

async function pollPool(state: PollState, options: PollerOptions): Promise<void> {
  const { events, notifier } = options
  if (isWanted('newPendingTransactions', options)) {
    const hashes = await events.takePending()
    // A mined transaction must have been in the pool, even if no poll saw it there.
    notifier.announcePending([...state.minedHashes, ...hashes])
  } else {
    events.dropHashes()
  }
  state.minedHashes = []
}

async function pollSyncing(state: PollState, options: PollerOptions): Promise<void> {
  const { events, notifier, clock } = options
  const now = clock.now()
  if (!isWanted('syncing', options) || now - state.syncingAskedAt < syncingIntervalMs) return
  state.syncingAskedAt = now
  notifier.announceSyncing(await events.readSyncStatus())
}

async function checkKeys(state: PollState, options: PollerOptions): Promise<void> {
  const { sessions, findKey, clock } = options
  if (clock.now() - state.keysCheckedAt < keyCheckIntervalMs) return
  state.keysCheckedAt = clock.now()
  const hashes = new Set(Array.from(sessions.list(), ({ socket }) => socket.keyHash))
  for (const hash of hashes) {
    const key = await findKey(hash)
    if (key.kind !== 'unknown') continue
    for (const session of sessions.list()) {
      if (session.socket.keyHash !== hash) continue
      sessions.close(session, closeCodes.policy, revokedReason)
    }
  }
}
