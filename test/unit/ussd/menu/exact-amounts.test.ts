import fc from 'fast-check'
import { formatEther, parseEther } from 'viem'
import { describe, expect, test } from 'vitest'
import { menus } from '../../../../scripts/dev/menu-ways.ts'
import { createCoinUnit, formatAmountDown } from '../../../../src/loan/amounts.ts'
import { decodeCall } from '../../../../src/loan/calls.ts'
import type { Rate } from '../../../../src/loan/local-worth.ts'
import { holds } from '../../../support/properties.ts'
import { friend, giveTills, openWorld, plays, stranger } from '../world.ts'

const coin = createCoinUnit('tRBTC')
const agents = { ...menus.agents.settings, pin: 'off' } as const

/** Opens a lender's service with agents, where amounts are typed in the rate's currency, if any. */
async function open(rate: Rate | undefined, balanceWei: bigint) {
  const local = rate && { localCurrency: rate.currency }
  const product = { settings: { ...agents, ...local }, readRate: async () => rate }
  const world = openWorld({ product, balanceWei, poolLoans: 1e7, capLoans: 1e7 })
  await giveTills(world)
  return {
    ...world,
    async readSigned() {
      const [payment] = await world.ledger.listPayments(world.accountOf(0), 1)
      const call = payment && decodeCall(payment.order.request.data)
      const amountWei = call !== undefined && 'amountWei' in call ? call.amountWei : undefined
      return amountWei === 'all' ? undefined : amountWei
    },
  }
}

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength })

/** Draws what callers type as an amount, with up to 18 decimals. */
const typedAmount = fc
  .tuple(fc.nat(9_999), fc.constantFrom('.', ','), digits(1, 18))
  .map(([whole, point, fraction]) => `${whole}${point}${fraction}`)

const rate = fc.record({
  currency: fc.constantFrom('KES', 'UGX', 'XOF', 'USD'),
  micros: fc
    .tuple(fc.bigInt({ min: 1n, max: 9_999n }), fc.integer({ min: 4, max: 9 }))
    .map(([digits, zeros]) => digits * 10n ** BigInt(zeros)),
})

const amountsOn = (screen: string): bigint[] =>
  [...screen.matchAll(/(\d+(?:\.\d+)?) tRBTC/g)].map(([, amount = '']) => parseEther(amount))

/** The amount of local money on a screen, and what is typed down to the cent, in one form. */
const readLocal = (shown: string): string => readCents(/ ([\d,.]+)/.exec(shown)?.[1] ?? '', '')
const readCents = (typed: string, comma = '.'): string =>
  formatEther(parseEther(typed.replaceAll(',', comma).replace(/(?<=\.\d\d)\d+$/, '')))

const ways = {
  'to a number': `2*${friend}`,
  'to an address': `2*${stranger}`,
  'to a wallet': `7*${stranger}`,
  'at an agent': '7*12344',
  'of a bill': '10*54320*AB-12',
  'of a loan': '4*2',
}

