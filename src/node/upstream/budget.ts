import { TransportError } from '../../chain/rpc.ts'
import type { Keys } from '../../keys/api-keys.ts'
import { type CallSource, type CallStore, type DailyCalls, dayMs } from '../../keys/key-store.ts'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import type { UpstreamNode } from './node.ts'

type UpstreamBudgetOptions = {
  store: () => CallStore
  /** Limits the calls of a UTC day, of which `relayReserve` are reserved for the relay. */
  limits: { callsADay: number; relayReserve: number }
  clock: Clock
  background: (work: Promise<unknown>) => void
  log: Log
}

/** Sets how long calls are gathered before the store counts them, in ms. */
const gatherMs = 1_000

/** Sets the share of a day's calls at which the operator is warned. */
const warningShare = 0.8

export type UpstreamBudget = ReturnType<typeof createUpstreamBudget>

/** Counts all processes' calls to the nodes: the store's last count plus own new calls. */
export function createUpstreamBudget(options: UpstreamBudgetOptions) {
  const { store, limits, clock, background, log } = options
  let storedCalls = { relay: 0, callers: 0, resetAt: Number.POSITIVE_INFINITY }
  let uncounted = { relay: 0, callers: 0 }
  let isGathering = false

  /** Returns today's calls, as far as this process knows. */
  function today(): DailyCalls {
    return clock.now() < storedCalls.resetAt ? addCalls(storedCalls, uncounted) : { ...uncounted }
  }

  async function flush(): Promise<void> {
    await clock.sleep(gatherMs)
    isGathering = false
    const calls = uncounted
    uncounted = { relay: 0, callers: 0 }
    try {
      storedCalls = await store().count(calls)
      warn(storedCalls, calls)
    } catch (error) {
      // The next flush counts these calls.
      uncounted = addCalls(uncounted, calls)
      log({ level: 'warn', event: 'upstream.uncounted', message: describeFault(error) })
    }
  }

  /** Logs a warning in the one process whose calls pass the warning's share. */
  function warn(after: DailyCalls, { relay, callers }: DailyCalls): void {
    const warningCalls = limits.callsADay * warningShare
    const used = after.relay + after.callers
    if (used < warningCalls || used - relay - callers >= warningCalls) return
    const message = `${Math.round(warningShare * 100)} % of the day's calls to the nodes are used`
    log({ level: 'warn', event: 'upstream.budget', message, relay: after.relay, used })
  }

  /** Returns when callers may call again (Unix ms); undefined while calls are left for them. */
  function findResetTime(): number | undefined {
    const { relay, callers } = today()
    const reserved = Math.max(relay, limits.relayReserve)
    if (callers + reserved < limits.callsADay) return undefined
    return Number.isFinite(storedCalls.resetAt) ? storedCalls.resetAt : clock.now()
  }

  return {
    today,
    findResetTime,
    /** Creates the budget of a network's subscriptions, which each process counts for itself. */
    createFeedBudget: () => createFeedBudget(limits, clock, findResetTime),
    /** Counts calls before they go out; throws for callers once the day's calls are used up. */
    count(asker: CallSource, calls: number): void {
      // Subscriptions call the nodes outside any key's quota.
      if (asker === 'callers' && findResetTime() !== undefined) {
        throw new TransportError("the day's calls to the nodes are used up")
      }
      uncounted[asker] += calls
      if (isGathering) return
      isGathering = true
      background(flush())
    },
  }
}

/** Sets the share of the callers' calls that a network's subscriptions may use. */
const feedBudgetShare = 2 / 3

/** Sets the average number of calls of a poll, which may find several blocks. */
const callsPerPoll = 1.5

export type FeedBudget = ReturnType<typeof createFeedBudget>

function createFeedBudget(
  limits: UpstreamBudgetOptions['limits'],
  clock: Clock,
  findResetTime: () => number | undefined,
) {
  const maxCalls = Math.floor((limits.callsADay - limits.relayReserve) * feedBudgetShare)
  let countCalls = { day: 0, calls: 0 }
  const today = () => Math.floor(clock.now() / dayMs)
  const getDayEnd = () => (today() + 1) * dayMs
  const countRemaining = () => maxCalls - (countCalls.day === today() ? countCalls.calls : 0)

  return {
    countCalls: (node: UpstreamNode): UpstreamNode => ({
      ...node,
      call(method, params, result) {
        countCalls = { day: today(), calls: maxCalls - countRemaining() + 1 }
        return node.call(method, params, result)
      },
    }),
    /**
     * Returns when subscriptions may call again (Unix ms); undefined while calls are left.
     */
    findResetTime: () => findResetTime() ?? (countRemaining() > 0 ? undefined : getDayEnd()),
    /** Returns the time between polls, in ms, with which the calls last until the day ends. */
    getPollIntervalMs: () =>
      (callsPerPoll * (getDayEnd() - clock.now())) / Math.max(1, countRemaining()),
  }
}

function addCalls(calls: DailyCalls, moreCalls: DailyCalls) {
  return { relay: calls.relay + moreCalls.relay, callers: calls.callers + moreCalls.callers }
}

/** Refuses calls with a network's keys once its budget for callers is used up. */
export function limitByBudget(keys: Keys, budget: UpstreamBudget, chainId: number): Keys {
  return {
    async lookup(hash) {
      const key = await keys.lookup(hash)
      if (key.kind === 'unknown' || key.chainId !== chainId) return key
      return {
        ...key,
        async spend(calls) {
          const resetAt = budget.findResetTime()
          return resetAt === undefined
            ? await key.spend(calls)
            : { resetAt: new Date(resetAt), period: 'day' }
        },
      }
    },
  }
}
