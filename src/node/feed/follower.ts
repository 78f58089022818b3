import { describeFault } from '../../runtime/log.ts'
import type { FeedOptions } from './options.ts'
import { endSubscribers, type Poller, type PollerOptions } from './poller.ts'

type FollowerOptions = PollerOptions & { poller: Poller; subscribers: () => number }

/** Looks at the chain again and again for as long as a client listens. */
export function createFollower(options: FollowerOptions) {
  const { poller, subscribers, sessions, events, share, clock, log } = options
  let isFollowing = false
  let wake = new AbortController()

  async function followToTheEnd(): Promise<void> {
    isFollowing = true
    let isNudged = true
    while (subscribers() > 0) {
      const spent = spentWords(share)
      if (spent !== undefined) {
        endSubscribers(sessions, spent)
        break
      }
      wake = new AbortController()
      const seen = await poller.soon()
      if (seen === 'moved' && !isNudged && !wake.signal.aborted) options.foundUntold()
      await clock.sleep(options.waitMs(), wake.signal)
      isNudged = wake.signal.aborted
    }
    // In the same turn as the last check: a subscription that comes next starts over.
    isFollowing = false
    poller.startOver()
    events.rest()
  }

  return {
    follow(): void {
      if (isFollowing || subscribers() === 0) return
      followToTheEnd().catch((error: unknown) => {
        log({ level: 'error', event: 'feed.stopped', message: describeFault(error) })
      })
    },
    nudge: () => wake.abort(),
    /** Ends now and not after the next sleep, where no client listens. */
    endIfUnheard(): void {
      if (subscribers() === 0) wake.abort()
    },
  }
}

/** Says until when subscriptions may not ask; undefined while they may. */
export function spentWords(share: FeedOptions['share']): string | undefined {
  const until = share?.spentUntil()
  if (until === undefined) return undefined
  const time = new Date(until).toISOString()
  return `the day's calls to the nodes for subscriptions are used up: subscribe again at ${time}`
}
