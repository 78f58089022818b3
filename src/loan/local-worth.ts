import * as z from 'zod/mini'
import { cached } from '../runtime/cached.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Log, tryOrLog } from '../runtime/log.ts'
import { getOne, isWithin, type Unit } from './amounts.ts'

/** Locates price feeds; `currency` is an ISO 4217 code. The second one is asked about a jump. */
export type RateFeed = {
  url: string
  currency: string
  secondUrl?: string | undefined
  maxChangePercent: number
}

/**
 * Tells the price of one unit in `micros`, millionths of the currency's unit, above zero; of a
 * session, also when it read that (Unix time in ms).
 */
export type Rate = { currency: string; micros: bigint; readAt?: number | undefined }

const digits = z.string().check(z.regex(/^[0-9]{1,30}$/))

/** Parses what a payment is in local money, as its caller agreed. Nothing works it out again. */
export const localWorth = z.object({
  currency: z.string().check(z.regex(/^[A-Z]{3}$/)),
  /** Holds the amount in hundredths of the currency's unit. */
  cents: digits,
  /** Hold the session's rate, in millionths for one unit, and when it was read. */
  micros: digits,
  readAt: z.int(),
})

export type LocalWorth = z.infer<typeof localWorth>

export const localMoney = z.pick(localWorth, { currency: true, cents: true })

export type LocalMoney = z.infer<typeof localMoney>

export type RatesOptions = {
  feed: RateFeed
  judge: (
    offered: Rate & { maxChangePercent: number; isAgreed: boolean },
  ) => Promise<'accepted' | 'refused'>
  fetch: typeof globalThis.fetch
  clock: Clock
  log: Log
}

/** Limits by how many percent the prices of two feeds differ that agree. */
const maxDifferencePercent = 5

const maxPriceAgeMs = 15 * 60_000
/** Limits how far the feed's clock may be ahead of ours. */
const maxClockSkewMs = 60_000
/** Limits how long an answer is cached, even an answer without a price. */
const ttlMs = 60_000
const timeoutMs = 1_500
const maxBodyBytes = 4_096

/** Limits the worth of a unit or an amount: a higher one must be an error, and fits no screen. */
const maxWorth = 1e11

type Price = Rate & { updatedAt: number }

/** Parses one coin with its price and time, as in CoinGecko's "simple price". */
const priceAnswer = z.record(z.string(), z.record(z.string(), z.number()))

/**
 * Creates a reader of the feed's rate, which asks the feed once a minute. The reader returns
 * undefined without an accepted price that is younger than 15 minutes, and never throws.
 */
export function createRates(options: RatesOptions): () => Promise<Rate | undefined> {
  const { clock, log } = options
  const readPrice = cached(clock, ttlMs, () =>
    tryOrLog(log, { level: 'warn', event: 'rate.unread' }, () => readAcceptedPrice(options)),
  )
  return async () => {
    const latest = await readPrice()
    if (latest === undefined || !isFresh(latest, clock)) return undefined
    return { currency: latest.currency, micros: latest.micros }
  }
}

function isFresh({ updatedAt }: Price, clock: Clock): boolean {
  const ageMs = clock.now() - updatedAt
  return ageMs < maxPriceAgeMs && ageMs >= -maxClockSkewMs
}

/** Reads the feed's price; undefined if it changed too much and no second feed agrees. */
async function readAcceptedPrice(options: RatesOptions): Promise<Price | undefined> {
  const { feed, judge, clock, log } = options
  const { currency, maxChangePercent, secondUrl } = feed
  const price = await fetchPrice(feed.url, options)
  if (!isFresh(price, clock)) return undefined
  const offered = { currency, micros: price.micros, maxChangePercent }
  if ((await judge({ ...offered, isAgreed: false })) === 'accepted') return price
  const second = secondUrl === undefined ? undefined : await fetchPrice(secondUrl, options)
  const isAgreed =
    second !== undefined &&
    isFresh(second, clock) &&
    isWithin(price.micros, second.micros, maxDifferencePercent)
  if (isAgreed && (await judge({ ...offered, isAgreed })) === 'accepted') return price
  log({ level: 'error', event: 'rate.refused', message: 'The price feed changed by too much' })
  return undefined
}

/** Formats local money, such as `KES 1,000` or `KES 4.50`. */
export function formatLocal({ currency, cents }: LocalMoney): string {
  const hundredths = BigInt(cents)
  const units = `${hundredths / 100n}`.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  const rest = hundredths % 100n
  return `${currency} ${units}${rest === 0n ? '' : `.${`${rest}`.padStart(2, '0')}`}`
}

