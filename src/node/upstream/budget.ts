import { TransportError } from '../../chain/rpc.ts'
import {
  type CallSource,
  type CallStore,
  type DailyCalls,
  dayMs,
  type Keys,
  limitSpending,
} from '../../keys/api-keys.ts'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import type { UpstreamNode } from './node.ts'

type UpstreamBudgetOptions = {
  store: () => CallStore
  /** Limits the calls of a UTC day. `relayReserve` of them are reserved for the relay. */
  limits: { callsADay: number; relayReserve: number }
  clock: Clock
  waitUntil: (work: Promise<unknown>) => void
  log: Log
}

const flushDelayMs = 1_000

const warningShare = 0.8

export type UpstreamBudget = ReturnType<typeof createUpstreamBudget>

/** Creates the count of all processes' calls: the store's last one, plus this process's since. */
export function createUpstreamBudget(options: UpstreamBudgetOptions) {
  const { store, limits, clock, waitUntil, log } = options
  let storedCalls = { relay: 0, callers: 0, resetAt: Number.POSITIVE_INFINITY }
  let uncountedCalls = { relay: 0, callers: 0 }
  let isFlushScheduled = false

  /** Returns today's calls, as far as this process knows. */
  function getCallsToday(): DailyCalls {
    const isSameDay = clock.now() < storedCalls.resetAt
    return isSameDay ? addCalls(storedCalls, uncountedCalls) : { ...uncountedCalls }
  }

  async function flush(): Promise<void> {
    await clock.sleep(flushDelayMs)
    isFlushScheduled = false
    const calls = uncountedCalls
    uncountedCalls = { relay: 0, callers: 0 }
    try {
      storedCalls = await store().count(calls)
      warnIfNearLimit(storedCalls, calls)
    } catch (error) {
      // The next flush counts these calls.
      uncountedCalls = addCalls(uncountedCalls, calls)
      log({ level: 'warn', event: 'upstream.uncounted', message: describeFault(error) })
    }
  }

  /** Warns if these calls are the ones that reach the share, so that only one process warns. */
  function warnIfNearLimit(total: DailyCalls, { relay, callers }: DailyCalls): void {
    const warningCalls = limits.callsADay * warningShare
    const used = total.relay + total.callers
    if (used < warningCalls || used - relay - callers >= warningCalls) return
    const message = `${Math.round(warningShare * 100)} % of the day's calls to the nodes are used`
    log({ level: 'warn', event: 'upstream.budget', message, relay: total.relay, used })
  }

  /** Returns when callers may call again (Unix ms), or undefined while they have calls left. */
  function findResetTime(): number | undefined {
    const { relay, callers } = getCallsToday()
    const reserved = Math.max(relay, limits.relayReserve)
    if (callers + reserved < limits.callsADay) return undefined
    return Number.isFinite(storedCalls.resetAt) ? storedCalls.resetAt : clock.now()
  }

  return {
    getCallsToday,
    findResetTime,
    /** Creates the budget of a network's subscriptions, which each process counts for itself. */
    createFeedBudget: () => createFeedBudget(limits, clock, findResetTime),
    /** Counts calls before they are sent. Throws for callers once the day's calls are used up. */
    count(source: CallSource, calls: number): void {
      // Subscriptions call the nodes outside any key's quota.
      if (source === 'callers' && findResetTime() !== undefined) {
        throw new TransportError("the day's calls to the nodes are used up")
      }
      uncountedCalls[source] += calls
      if (isFlushScheduled) return
      isFlushScheduled = true
      waitUntil(flush())
    },
  }
}

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
  let used = { day: 0, calls: 0 }
  const getDay = () => Math.floor(clock.now() / dayMs)
  const getDayEnd = () => (getDay() + 1) * dayMs
  const countUsedCalls = () => (used.day === getDay() ? used.calls : 0)
  const countRemainingCalls = () => maxCalls - countUsedCalls()

  return {
    countCalls: (node: UpstreamNode): UpstreamNode => ({
      ...node,
      call(method, params, result) {
        used = { day: getDay(), calls: countUsedCalls() + 1 }
        return node.call(method, params, result)
      },
    }),
    /** Returns when subscriptions may call again (Unix ms), or undefined while calls are left. */
    findResetTime: () => findResetTime() ?? (countRemainingCalls() > 0 ? undefined : getDayEnd()),
    /** Returns the time between polls, in ms, at which the calls suffice until the day ends. */
    getPollIntervalMs: () =>
      (callsPerPoll * (getDayEnd() - clock.now())) / Math.max(1, countRemainingCalls()),
  }
}

function addCalls(calls: DailyCalls, moreCalls: DailyCalls) {
  return { relay: calls.relay + moreCalls.relay, callers: calls.callers + moreCalls.callers }
}

/** Refuses calls with a network's keys once its budget for callers is used up. */
export const limitByBudget = (keys: Keys, budget: UpstreamBudget, chainId: number): Keys =>
  limitSpending(keys, (key) => {
    const resetAt = key.chainId === chainId ? budget.findResetTime() : undefined
    return resetAt === undefined ? undefined : { resetAt: new Date(resetAt), period: 'day' }
  })
