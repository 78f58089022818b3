import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCoinUnit, createTokenUnit, parseAmount } from '../../../src/loan/amounts.ts'
import {
  agreeToCents,
  agreeToWorth,
  createRates,
  describeAgreed,
  formatAgreed,
  formatWorth,
  formatWorthUp,
} from '../../../src/loan/local-worth.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { holds } from '../../support/properties.ts'

const oneCoin = 10n ** 18n
const coin = createCoinUnit('tRBTC')

/** Opens a feed with a test's answers, and counts its requests. */
function open(answer: (now: number) => Response | Promise<Response>) {
  const clock = createHandClock()
  const asked: string[] = []
  const logged: string[] = []
  const rate = createRates({
    feed: { url: 'https://prices.example/simple', currency: 'KES', maxChangePercent: 25 },
    judge: async () => 'accepted',
    fetch: async (url) => {
      asked.push(`${url}`)
      return await answer(clock.now())
    },
    clock,
    log: ({ event }) => logged.push(event),
  })
  const worthOf = async (wei: bigint) => {
    const now = await rate()
    return now && formatWorth(wei, coin, now)
  }
  return { clock, asked, logged, worthOf }
}

const priced = (kes: unknown, at: number): Response =>
  Response.json({ rootstock: { kes, last_updated_at: Math.floor(at / 1_000) } })

describe('what an amount is worth in local currency', () => {
  test("follows the feed's price, which is read once a minute", async () => {
    let price = 12_345_678.9
    const { worthOf, clock, asked } = open((now) => priced(price, now))
    expect(await worthOf(oneCoin)).toBe('KES 12,345,678')
    expect(await worthOf(oneCoin / 1_000_000n)).toBe('KES 12')
    expect(await worthOf(oneCoin / 10_000_000n)).toBe('KES 1.23')
    price = 20_000_000
    clock.forward(59_000)
    expect(await worthOf(oneCoin)).toBe('KES 12,345,678')
    expect(asked).toEqual(['https://prices.example/simple'])
    clock.forward(2_000)
    expect(await worthOf(oneCoin)).toBe('KES 20,000,000')
    expect(asked).toHaveLength(2)
  })

  test('is not shown if the price must be wrong, and is rounded up to whole units', () => {
    const rate = { currency: 'KES', micros: 12_000_000_500_000n }
    expect(formatWorth(oneCoin * 90_000n, coin, rate)).toBeUndefined()
    expect(formatWorthUp(20_000_000_000_000n, coin, rate)).toBe('KES 241')
    expect(formatWorthUp(oneCoin, coin, { ...rate, micros: 7_000_000n })).toBe('KES 7')
  })

  test('is unknown with a price that is 15 minutes old or from the future', async () => {
    const minuteMs = 60_000
    const { worthOf } = open((now) => priced(1_000, now - 14 * minuteMs))
    expect(await worthOf(oneCoin)).toBe('KES 1,000')
    for (const offMs of [-15 * minuteMs - 1_000, 2 * minuteMs]) {
      const { worthOf } = open((now) => priced(1_000, now + offMs))
      expect(await worthOf(oneCoin)).toBeUndefined()
    }
  })

  test('becomes unknown when the last price grows old', async () => {
    let isBroken = false
    const { worthOf, clock, logged } = open((now) => {
      if (isBroken) throw new Error('no answer')
      return priced(1_000, now)
    })
    expect(await worthOf(oneCoin)).toBe('KES 1,000')
    isBroken = true
    clock.forward(61_000)
    expect(await worthOf(oneCoin)).toBeUndefined()
    expect(logged).toEqual(['rate.unread'])
  })

  test.for<[string, (now: number) => Response]>([
    ['another currency', (now) => Response.json({ x: { usd: 1, last_updated_at: now / 1_000 } })],
    ['a price without its time', () => Response.json({ x: { kes: 1 } })],
    ['a price of less than a millionth', (now) => priced(1e-7, now)],
    ['a price of nothing', (now) => priced(0, now)],
    ['a price below nothing', (now) => priced(-1, now)],
    ['a price in words', (now) => priced('1000', now)],
    ['a price beyond any', (now) => priced(1e300, now)],
    ['several coins', (now) => Response.json({ x: { kes: 1, last_updated_at: now }, y: {} })],
    ['no JSON', () => new Response('<html>')],
    ['a list', () => Response.json([])],
    ['an error', () => new Response('{}', { status: 500 })],
    ['another address', () => new Response(null, { status: 302, headers: { location: '/' } })],
    ['too much', () => new Response('x'.repeat(5_000), { headers: { 'content-length': '5000' } })],
  ])('is not known where the feed answers %s', async ([, answer]) => {
    const { worthOf, asked } = open(answer)
    expect(await worthOf(oneCoin)).toBeUndefined()
    expect(await worthOf(oneCoin)).toBeUndefined()
    expect(asked).toHaveLength(1)
  })
})

