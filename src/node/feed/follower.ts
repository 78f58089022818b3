import { describeFault } from '../../runtime/log.ts'
import type { FeedOptions } from './options.ts'
import { endSubscribers, type Poller, type PollerOptions } from './poller.ts'

type FollowerOptions = PollerOptions & { poller: Poller; subscribers: () => number }

/** Polls the chain repeatedly while clients have subscriptions. */
export function createFollower(options: FollowerOptions) {
  const { poller, subscribers, sessions, events, share, clock, log } = options
  let isFollowing = false
  let wake = new AbortController()

  async function followUntilUnused(): Promise<void> {
    isFollowing = true
    let isNudged = true
    while (subscribers() > 0) {
      const spent = describeSpentCalls(share)
      if (spent !== undefined) {
        endSubscribers(sessions, spent)
        break
      }
      wake = new AbortController()
      const result = await poller.pollOnce()
      if (result === 'moved' && !isNudged && !wake.signal.aborted) options.onMissedHead()
      await clock.sleep(options.nextWaitMs(), wake.signal)
      isNudged = wake.signal.aborted
    }
    // No `await` since the last check, so the next subscription starts following again.
    isFollowing = false
    poller.startOver()
    events.stop()
  }

  return {
    follow(): void {
      if (isFollowing || subscribers() === 0) return
      followUntilUnused().catch((error: unknown) => {
        log({ level: 'error', event: 'feed.stopped', message: describeFault(error) })
      })
    },
    nudge: () => wake.abort(),
    /** Stops at once, and not after the next sleep, if there are no subscriptions. */
    stopIfUnused(): void {
      if (subscribers() === 0) wake.abort()
    },
  }
}

/** Returns the error for subscriptions whose calls are used up; undefined while calls are left. */
export function describeSpentCalls(share: FeedOptions['share']): string | undefined {
  const until = share?.spentUntil()
  if (until === undefined) return undefined
  const time = new Date(until).toISOString()
  return `the day's calls to the nodes for subscriptions are used up: subscribe again at ${time}`
}
