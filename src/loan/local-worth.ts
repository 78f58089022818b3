import * as z from 'zod/mini'
import { cached } from '../runtime/cached.ts'
import type { Clock } from '../runtime/clock.ts'
import { describeFault, type Log } from '../runtime/log.ts'

/** Names the URL of a price feed, and its currency (ISO 4217). */
export type RateFeed = { url: string; currency: string }

/** Is the price of one coin, in millionths of a unit of the currency: above zero. */
export type Rate = { currency: string; micros: bigint }

export type RatesOptions = {
  feed: RateFeed
  fetch: typeof globalThis.fetch
  clock: Clock
  log: Log
}

const oldestMs = 15 * 60_000
/** Rejects a price from further ahead, as clocks differ. */
const aheadMs = 60_000
/** Caches the answer this long, even without a price. */
const ttlMs = 60_000
const timeoutMs = 1_500
const mostBytes = 4_096

/** Bounds the worth of a coin or of an amount: a higher one is wrong. */
const mostShown = 1e12

type Price = Rate & { at: number }

/** Parses one coin with its price and time, as in CoinGecko's "simple price". */
const answer = z.record(z.string(), z.record(z.string(), z.number()))

/** Returns the feed's rate while it is fresh, read once a minute. Never throws. */
export function createRates(options: RatesOptions): () => Promise<Rate | undefined> {
  const { clock, log } = options
  const price = cached(clock, ttlMs, () =>
    priceFrom(options).catch((error: unknown) => {
      log({ level: 'warn', event: 'rate.unread', message: describeFault(error) })
      return undefined
    }),
  )
  return async () => {
    const last = await price()
    const age = last === undefined ? oldestMs : clock.now() - last.at
    if (last === undefined || age >= oldestMs || age < -aheadMs) return undefined
    return { currency: last.currency, micros: last.micros }
  }
}

/** Formats the rounded worth of an amount; undefined if it is beyond belief. */
export function formatWorth(wei: bigint, { currency, micros }: Rate): string | undefined {
  const worth = Number(wei * micros) / 1e24
  return worth < mostShown ? `${currency} ${worth.toFixed(worth < 10 ? 2 : 0)}` : undefined
}

/** Formats the worth of an amount, rounded up to whole units. */
export const formatWorthUp = (wei: bigint, { currency, micros }: Rate): string =>
  `${currency} ${(wei * micros + 10n ** 24n - 1n) / 10n ** 24n}`

async function priceFrom({ feed, fetch, clock }: RatesOptions): Promise<Price> {
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
  const ofOne = Math.round((coin?.[feed.currency.toLowerCase()] ?? 0) * 1e6)
  const at = coin?.last_updated_at
  if (at === undefined || others.length > 0 || !(ofOne > 0 && ofOne < mostShown * 1e6)) {
    throw new Error('the feed of prices has not the one price that is asked for, with its time')
  }
  return { currency: feed.currency, micros: BigInt(ofOne), at: at * 1_000 }
}
