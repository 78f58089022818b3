import * as z from 'zod/mini'
import { cached } from '../runtime/cached.ts'
import type { Clock } from '../runtime/clock.ts'
import { faultOf, type Log } from '../runtime/log.ts'

/** Where the price of the chain's currency is asked for, and in which currency (ISO 4217). */
export type RateFeed = { url: string; currency: string }

export type LocalWorthOptions = {
  feed: RateFeed
  fetch: typeof globalThis.fetch
  clock: Clock
  log: Log
}

/** A price that is older says nothing of what money is worth now. */
const oldestMs = 15 * 60_000
/** Clocks differ; a price from further ahead is not believed. */
const aheadMs = 60_000
/** A price serves all callers for so long, and so does that there was none. */
const ttlMs = 60_000
/** A screen waits no longer. */
const timeoutMs = 1_500
/** Far more than one price takes. */
const mostBytes = 4_096

/** What is worth more is not shown: no caller has it, so the price is wrong. */
const mostShown = 1e12

type Price = { ofOne: number; at: number }

/** One coin, by any name, with its price and its time: what CoinGecko's "simple price" answers, and other feeds like it. */
const answer = z.record(z.string(), z.record(z.string(), z.number()))

/**
 * What an amount is worth, from a feed that is asked once a minute at most: `KES 120`. Undefined where the
 * feed gives no price that is younger than 15 minutes. Never throws.
 */
export function createLocalWorth(
  options: LocalWorthOptions,
): (wei: bigint) => Promise<string | undefined> {
  const { clock, log, feed } = options
  const price = cached(clock, ttlMs, () =>
    priceFrom(options).catch((error: unknown) => {
      log({ level: 'warn', event: 'rate.unread', message: faultOf(error) })
      return undefined
    }),
  )
  return async (wei) => {
    const last = await price()
    const age = last === undefined ? oldestMs : clock.now() - last.at
    if (last === undefined || age >= oldestMs || age < -aheadMs) return undefined
    const worth = (Number(wei) / 1e18) * last.ofOne
    if (worth >= mostShown) return undefined
    return `${feed.currency} ${worth.toFixed(worth < 10 ? 2 : 0)}`
  }
}

/** @throws {Error} the feed gives no price */
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
