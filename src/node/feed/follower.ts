import { describeFault } from '../../runtime/log.ts'
import type { FeedOptions } from './options.ts'
import { closeSubscribers, type Poller, type PollerOptions } from './poller.ts'

type FollowerOptions = PollerOptions & { poller: Poller; countSubscribers: () => number }

/** Polls the chain repeatedly while clients have subscriptions. */
export function createFollower(options: FollowerOptions) {
  const { poller, countSubscribers, sessions, events, budget, clock, log } = options
  let isFollowing = false
  let wakeUp = new AbortController()

  async function followUntilUnused(): Promise<void> {
    isFollowing = true
    let wasWoken = true
    while (countSubscribers() > 0) {
      const usedUpReason = describeUsedUpCalls(budget)
      if (usedUpReason !== undefined) {
        closeSubscribers(sessions, usedUpReason)
        break
      }
      wakeUp = new AbortController()
      const result = await poller.pollOnce()
      if (result === 'moved' && !wasWoken && !wakeUp.signal.aborted) options.onMissedHead()
      await clock.sleep(options.nextWaitMs(), wakeUp.signal)
      wasWoken = wakeUp.signal.aborted
    }
    // No `await` came since the last check, so a new subscription starts the following again.
    isFollowing = false
    poller.startOver()
    events.close()
  }

  return {
    follow(): void {
      if (isFollowing || countSubscribers() === 0) return
      followUntilUnused().catch((error: unknown) => {
        log({ level: 'error', event: 'feed.stopped', message: describeFault(error) })
      })
    },
    wake: () => wakeUp.abort(),
    /** Stops at once, and not after the next sleep, if there are no subscriptions. */
    stopIfUnused(): void {
      if (countSubscribers() === 0) wakeUp.abort()
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
