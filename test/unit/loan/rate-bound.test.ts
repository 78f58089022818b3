import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { createRates, type Rate } from '../../../src/loan/local-worth.ts'
import { findAlerts } from '../../../src/operator/alerting/alerts.ts'
import { conditionWith, subject } from '../operator/condition.ts'
import { friend, openWorld } from '../ussd/world.ts'

const url = 'https://prices.example/first'
const secondUrl = 'https://prices.example/second'
const minuteMs = 60_000

/** Opens a service whose feeds have the prices that a test sets, and which may restart. */
function open(prices: Record<string, number>) {
  const agesMs: Record<string, number> = {}
  let readRate = async (): Promise<Rate | undefined> => undefined
  const product = { ...menus.local, readRate: () => readRate() }
  const { clock, ledger, play } = openWorld({ product })
  const fetch = async (asked: unknown) => {
    const kes = prices[`${asked}`]
    if (kes === undefined) throw new Error('no answer')
    const ageMs = agesMs[`${asked}`] ?? 0
    return Response.json({ coin: { kes, last_updated_at: (clock.now() - ageMs) / 1_000 } })
  }
  function restart() {
    const feed = { url, secondUrl, currency: 'KES', maxChangePercent: 25 }
    const judge = ledger.judgeRate
    readRate = createRates({ feed, judge, fetch, clock, log: () => {} })
  }
  restart()
  let dials = 0
  /** Dials anew, and holds the prompt to its price, or to the chain's currency. */
  const dial = (price: number | 'none') =>
    play(
      `dial${dials++}: 2*${friend} -> ${price === 'none' ? 'CON No KES rate now: type tRBTC, NOT KES…' : `CON Amounts in KES: 1 tRBTC = KES ${price.toLocaleString('en')}|…`}`,
    )
  const findRaised = async () =>
    findAlerts(conditionWith({ rate: (await ledger.readVitals()).rate }), subject)
  /** Sets the feed's price a minute later. */
  function change(price: number, at = url) {
    clock.forward(minuteMs + 1_000)
    prices[at] = price
  }
  return { clock, agesMs, ledger, dial, change, restart, findRaised }
}

describe('a price feed', () => {
  test.for([50_000, 20])(
    'that jumps by 50 times to %d prices nothing, raises an alert, and is not believed by a restart',
    async (price) => {
      const { clock, dial, change, restart, findRaised } = open({ [url]: 1_000 })
      await dial(1_000)
      change(price)
      await dial('none')
      restart()
      await dial('none')
      clock.forward(2 * 24 * 60 * minuteMs)
      await dial('none')
      change(price, secondUrl)
      change(price / 2, secondUrl)
      await dial('none')
      const [alert] = await findRaised()
      expect(alert?.name).toBe('rate_jump')
      expect(alert?.says).toContain(`the price feed says KES ${price}, too far from 1000:`)
      change(1_001)
      await dial(1_001)
      expect(await findRaised()).toEqual([])
    },
  )

  test('is believed again once an operator accepts its price, in the audit', async () => {
    const { dial, change, ledger, findRaised } = open({ [url]: 1_000 })
    expect(await ledger.acceptRate('too early', 50_000_000_000n)).toBeUndefined()
    await dial(1_000)
    change(50_000)
    await dial('none')
    await ledger.acceptRate('another', 5_000_000_000n)
    change(50_000)
    await dial('none')
    await ledger.acceptRate('right', 50_000_000_000n)
    change(50_000)
    await dial(50_000)
    expect(await findRaised()).toEqual([])
    const other = { currency: 'GHS', micros: 7n, maxChangePercent: 25, isAgreed: false }
    expect(await ledger.judgeRate(other)).toBe('accepted')
    const audit = (await ledger.listAudit({ limit: 9 })).entries.map(({ action, detail }) => [
      action,
      detail,
    ])
    const accepted = (micros: string) => ['rate', { currency: 'KES', micros }]
    expect(audit).toEqual([accepted('50000000000'), accepted('5000000000')])
  })

  test('is believed again once the second feed has the same price within 5 %', async () => {
    const { agesMs, dial, change, findRaised } = open({ [url]: 1_000 })
    await dial(1_000)
    change(47_500, secondUrl)
    change(50_000)
    await dial('none')
    agesMs[secondUrl] = 15 * minuteMs
    change(48_000, secondUrl)
    await dial('none')
    agesMs[secondUrl] = 0
    change(48_000, secondUrl)
    await dial(50_000)
    expect(await findRaised()).toEqual([])
  })

  test('is followed slowly, and no faster in small steps', async () => {
    const { dial, change } = open({ [url]: 1_000 })
    await dial(1_000)
    for (const price of [1_100, 1_200, 1_250]) {
      change(price)
      await dial(price)
    }
    change(1_251)
    await dial('none')
    for (let minutes = 0; minutes < 60; minutes++) change(1_250)
    await dial(1_250)
    change(1_500)
    await dial(1_500)
  })
})
