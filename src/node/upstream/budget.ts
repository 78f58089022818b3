import { TransportError } from '../../chain/rpc.ts'
import type { Keys } from '../../keys/api-keys.ts'
import { type CallSource, type CallStore, type DailyCalls, dayMs } from '../../keys/key-store.ts'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import type { UpstreamNode } from './node.ts'

type UpstreamBudgetOptions = {
  store: () => CallStore
  /** Limits the calls of a UTC day; `relayReserve` of them are kept for the relay. */
  limits: { callsADay: number; relayReserve: number }
  clock: Clock
  background: (work: Promise<unknown>) => void
  log: Log
}

/** Sets for how long calls are gathered before they go to the store, in ms. */
const gatherMs = 1_000

/** Sets the share of a day's calls at which the operator is warned. */
const warningShare = 0.8

export type UpstreamBudget = ReturnType<typeof createUpstreamBudget>

/** Counts the calls of all processes to the nodes, by the store's last answer and own calls. */
export function createUpstreamBudget(options: UpstreamBudgetOptions) {
  const { store, limits, clock, background, log } = options
  let known = { relay: 0, callers: 0, resetAt: Number.POSITIVE_INFINITY }
  let uncounted = { relay: 0, callers: 0 }
  let isGathering = false

  /** Returns today's calls, as far as this process knows. */
  function today(): DailyCalls {
    return clock.now() < known.resetAt ? addCalls(known, uncounted) : { ...uncounted }
  }

  async function flush(): Promise<void> {
    await clock.sleep(gatherMs)
    isGathering = false
    const calls = uncounted
    uncounted = { relay: 0, callers: 0 }
    try {
      known = await store().count(calls)
      warn(known, calls)
    } catch (error) {
      // They go to the store with the next ones.
      uncounted = addCalls(uncounted, calls)
      log({ level: 'warn', event: 'upstream.uncounted', message: describeFault(error) })
    }
  }

  /** Logs a warning in the one process whose calls pass the mark. */
  function warn(after: DailyCalls, { relay, callers }: DailyCalls): void {
    const mark = limits.callsADay * warningShare
    const used = after.relay + after.callers
    if (used < mark || used - relay - callers >= mark) return
    const message = `${Math.round(warningShare * 100)} % of the day's calls to the nodes are used`
    log({ level: 'warn', event: 'upstream.budget', message, relay: after.relay, used })
  }

  /** Returns when callers may call again (Unix ms); undefined while calls are left for them. */
  function spentUntil(): number | undefined {
    const { relay, callers } = today()
    const reserved = Math.max(relay, limits.relayReserve)
    if (callers + reserved < limits.callsADay) return undefined
    return Number.isFinite(known.resetAt) ? known.resetAt : clock.now()
  }

  return {
    today,
    spentUntil,
    /** Creates the share of the day's calls for a network's subscriptions, counted per process. */
    feedShare: () => createFeedShare(limits, clock, spentUntil),
    /** Counts calls before they go out; throws for callers once the day's calls are used up. */
    count(asker: CallSource, calls: number): void {
      // Subscriptions call the nodes on their own, outside any key's quota.
      if (asker === 'callers' && spentUntil() !== undefined) {
        throw new TransportError("the day's calls to the nodes are used up")
      }
      uncounted[asker] += calls
      if (isGathering) return
      isGathering = true
      background(flush())
    },
  }
}

/** Sets which share of the callers' calls a network's subscriptions may use. */
const feedShare = 2 / 3

/** Sets the average number of calls of a poll, which may find several blocks. */
const callsPerPoll = 1.5

export type FeedShare = ReturnType<typeof createFeedShare>

function createFeedShare(
  limits: UpstreamBudgetOptions['limits'],
  clock: Clock,
  spentUntil: () => number | undefined,
) {
  const most = Math.floor((limits.callsADay - limits.relayReserve) * feedShare)
  let counted = { day: 0, calls: 0 }
  const today = () => Math.floor(clock.now() / dayMs)
  const endsAt = () => (today() + 1) * dayMs
  const left = () => most - (counted.day === today() ? counted.calls : 0)

  return {
    counted: (node: UpstreamNode): UpstreamNode => ({
      ...node,
      call(method, params, result) {
        counted = { day: today(), calls: most - left() + 1 }
        return node.call(method, params, result)
      },
    }),
    /**
     * Returns when subscriptions may call again (Unix ms); undefined while calls are left.
     */
    spentUntil: () => spentUntil() ?? (left() > 0 ? undefined : endsAt()),
    /** Returns the time between polls, in ms, with which the calls last until the day ends. */
    stretchMs: () => (callsPerPoll * (endsAt() - clock.now())) / Math.max(1, left()),
  }
}

function addCalls(one: DailyCalls, other: DailyCalls) {
  return { relay: one.relay + other.relay, callers: one.callers + other.callers }
}

/** Refuses calls with a network's keys once its budget for callers is used up. */
export function withinBudget(keys: Keys, budget: UpstreamBudget, chainId: number): Keys {
  return {
    async lookup(hash) {
      const key = await keys.lookup(hash)
      if (key.kind === 'unknown' || key.chainId !== chainId) return key
      return {
        ...key,
        async spend(calls) {
          const until = budget.spentUntil()
          return until === undefined
            ? await key.spend(calls)
            : { resetAt: new Date(until), period: 'day' }
        },
      }
    },
  }
}
