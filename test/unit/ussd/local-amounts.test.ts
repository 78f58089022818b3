import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { languages } from '../../../src/account/language.ts'
import { createCoinUnit, createTokenUnit } from '../../../src/loan/amounts.ts'
import type { Rate } from '../../../src/loan/local-worth.ts'
import { messagesIn } from '../../../src/ussd/messages/languages.ts'
import { writeLoanRefusal } from '../../../src/ussd/refusal-texts.ts'
import {
  createAmountFormats,
  createWorthFormats,
} from '../../../src/ussd/screens/amount-formats.ts'
import { countSeptets, maxSeptets, toGsmAlphabet } from '../../../src/ussd/screens/septets.ts'
import { holds } from '../../support/properties.ts'
import { friend, giveTills, openWorld, plays } from './world.ts'

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
const inCoins = 'CON No KES rate now: type tRBTC, NOT KES'

/** The same where the second caller is an agent. */
async function openAgent() {
  const world = open()
  await giveTills(world)
  return world
}

describe('what was agreed in local money', () => {
  test('is shown by every later screen, whatever a coin is worth by then', async () => {
    const { deliver, play, feed, rows, ledger, accountOf } = await openAgent()
    const readDay = () => ledger.listTakings(accountOf(1), 1)
    const withdraw = '7*12344*1000*1'
    const shown = await deliver(0, 's', withdraw)
    const code = /Code for agent: (\d{6})/.exec(shown)?.[1] ?? ''
    const both = 'KES 1,000 (0.000083 tRBTC)'
    await play(`
      s: ${withdraw} -> END Withdrawal Submitted|Agent: 12344 Mama Duka|Amount: ${both}|Code for agent: ${code}|Ref: …
      t: 2*${friend}*1200*1 -> END Transfer Submitted|KES 1,200 (0.0001 tRBTC)|To: 2547...001|Ref: …
      settle`)
    for (const rate of [kes(24_000_000n), kes(1_000n), undefined]) {
      feed.rate = rate
      await play(`
        s: ${withdraw} -> …Amount: ${both}|…
        agent@1: 5 -> CON My Activity|1. Agents: find code|Float: …|KES 1,000: to pay out|Received today: ${both}|…
        agent@1: 5*1*${code} -> CON ${code} ${both}: to pay out|1. Use the code, then give cash|0. Back
        mine: 5 -> CON My Activity|Sent KES 1,200 (0.0001 tRBTC) to 2547...001: done|…
        mine: 5*98 -> CON Withdrew ${both} at 12344 Mama Duka (${code}): cash not given yet|…`)
    }
    const local = { currency: 'KES', cents: '100000' }
    expect(await readDay()).toMatchObject({ inLocal: local, cashWei: 0n, waiting: 1 })
    await play(
      `agent@1: 5*1*${code}*1 -> END The code is used up. Give the cash now.|${code} ${both}: paid out|Paid out at …`,
    )
    expect(await readDay()).toMatchObject({ inLocal: local, cashLocal: local, waiting: 0 })
    await play(`
      2 days
      s: ${withdraw} -> END Withdrew ${both} at 12344 Mama Duka (${code}): done|48 h ago. …`)
    const agreed = rows().filter((row) => row.includes('"agreed"'))
    expect(agreed).toHaveLength(2)
    expect(agreed.join()).toContain('"cents":"100000","micros":"12000000000000","readAt":')
  })

  test('is what was typed, else its worth in the session, and nothing without a rate', async () => {
    const { play, feed } = open()
    await play(`
      a: 3*1 -> END Loan Requested|Ref: …|KES 120,000 (0.01 tRBTC) credited shortly.|…
      settle
      b: 4*2*1000,50*1 -> END Repayment Submitted|Amount: KES 1,000.50 (0.000083 tRBTC)|…
      settle
      c: 4*1 -> END Repayment Submitted|Amount: all that is owed|…
      settle`)
    feed.rate = undefined
    await play(`
      d: 2*${friend}*0.001*1 -> END Transfer Submitted|…|To: 2547...001|Ref: …
      settle
      mine: 5 -> CON My Activity|Sent 0.001 tRBTC to 2547...001: done|Repaid all that was owed: done|…
      mine: 5*98 -> CON Repaid KES 1,000.50 (0.000083 tRBTC): done|Loan of KES 120,000 (0.01 tRBTC): done|…`)
  })

  plays('of all that there is, is nothing: no screen told what that is worth', open)`
      s: 2*${friend}*all -> CON Send all you have|${to}|…
      s: 2*${friend}*all*1 -> END Transfer Submitted|…|To: …
      settle
      s2: 5 -> CON My Activity|…Sent 0.02 tRBTC to 2547...001: done|…`

  test('is sent again by the main menu, as much as it is in coins today', async () => {
    const { play, feed, spent } = open()
    await play(`s: 2*${friend}*1200*1 -> END Transfer Submitted|…
      settle
      11 min`)
    feed.rate = kes(24_000_000n)
    await play(`
      again: 98 -> …11. Send KES 1,200 to 2547...001…
      again: 98*11 -> CON Send KES 1,200 (0.00005 tRBTC)|…
      again: 98*11*1 -> END Transfer Submitted|KES 1,200 (0.00005 tRBTC)|…`)
    feed.rate = undefined
    await play(`
      last: 98 -> …11. Send KES 1,200 to 2547...001…
      last: 98*11 -> CON Send 0.00005 tRBTC|To: …`)
    expect(await spent()).toEqual([5n * 10n ** 13n, 10n ** 14n])
  })

  test("leaves a debt in coins: its screen says what that is at today's rate", async () => {
    const { play, feed } = open()
    await play(`a: 3*1 -> …KES 120,000 (0.01 tRBTC) credited shortly.|…
      settle`)
    feed.rate = kes(24_000_000n)
    await play('b: 4 -> CON Repay Loan|You owe KES 240,000 (0.01 tRBTC)|…')
    feed.rate = undefined
    await play('c: 4 -> CON Repay Loan|You owe 0.01 tRBTC|Until: …')
  })
})