describe('what a lender confirms is what moves, to the wei', () => {
  test.for(Object.entries(ways))('with a payment %s', async ([, way]) => {
    await holds(
      fc.asyncProperty(
        fc.option(rate, { nil: undefined, freq: 2 }),
        typedAmount,
        async (drawn, typed) => {
          const { deliver, play, readSigned } = await open(drawn, parseEther('20000'))
          if (way === ways['of a loan']) await play('principal 20000\n loan: 3*1\n settle')
          const shown = await deliver(0, 's', `${way}*${typed}`)
          // The amount was asked again, or paid at once, as a part of a loan in coins is.
          if (!/\n1\. /.test(shown) && (await readSigned()) === undefined) return
          const told = shown.startsWith('END') ? shown : await deliver(0, 's', `${way}*${typed}*1`)
          const paid = told.replace(/\n(Balance after|You then owe): .*/g, '')
          expect(paid).toMatch(/^END \w+( \w+)? Submitted/)
          const signedWei = (await readSigned()) ?? 0n
          if (drawn === undefined) {
            expect(signedWei, typed).toBe(parseEther(typed.replace(',', '.')))
            expect(
              amountsOn(shown.replace(/\n(Balance after|You then owe): .*/g, '')),
              shown,
            ).toEqual([signedWei])
            for (const wei of amountsOn(paid)) expect(wei, paid).toBe(signedWei)
            return
          }
          // What is confirmed in local money costs the payer no more, and less than a wei less.
          const confirmed = /[A-Z]{3} [\d,.]+ \(.+? tRBTC\)/.exec(shown)?.[0] ?? ''
          const microsOfOne = parseEther(readLocal(confirmed)) * 1_000_000n
          expect(signedWei * drawn.micros, confirmed).toBeLessThanOrEqual(microsOfOne)
          expect((signedWei + 1n) * drawn.micros, confirmed).toBeGreaterThan(microsOfOne)
          expect(readLocal(confirmed)).toBe(readCents(typed))
          expect(confirmed).toContain(`(${formatAmountDown(signedWei, coin)} tRBTC)`)
          expect(paid, shown).toContain(confirmed)
        },
      ),
      { sampled: 12, full: 1_000 },
    )
  })

  test('and "all" leaves nothing, whatever the balance and the price', async () => {
    const balance = fc.bigInt({ min: 1n, max: 10n ** 24n })
    await holds(
      fc.asyncProperty(
        fc.option(rate, { nil: undefined, freq: 2 }),
        balance,
        async (drawn, balanceWei) => {
          const { deliver, play, readSigned } = await open(drawn, balanceWei)
          expect(await deliver(0, 's', `2*${friend}*all*1`)).toMatch(/^END Transfer Submitted/)
          expect(await readSigned()).toBe(balanceWei)
          const nothing = drawn === undefined ? '0 tRBTC' : `${drawn.currency} 0`
          await play(`settle\n empty: 1 -> END Your Balance: ${nothing}`)
        },
      ),
      { sampled: 12, full: 1_000 },
    )
  })

  plays('also in the question whether to send an equal amount again, and in a debt')`
      s: 2*${friend}*0.0012345678*1 -> END Transfer Submitted|…
      again: 2*${friend}*0.0012345678*1 -> CON You sent 0.0012345678 tRBTC|…
      principal 0.010000000000000001
      loan: 3 -> CON Loan: 0.010000000000000001 tRBTC|Fee: 0 tRBTC|To repay: 0.010000000000000001 tRBTC|…
      loan: 3*1
      settle
      repay: 4 -> CON Repay Loan|You owe 0.010000000000000001 tRBTC|…`

  plays('also where a part of a debt is repaid by PIN', () => openWorld({ product: menus.agents }))`
      first:
      first: 1*482615*482615
      loan: 3*482615
      settle
      s: 4*2*0.0012345678 -> CON Repay Loan: 0.0012345678 tRBTC|…`

  plays('and the demonstration rounds down what it shows, as before', () =>
    openWorld({ product: menus.demo }),
  )`
      loan: 3
      settle
      s: 4*2*0.0012345678 -> END Repayment Submitted|Amount: 0.001234 tRBTC|…`
})

test.for([
  ['1.000', 'thousand'],
  ['1,000', 'thousand'],
  ['12.345', 'thousand'],
  ['999.999', 'thousand'],
  ['0.500', 'amount'],
  ['01.000', 'amount'],
  ['1000.000', 'amount'],
  ['1.00', 'amount'],
  ['1.0000', 'amount'],
] as const)('%s in a local currency is read as: %s', async ([typed, meaning]) => {
  const { play } = await open({ currency: 'KES', micros: 100_000_000n }, parseEther('1000'))
  const screen =
    meaning === 'thousand' ? 'CON Not a valid amount, such as 500. Please…' : 'CON Send …|1. Send|…'
  await play(`s: 2*${friend}*${typed} -> ${screen}`)
  const coins = await open(undefined, parseEther('1000'))
  const ofCoins = typed.includes(',') ? screen.replace('500', '0.001') : 'CON Send …|1. Send|…'
  await coins.play(`s: 2*${friend}*${typed} -> ${ofCoins}`)
})

describe("the caller's own account", () => {
  const own = 'CON This is your own account. Please try again.|…'

  test('is no recipient as an address, as a wallet or as a till', async () => {
    const { play, accountOf } = await open(undefined, parseEther('1'))
    await play(`
      a: 2*${accountOf(0)} -> ${own}
      b: 7*${accountOf(0)} -> ${own}
      c: 7*${accountOf(0).toUpperCase().replace('X', 'x')} -> ${own}
      d@1: 7*12344 -> ${own}
      e@2: 10*54320 -> ${own}
      other: 7*${accountOf(1)} -> CON To: …`)
  })

  test('stays a recipient in the demonstration', async () => {
    const { play, accountOf } = openWorld({ product: menus.demo })
    await play(`s: 2*${accountOf(0)}*0.001 -> END Transfer Submitted|…`)
  })
})
