import * as z from 'zod/mini'
import { cached } from '../runtime/cached.ts'
import type { Clock } from '../runtime/clock.ts'
import { faultOf, type Log } from '../runtime/log.ts'

/** Says where the price is asked for, and in which currency (ISO 4217). */
export type RateFeed = { url: string; currency: string }

export type LocalWorthOptions = {
  feed: RateFeed
  fetch: typeof globalThis.fetch
  clock: Clock
  log: Log
}

const oldestMs = 15 * 60_000
/** Believes no price from further ahead, since clocks differ. */
const aheadMs = 60_000
/** Serves all callers for so long, also with no price. */
const ttlMs = 60_000
const timeoutMs = 1_500
const mostBytes = 4_096

/** Is worth more than any caller has: such a price is wrong. */
const mostShown = 1e12

type Price = { ofOne: number; at: number }

/** Reads one coin with its price and its time, as CoinGecko's "simple price" answers. */
const answer = z.record(z.string(), z.record(z.string(), z.number()))

/** Tells an amount's worth by a feed that is asked once a minute. Never throws. */
export function createLocalWorth(options: LocalWorthOptions) {
  const { clock, log, feed } = options
  const price = cached(clock, ttlMs, () =>
    priceFrom(options).catch((error: unknown) => {
      log({ level: 'warn', event: 'rate.unread', message: faultOf(error) })
      return undefined
    }),
  )
  return async (wei: bigint) => {
    const last = await price()
    const age = last === undefined ? oldestMs : clock.now() - last.at
    if (last === undefined || age >= oldestMs || age < -aheadMs) return undefined
    const worth = (Number(wei) / 1e18) * last.ofOne
    if (worth >= mostShown) return undefined
    return `${feed.currency} ${worth.toFixed(worth < 10 ? 2 : 0)}`
  }
}

async function priceFrom({ feed, fetch, clock }: LocalWorthOptions): Promise<Price> {
  const response = await fetch(feed.url, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: clock.timeout(timeoutMs),
  })
  if (!response.ok || Number(response.headers.get('content-length') ?? 0) > mostBytes) {
    await response.body?.cancel()
    throw new Error(`the feed of prices answered ${response.status}`)
  }
  const [coin, ...others] = Object.values(answer.parse(JSON.parse(await response.text())))
  const ofOne = coin?.[feed.currency.toLowerCase()]
  const at = coin?.last_updated_at
  if (ofOne === undefined || at === undefined || others.length > 0 || !(ofOne > 0)) {
    throw new Error('the feed of prices has not the one price that is asked for, with its time')
  }
  return { ofOne, at: at * 1_000 }
}