describe('where a price is at hand', () => {
  test('a balance, what arrives and a float are in local money first', async () => {
    const { play, feed } = await openAgent()
    await play(`
      a: 1 -> END Your Balance: KES 240,000 (0.02 tRBTC)
      pay: 2*${friend}*1200*1 -> END Transfer Submitted|…|Balance after: about KES 238,800
      settle
      float@1: 5 -> …|Float: KES 241,200 (0.0201 tRBTC)|Received today: KES 0|…
      none@2: 2*${friend}*all*1 -> END …
      settle
      b@2: 1 -> END Your Balance: KES 0`)
    feed.rate = undefined
    await play(`
      c: 1 -> END Your Balance: 0.0199 tRBTC|KES: no rate now.
      d@1: 5 -> …|Float: 0.0401 tRBTC|…`)
  })

  test('what is typed as a debt is shown pays all of it, and more is asked for again', async () => {
    const { play, feed } = open()
    feed.rate = kes(12_000_001n)
    await play(`a: 3*1 -> …
      settle
      b: 4 -> CON Repay Loan|You owe KES 120,001 (0.01 tRBTC)|Until: <date>|1. All of it (KES 120,001)|…
      b: 4*2*120002 -> CON You owe only KES 120,001. Please try again.|Amounts in KES|…
      b: 4*2*120002*120001 -> CON Repay Loan: All of it, KES 120,001|1. Repay Loan|0. Back
      b: 4*2*120002*120001*1 -> END Repayment Submitted|Amount: all that is owed|…
      settle
      c: 4 -> END You have no loan to repay.…`)
  })

  test('a debt is never shown as less than is owed, and has no decimals that nobody uses', async () => {
    const dollar = createTokenUnit('USD', { address: `0x${'5'.repeat(40)}`, decimals: 18 })
    const formats = { unit: dollar, ...createAmountFormats(dollar, { profile: 'lender' }) }
    await holds(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 10n }),
        fc.bigInt({ min: 10_000n, max: 10n ** 10n }),
        (owedWei, micros) => {
          const { showOwed } = createWorthFormats(formats, { currency: 'KES', micros })
          const [, local = '', unit = ''] =
            /^KES ([\d,]+) \((\d+\.\d\d) USD\)$/.exec(showOwed(owedWei)) ?? []
          expect(BigInt(local.replaceAll(',', '')) * 10n ** 12n).toBeGreaterThanOrEqual(
            owedWei * micros,
          )
          expect(BigInt(unit.replace('.', '')) * 10_000n).toBeGreaterThanOrEqual(owedWei)
        },
      ),
      { sampled: 200, full: 20_000 },
    )
  })

  test('refusals and the note of a debt say local money first', async () => {
    const { play, feed } = open()
    const menu = (note: string) => ` -> …|4. Repay Loan (${note})…`
    await play(`a: 3*1 -> …
      settle
      b:${menu('KES 120,000')}
      c: 3 -> END You already have a loan. Still to repay: KES 120,000 (0.01 tRBTC). Dial again to repay it.
      d: 4*2*200000 -> CON You owe only KES 120,000. Please…
      e: 2*${friend}*9999999 -> CON Your balance is too low: KES 360,000. Please…`)
    feed.rate = undefined
    await play(`
      f:${menu('0.01 tRBTC')}
      g: 3 -> END You already have a loan. Still to repay: 0.01 tRBTC. Dial again to repay it.
      h: 2*${friend}*9 -> CON Your balance is too low: 0.03 tRBTC. …`)
  })

  test.for(languages)('refusals fit a screen with the longest amounts, in %s', (language) => {
    const messages = messagesIn[language]
    const showAmount = () => '20999999.123456 USDRIF'
    const services = { unit: createCoinUnit('USDRIF'), showAmount, showOwed: showAmount }
    const dear = { currency: 'KES', micros: 4_761_000_000n }
    const wei = 21n * 10n ** 24n - 1n
    const amounts = { balanceWei: wei, neededWei: wei, owedWei: wei, leftWei: wei }
    const reasons = [
      'balance_too_low',
      'existing_loan',
      'repayment_too_large',
      'withdrawal_limit',
    ] as const
    for (const reason of reasons) {
      for (const kind of ['transfer', 'repayment'] as const) {
        const text = writeLoanRefusal({ services, messages }, { reason, ...amounts }, kind, dear)
        expect(countSeptets(toGsmAlphabet(text)), text).toBeLessThanOrEqual(maxSeptets)
        expect(text).toContain(services.showAmount())
        // A debt is rounded up.
        if (kind === 'transfer') expect(text).toMatch(/KES 99,98(0,999,999|1,000,000) \(/)
      }
    }
  })
})

