import { RpcError, TransportError } from '../../chain/rpc.ts'
import { describeFault, tryOrLog } from '../../runtime/log.ts'
import type { ReportedHead } from '../upstream/socket.ts'
import type { FeedBlock } from './chain.ts'
import type { LogReader } from './log-reader.ts'
import type { Notifier } from './notifier.ts'
import type { FeedOptions } from './options.ts'
import { closeCodes, revokedReason, type Sessions } from './sessions.ts'

/** A step that failed finds the same changes in the next poll. */
type PollResult = { hasMoved: boolean; failedSteps: ReadonlySet<string> }

type PollerOptions = FeedOptions & { sessions: Sessions; notifier: Notifier; logReader: LogReader }

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

export function createPoller(options: PollerOptions) {
  const { notifier, sessions, events, budget, clock, log } = options
  const state = createPollState(clock.now())
  let lastPoll: Promise<unknown> = Promise.resolve()
  let nextPoll: Promise<PollResult> | undefined
  let isFollowing = false
  let wakeUp = new AbortController()

  /** Polls one at a time; all calls during a poll share the next one. */
  function pollOnce(): Promise<PollResult> {
    nextPoll ??= lastPoll.then(() => {
      nextPoll = undefined
      const poll = pollSafely(state, options)
      lastPoll = poll
      return poll
    })
    return nextPoll
  }

  async function followUntilUnused(): Promise<void> {
    isFollowing = true
    let wasWoken = true
    while (notifier.hasTopics()) {
      const usedUpReason = describeUsedUpCalls(budget)
      if (usedUpReason !== undefined) {
        closeSubscribers(sessions, usedUpReason)
        break
      }
      wakeUp = new AbortController()
      const { hasMoved } = await pollOnce()
      if (hasMoved && !wasWoken && !wakeUp.signal.aborted) options.onMissedHead()
      await clock.sleep(options.nextWaitMs(), wakeUp.signal)
      wasWoken = wakeUp.signal.aborted
    }
    // No `await` came since the last check, so a new subscription starts the following again.
    isFollowing = false
    state.mustRestart = true
    events.close()
  }

  return {
    pollOnce,
    /** Makes the next poll announce what happened since the last announced block, or nothing. */
    resume(hasListeners: boolean): void {
      state.mustRestart = !hasListeners
    },
    follow(): void {
      if (isFollowing || !notifier.hasTopics()) return
      void tryOrLog(log, { level: 'error', event: 'feed.stopped' }, followUntilUnused)
    },
    wake: () => wakeUp.abort(),
    /** Stops at once, and not after the next sleep, if there are no subscriptions. */
    stopIfUnused(): void {
      if (!notifier.hasTopics()) wakeUp.abort()
    },
  }
}

/** Returns the error for subscriptions whose calls are used up; undefined while calls are left. */
export function describeUsedUpCalls(budget: FeedOptions['budget']): string | undefined {
  const resetAt = budget?.findResetTime()
  if (resetAt === undefined) return undefined
  const time = new Date(resetAt).toISOString()
  return `the day's calls to the nodes for subscriptions are used up: subscribe again at ${time}`
}

/** Takes all steps of a poll, since one that fails is no reason to leave the others out. */
async function pollSafely(state: PollState, options: PollerOptions): Promise<PollResult> {
  let hasMoved = false
  const failedSteps = new Set<string>()
  const steps = {
    async chain(): Promise<void> {
      if (state.mustRestart) await restart(state, options)
      hasMoved = await pollChain(state, options)
    },
    newPendingTransactions: () => pollPool(state, options),
    syncing: () => pollSyncing(state, options),
    keys: () => checkKeys(state, options),
  }
  for (const [name, takeStep] of Object.entries(steps)) {
    try {
      await takeStep()
    } catch (error) {
      failedSteps.add(name)
      const isExpected = error instanceof TransportError || error instanceof RpcError
      const level = isExpected ? 'warn' : 'error'
      options.log({ level, event: 'feed.waits', message: describeFault(error) })
    }
  }
  return { hasMoved, failedSteps }
}

