import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import type { Rate } from '../../../src/loan/local-worth.ts'
import { friend, openWorld } from './world.ts'

const kes = (micros: bigint): Rate => ({ currency: 'KES', micros: micros * 1_000_000n })

/** The service where amounts are typed in shillings, the price of which the test changes. */
function open(settings: object = {}) {
  const feed: { rate: Rate | undefined } = { rate: kes(12_000_000n) }
  const own = { ...menus.local.settings, ...settings }
  const product = { settings: own, minTransferWei: 20_000_000_000_000n }
  const world = openWorld({ product: { ...product, readRate: async () => feed.rate } })
  const spent = async () =>
    (await world.ledger.listPayments(world.accountOf(0), 9)).map(({ order }) => order.spendsWei)
  return { ...world, feed, spent }
}

const to = 'To: +254 700 000 001'
const prompt = 'CON Amounts in KES: 1 tRBTC = KES 12,000,000'
const inCoins = 'CON KES: no rate now. Amounts in tRBTC'

describe('an amount in the local currency', () => {
  test('is typed, shown in both currencies, and rounded down before it is signed', async () => {
    const { play, spent } = open()
    await play(`
      s: 2*${friend} -> ${prompt}|${to}|Amount, or all:|0. Back
      s: 2*${friend}*1000,50 -> CON Send 0.000083 tRBTC|(about KES 996)|${to}|Fee: none|1. Send|0. Change
      s: 2*${friend}*1000,50*1 -> END Transfer Submitted|…`)
    expect(await spent()).toEqual([83n * 10n ** 12n])
  })

  test('keeps the rate that its session showed, whatever the price is at a redelivery', async () => {
    const { play, feed, spent } = open()
    await play(`s: 2*${friend} -> ${prompt}|…`)
    for (const rate of [kes(24_000_000n), undefined]) {
      feed.rate = rate
      await play(`
        s: 2*${friend} -> ${prompt}|…
        s: 2*${friend}*1200 -> CON Send 0.0001 tRBTC|(about KES 1,200)|…`)
    }
    feed.rate = kes(6_000_000n)
    await play(`
      s: 2*${friend}*1200*1 -> END Transfer Submitted|…
      other: 2*${friend}*1200 -> CON Send 0.0002 tRBTC|(about KES 1,200)|…`)
    expect(await spent()).toEqual([10n ** 14n])
  })

  test('is shown in both currencies when the caller is asked about an equal payment', async () => {
    const { play } = open()
    const again = `CON You sent 0.0001 tRBTC|(about KES 1,200)|${to}|Just now. Send it again?|2. Send once more|0. Change`
    await play(`
      s: 2*${friend}*1200*1 -> END Transfer Submitted|…
      t: 2*${friend}*1200*1 -> ${again}
      u: 2*0 -> …
      u: 2*0*11*1 -> CON You sent 0.0001 tRBTC|(about KES 1,200)|To: 2547...001|Just now. …`)
  })

  test("is shown for a debt at the session's rate, if there is one", async () => {
    const { play, feed } = open()
    const terms = (worth: string) =>
      `CON Loan: 0.01 tRBTC|Fee: 0 tRBTC|To repay: 0.01 tRBTC${worth}|Until: <date>|1. I agree|0. Back`
    await play(`s: 3 -> ${terms('|(about KES 120,000)')}`)
    feed.rate = undefined
    await play(`
      s: 3 -> ${terms('|(about KES 120,000)')}
      t: 3 -> ${terms('')}`)
  })

  test("is in the chain's currency for a whole session without a fresh price, and the screen says so", async () => {
    const { play, feed, spent } = open()
    feed.rate = undefined
    await play(`s: 2*${friend} -> ${inCoins}|${to}|Amount, or all:|0. Back`)
    feed.rate = kes(12_000_000n)
    await play(`
      s: 2*${friend}*x -> CON Not a valid amount, such as 0.001. Please try again.|Amounts in tRBTC|${to}|…
      s: 2*${friend}*0.001 -> CON Send 0.001 tRBTC|${to}|…
      s: 2*${friend}*0.001*1 -> END Transfer Submitted|…`)
    expect(await spent()).toEqual([10n ** 15n])
  })

  test('uses the rate of the first delivery if all answers were dialled at once', async () => {
    const { play, feed } = open()
    await play(`s: 2*${friend}*1200 -> CON Send 0.0001 tRBTC|(about KES 1,200)|…`)
    feed.rate = kes(24_000_000n)
    await play(`s: 2*${friend}*1200 -> same
      s: 2*${friend}*1200*0 -> ${prompt}|…`)
  })

  test("must reach the operator's smallest transfer, in whole units", async () => {
    await open().play(`
      s: 2*${friend}*239 -> CON The smallest amount to send is KES 240. Please try again.|Amounts in KES|${to}|…
      s: 2*${friend}*239*240 -> CON Send 0.00002 tRBTC|(about KES 240)|…
      t: 2*${friend}*0.0000000000001 -> CON The amount must be more than 0. Please try again.|…
      u: 2*${friend}*99999999999999 -> CON This amount is too large. Please try again.|…`)
  })

  test('leaves no row in the ledger if no local currency is set', async () => {
    const { play, rows } = openWorld({
      product: { ...menus.lender, readRate: async () => kes(1n) },
    })
    await play(`s: 2*${friend}*0.001 -> not …KES…
      b: 1 -> END Your Balance: 0.02 tRBTC`)
    expect(rows().filter((row) => row.includes('rate'))).toEqual([])
  })
})