/**
 * Computes the worth of wei in cents, in whole units from 10 on: the most that is no more than
 * these wei where it is typed. So a caller who types what a balance is worth has that much.
 */
function computeCents(wei: bigint, unit: Unit, { micros }: Rate): bigint {
  const cents = ((wei + 1n) * micros - 1n) / (getOne(unit) * 10_000n)
  return cents < 1_000n ? cents : cents - (cents % 100n)
}

const isPossible = (cents: bigint): boolean => cents < maxWorth * 100

const formatPossible = (cents: bigint, { currency }: Rate): string | undefined =>
  isPossible(cents) ? formatLocal({ currency, cents: `${cents}` }) : undefined

/** Formats the worth of an amount; returns undefined if the worth must be an error. */
export const formatWorth = (wei: bigint, unit: Unit, rate: Rate): string | undefined =>
  formatPossible(computeCents(wei, unit, rate), rate)

/** Returns what an amount is at a session's rate, as its screens tell it. */
export const agreeToWorth = (wei: bigint, unit: Unit, rate: Rate): LocalWorth | undefined =>
  agreeToCents(computeCents(wei, unit, rate), rate)

/** Returns nothing for less than a cent, too much, or a session of before rates had a time. */
export function agreeToCents(cents: bigint, { currency, micros, readAt }: Rate) {
  if (cents === 0n || !isPossible(cents) || readAt === undefined) return undefined
  return { currency, cents: `${cents}`, micros: `${micros}`, readAt }
}

/** Writes an amount as agreed in local money, with the text of the unit; else that alone. */
export const formatAgreed = (agreed: LocalMoney | null | undefined, unitText: string): string =>
  agreed ? `${formatLocal(agreed)} (${unitText})` : unitText

export const unitPrice = z.pick(localWorth, { currency: true, micros: true })

/** Adds to the text of an amount what it is worth now; the text alone without a price. */
export function formatNow(
  unitText: string,
  wei: bigint,
  unit: Unit,
  price: z.infer<typeof unitPrice> | null,
  worthOf = formatWorth,
): string {
  const worth = price && worthOf(wei, unit, { ...price, micros: BigInt(price.micros) })
  return worth ? `${unitText} (now ${worth})` : unitText
}

/** Formats the worth of an amount, rounded up to whole units; undefined as by `formatWorth`. */
export function formatWorthUp(wei: bigint, unit: Unit, rate: Rate): string | undefined {
  const divisor = getOne(unit) * 1_000_000n
  const cents = ((wei * rate.micros + divisor - 1n) / divisor) * 100n
  return formatPossible(cents, rate)
}

/** Formats a whole price, such as `KES 129.35`: amounts are worked out by all of its digits. */
export const formatPrice = ({ currency, micros }: Rate | LocalWorth): string =>
  `${currency} ${(Number(micros) / 1e6).toLocaleString('en', { maximumFractionDigits: 6 })}`

/** Describes for operators what was agreed, and the price that it went by. */
export function describeAgreed(
  agreed: LocalWorth,
  { symbol }: Unit,
  writeTime = (at: string) => at,
): string {
  const readTime = writeTime(new Date(agreed.readAt).toISOString())
  return `${formatLocal(agreed)} at ${formatPrice(agreed)} for 1 ${symbol}, read ${readTime}`
}

async function fetchPrice(url: string, { feed, fetch, clock }: RatesOptions): Promise<Price> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: clock.timeout(timeoutMs),
  })
  if (!response.ok || Number(response.headers.get('content-length') ?? 0) > maxBodyBytes) {
    await response.body?.cancel()
    throw new Error(`the price feed answered ${response.status}, or over ${maxBodyBytes} bytes`)
  }
  const [coin, ...others] = Object.values(priceAnswer.parse(JSON.parse(await response.text())))
  const micros = Math.round((coin?.[feed.currency.toLowerCase()] ?? 0) * 1e6)
  const updatedAtSeconds = coin?.last_updated_at
  if (
    updatedAtSeconds === undefined ||
    others.length > 0 ||
    !(micros > 0 && micros < maxWorth * 1e6)
  ) {
    throw new Error('the price feed has not exactly one price in this currency, with its time')
  }
  return { currency: feed.currency, micros: BigInt(micros), updatedAt: updatedAtSeconds * 1_000 }
}