async function restart(state: PollState, { chain, store, notifier }: PollerOptions): Promise<void> {
  const before = chain.getBlocks()
  await chain.restart()
  if (chain.getBlocks() !== before) store?.replaceBlocks(store.readBlocks(), chain.getBlocks(), 0)
  notifier.reset()
  state.minedHashes = []
  state.mustRestart = false
}

/** Announces the chain's change; returns whether it moved. */
async function pollChain(state: PollState, options: PollerOptions): Promise<boolean> {
  const { chain, store, sessions, notifier, logReader } = options
  const change = await chain.advance()
  if (change.kind === 'lost') {
    state.mustRestart = true
    closeSubscribers(sessions, 'the chain moved too far: subscribe again')
    return true
  }
  if (change.kind === 'moved') {
    const { before, removedBlocks, addedBlocks } = change
    // No `await` separates storing and announcing, so a restarted feed continues exactly here.
    store?.replaceBlocks(removedBlocks, addedBlocks, chain.getBlocks()[0]?.number ?? 0)
    notifier.announceBlocks(before, removedBlocks, addedBlocks)
    state.minedHashes.push(...addedBlocks.flatMap(({ transactions }) => transactions))
  }
  logReader.readDue()
  return change.kind === 'moved'
}

function closeSubscribers(sessions: Sessions, reason: string): void {
  for (const session of sessions.list()) {
    if (session.topics.size > 0) sessions.close(session, closeCodes.tryLater, reason)
  }
}

async function pollPool(state: PollState, options: PollerOptions): Promise<void> {
  const { events, notifier } = options
  const { minedHashes } = state
  state.minedHashes = []
  if (!notifier.isWanted('newPendingTransactions')) return events.dropHashes()
  // A mined transaction must have been in the pool, even if no poll saw it there.
  notifier.announcePending(minedHashes)
  notifier.announcePending(await events.takePending())
}

async function pollSyncing(state: PollState, options: PollerOptions): Promise<void> {
  const { events, notifier, clock } = options
  const now = clock.now()
  if (!notifier.isWanted('syncing') || now - state.syncingAskedAt < syncingIntervalMs) return
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

/** Limits the wait between polls, in ms, because polls also check the keys of connections. */
const maxWaitMs = 40_000

const minBlockWaitMs = 1_000

/** Limits how late a poll finds a head, in ms, without a socket that reports heads. */
const maxLateMs = 15_000

const measuredBlocks = 64

/** Returns the ms until the next poll, by the time between blocks and the day's remaining calls. */
export function computePollWaitMs(
  blocks: readonly FeedBlock[],
  reported: ReportedHead | undefined,
  now: number,
  minWaitMs = 0,
): number {
  const blockTimeMs = measureBlockTimeMs(blocks.slice(-measuredBlocks))
  const waitWithoutSocketMs = clamp(blockTimeMs - minBlockWaitMs, minBlockWaitMs, maxLateMs)
  // Block times are random: after this long, the socket has probably missed a block.
  let waitMs = Math.max(blockTimeMs * 2.2, 2.5 * minBlockWaitMs)
  if (reported === undefined) waitMs = waitWithoutSocketMs
  // The polled node is behind the one that reported the head.
  else if (reported.number > (blocks.at(-1)?.number ?? 0))
    waitMs = clamp(now - reported.reportedAt, minBlockWaitMs, waitWithoutSocketMs)
  return Math.min(maxWaitMs, Math.max(minWaitMs, waitMs))
}

/** Returns the usual time between blocks by their timestamps, in ms; 0 if unknown. */
function measureBlockTimeMs(blocks: readonly FeedBlock[]): number {
  const gaps = blocks
    .slice(1)
    .map(({ timestamp }, index) => timestamp - (blocks[index]?.timestamp ?? timestamp))
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b)
  return 1_000 * (gaps[Math.floor(gaps.length / 2)] ?? 0)
}

function clamp(value: number, minimum: number, maximum: number): number {
  return Math.min(maximum, Math.max(minimum, value))
}
