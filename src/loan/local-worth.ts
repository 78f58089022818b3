import * as z from 'zod/mini'
import { cached } from '../runtime/cached.ts'
import type { Clock } from '../runtime/clock.ts'
import { describeFault, type Log } from '../runtime/log.ts'

/** Says where the price is asked for, and in which currency (ISO 4217). */
export type RateFeed = { url: string; currency: string }

/** Is what one coin is worth, in millionths of a unit of the currency: more than nothing. */
export type Rate = { currency: string; micros: bigint }

export type RatesOptions = {
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

/** Is worth more than any coin is, or any caller has: such a price is wrong. */
const mostShown = 1e12

type Price = Rate & { at: number }

/** Reads one coin with its price and its time, as CoinGecko's "simple price" answers. */
const answer = z.record(z.string(), z.record(z.string(), z.number()))

/** Gives the rate of a feed that is asked once a minute, while it is fresh. Never throws. */
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

/** Shows about what an amount is worth; undefined where that is more than anybody has. */
export function formatWorth(wei: bigint, { currency, micros }: Rate): string | undefined {
  const worth = Number(wei * micros) / 1e24
  return worth < mostShown ? `${currency} ${worth.toFixed(worth < 10 ? 2 : 0)}` : undefined
}

/** Shows in whole units what is worth at least an amount. */
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