describe('an amount in the local currency', () => {
  test('is typed, shown in both currencies, and rounded down before it is signed', async () => {
    const { play, spent } = open()
    await play(`
      s: 2*${friend} -> ${prompt}|${to}|Amount, or all:|0. Back
      s: 2*${friend}*1000,50 -> CON Send KES 1,000.50 (0.000083 tRBTC)|${to}|Fee: none|1. Send|0. Change
      s: 2*${friend}*1000,50*1 -> END Transfer Submitted|…
      t: 2*${friend}*1000.109*1 -> END Transfer Submitted|KES 1,000.10 (0.000083 tRBTC)|…`)
    // 1,000.10 is 83,341,666,666,666.67 wei: less than one of them is left out.
    expect(await spent()).toEqual([83_341_666_666_666n, 83_375_000_000_000n])
  })

  test('keeps the rate that its session showed, whatever the price is at a redelivery', async () => {
    const { play, feed, spent } = open()
    await play(`s: 2*${friend} -> ${prompt}|…`)
    for (const rate of [kes(24_000_000n), undefined]) {
      feed.rate = rate
      await play(`
        s: 2*${friend} -> ${prompt}|…
        s: 2*${friend}*1200 -> CON Send KES 1,200 (0.0001 tRBTC)|…`)
    }
    feed.rate = kes(6_000_000n)
    await play(`
      s: 2*${friend}*1200*1 -> END Transfer Submitted|…
      other: 2*${friend}*1200 -> CON Send KES 1,200 (0.0002 tRBTC)|…`)
    expect(await spent()).toEqual([10n ** 14n])
  })

  test('is found at any rate when the caller is asked about an equal payment', async () => {
    const { play, feed } = open()
    const again = `CON You sent KES 1,200|${to}|Just now. Send it again?|2. Send once more|0. Change`
    await play(`
      s: 2*${friend}*1200*1 -> END Transfer Submitted|…
      t: 2*${friend}*1200*1 -> ${again}
      u: 2*0 -> …
      u: 2*0*11*1 -> CON You sent KES 1,200|To: 2547...001|Just now. …`)
    feed.rate = kes(12_000_001n)
    await play(`v: 2*${friend}*1200*1 -> ${again}
      w: 2*${friend}*1201*1 -> END Transfer Submitted|…`)
    feed.rate = undefined
    await play(`
      x: 2*${friend}*0.001*1 -> END Transfer Submitted|…
      y: 2*${friend}*0.0001*1 -> ${again}`)
    feed.rate = kes(12_000_000n)
    await play(`
      z: 2*${friend}*12000*1 -> CON You sent KES 12,000 (0.001 tRBTC)|${to}|Just now. …`)
  })

  test("is shown for a debt at the session's rate, if there is one", async () => {
    const { play, feed } = open()
    const terms = (owed: string, fee: string) =>
      `CON Loan: ${owed}|Fee: ${fee}|To repay: ${owed}|Until: <date>|1. I agree|0. Back`
    const local = terms('KES 120,000 (0.01 tRBTC)', 'KES 0')
    await play(`s: 3 -> ${local}`)
    feed.rate = undefined
    await play(`
      s: 3 -> ${local}
      t: 3 -> ${terms('0.01 tRBTC', '0 tRBTC')}`)
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
    await play(`s: 2*${friend}*1200 -> CON Send KES 1,200 (0.0001 tRBTC)|…`)
    feed.rate = kes(24_000_000n)
    await play(`s: 2*${friend}*1200 -> same
      s: 2*${friend}*1200*0 -> ${prompt}|…`)
  })

  test("must reach the operator's smallest transfer, in whole units", async () => {
    await open().play(`
      s: 2*${friend}*239 -> CON The smallest amount to send is KES 240. Please try again.|Amounts in KES|${to}|…
      s: 2*${friend}*239*240 -> CON Send KES 240 (0.00002 tRBTC)|…
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
