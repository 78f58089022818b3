import { TransportError } from '../../chain/rpc.ts'
import type { Keys } from '../../keys/api-keys.ts'
import { type Asker, type CallStore, type DayOfCalls, dayMs } from '../../keys/key-store.ts'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import type { UpstreamNode } from './node.ts'

type UpstreamBudgetOptions = {
  store: () => CallStore
  /** Limits the calls of a UTC day; the reserve is kept for the relay until it is used. */
  limits: { callsADay: number; relayReserve: number }
  clock: Clock
  background: (work: Promise<unknown>) => void
  log: Log
}

/** Calls of so long go to the store together. */
const gatherMs = 1_000

/** Sets the share of a day's calls at which the operator is warned. */
const warningShare = 0.8

export type UpstreamBudget = ReturnType<typeof createUpstreamBudget>

/** Counts what all processes ask of the nodes; each knows what the store told it last. */
export function createUpstreamBudget(options: UpstreamBudgetOptions) {
  const { store, limits, clock, background, log } = options
  let known = { relay: 0, callers: 0, resetAt: Number.POSITIVE_INFINITY }
  let untold = { relay: 0, callers: 0 }
  let isGathering = false

  /** Returns today's calls, as far as this process knows. */
  function today(): DayOfCalls {
    return clock.now() < known.resetAt ? addCalls(known, untold) : { ...untold }
  }

  async function tell(): Promise<void> {
    await clock.sleep(gatherMs)
    isGathering = false
    const calls = untold
    untold = { relay: 0, callers: 0 }
    try {
      known = await store().count(calls)
      warn(known, calls)
    } catch (error) {
      // They are told with the next ones.
      untold = addCalls(untold, calls)
      log({ level: 'warn', event: 'upstream.uncounted', message: describeFault(error) })
    }
  }

  /** Warns in the one process whose call passed the mark. */
  function warn(after: DayOfCalls, { relay, callers }: DayOfCalls): void {
    const mark = limits.callsADay * warningShare
    const used = after.relay + after.callers
    if (used < mark || used - relay - callers >= mark) return
    const message = `${Math.round(warningShare * 100)} % of the day's calls to the nodes are used`
    log({ level: 'warn', event: 'upstream.budget', message, relay: after.relay, used })
  }

  /** Returns when callers may ask again (Unix ms), if the day's calls are used up for them. */
  function spentUntil(): number | undefined {
    const { relay, callers } = today()
    const kept = Math.max(relay, limits.relayReserve)
    if (callers + kept < limits.callsADay) return undefined
    return Number.isFinite(known.resetAt) ? known.resetAt : clock.now()
  }

  return {
    today,
    spentUntil,
    /** Gives a network's subscriptions their share of the day's calls, as this process counts. */
    feedShare: () => createFeedShare(limits, clock, spentUntil),
    /** Notes calls before they go out; throws where they are callers' and the day's are used up. */
    note(asker: Asker, calls: number): void {
      // Subscriptions ask by themselves, without a key's quota.
      if (asker === 'callers' && spentUntil() !== undefined) {
        throw new TransportError("the day's calls to the nodes are used up")
      }
      untold[asker] += calls
      if (isGathering) return
      isGathering = true
      background(tell())
    },
  }
}

/** Subscriptions of a network may ask this share of what callers may. */
const feedShare = 2 / 3

/** Counts a look's calls, on average, since a look may find several blocks. */
const callsOfLook = 1.5

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
     * Returns when subscriptions may ask again (Unix ms), if their calls of the day are used up.
     */
    spentUntil: () => spentUntil() ?? (left() > 0 ? undefined : endsAt()),
    /** Returns the time between looks, in ms, with which the calls last until the day ends. */
    stretchMs: () => (callsOfLook * (endsAt() - clock.now())) / Math.max(1, left()),
  }
}

function addCalls(one: DayOfCalls, other: DayOfCalls) {
  return { relay: one.relay + other.relay, callers: one.callers + other.callers }
}

/** Refuses calls of a network's keys where the budget of its nodes is used up for callers. */
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
            : { resetAt: new Date(until), of: 'day' }
        },
      }
    },
  }
}