describe('what a payment is in local money', () => {
  const rate = { currency: 'KES', micros: 129_350_000n, readAt: 1_790_700_000_000 }
  const dollar = createTokenUnit('USD', { address: `0x${'5'.repeat(40)}`, decimals: 18 })

  test.for([
    ['1000', 'KES 1,000 (5 USD)'],
    ['1000,509', 'KES 1,000.50 (5 USD)'],
    ['.05', 'KES 0.05 (5 USD)'],
    ['1234567890.12', 'KES 1,234,567,890 (5 USD)'],
    ['100000000000', '5 USD'],
  ] as const)('is %s as it was typed, down to the cent', ([typed, shown]) => {
    const parsed = parseAmount(typed, dollar, rate.micros)
    const { wei = 0n, cents = 0n } = parsed.kind === 'amount' ? parsed : {}
    expect(formatAgreed(agreeToCents(cents, rate), '5 USD')).toBe(shown)
    // The whole cost of these cents, and nothing for what was left out.
    expect(wei).toBe((cents * 10n ** 10n) / rate.micros)
  })

  test('is nothing for less than a cent, or for less than is counted', () => {
    const zero = { kind: 'fault', fault: 'zero' }
    expect(parseAmount('0.009', dollar, rate.micros)).toEqual(zero)
    expect(parseAmount('0.01', dollar, 10n ** 11n)).toEqual(zero)
  })

  test('else is the worth that screens tell, in each unit', () => {
    const agreed = { currency: 'KES', micros: '129350000', readAt: rate.readAt }
    expect(agreeToWorth(7_730_000n, dollar, rate)).toEqual({ ...agreed, cents: '99900' })
    expect(agreeToWorth(15_000n, dollar, rate)).toEqual({ ...agreed, cents: '194' })
    expect(formatWorth(7_730_000n, dollar, rate)).toBe('KES 999')
    expect(formatWorth(7_730_962n, dollar, rate)).toBe('KES 1,000')
    expect(agreeToWorth(oneCoin, coin, rate)?.cents).toBe('12900')
    expect(agreeToWorth(1n, dollar, rate)).toBeUndefined()
  })

  test('is told to operators with its whole rate', () => {
    const agreed = { currency: 'EUR', cents: '100000', micros: '998701', readAt: rate.readAt }
    const says = 'EUR 1,000 at EUR 0.998701 for 1 USD, read 2026-09-29T16:40:00.000Z'
    expect(describeAgreed(agreed, dollar)).toBe(says)
  })

  test('is nothing at a rate of which nobody knows when it was read', () => {
    expect(agreeToCents(100_000n, { ...rate, readAt: undefined })).toBeUndefined()
  })

  test('is the most of it that can be typed, whatever the price', async () => {
    const least = { min: 1n, max: 10n ** 12n }
    await holds(
      fc.property(fc.bigInt(least), fc.bigInt(least), fc.boolean(), (wei, micros, isCoin) => {
        const unit = isCoin ? coin : dollar
        const cents = BigInt(agreeToWorth(wei, unit, { ...rate, micros })?.cents ?? 0)
        const costOf = (cents: bigint) => {
          const parsed = parseAmount(
            `${cents / 100n}.${`${cents % 100n}`.padStart(2, '0')}`,
            unit,
            micros,
          )
          return parsed.kind === 'amount' ? parsed.wei : 0n
        }
        fc.pre(cents > 0n && cents < 10n ** 11n)
        expect(costOf(cents)).toBeLessThanOrEqual(wei)
        const next = cents + (cents < 1_000n ? 1n : 100n)
        if (next < 10n ** 11n) expect(costOf(next)).toBeGreaterThan(wei)
      }),
    )
  })
})
