import type { Address } from 'viem'
import { describe, expect, test } from 'vitest'
import { menus } from '../../../../scripts/dev/menu-ways.ts'
import { createTokenUnit } from '../../../../src/loan/amounts.ts'
import { createAmountFormats } from '../../../../src/ussd/screens/amount-formats.ts'
import { openModelledRelay } from '../../../support/modelled-relay.ts'

const unit = createTokenUnit('USD', { address: `0x${'5'.repeat(40)}`, decimals: 18 })
const { settings, messages } = menus.dollar
const one = 1_000_000n

/** Opens a lender of dollars who lends 10 at most, to callers without PINs who have so much. */
function open({ balanceWei = 0n, choosesLoan = true, localCurrency = '' } = {}) {
  const local = { localCurrency: localCurrency || undefined }
  const own = { ...settings, pin: 'off', ...local, choosesLoan } as const
  const shown = { ...createAmountFormats(unit, own), unit, minTransferWei: 1n }
  const readRate = async () => ({ currency: 'KES', micros: 129_350_000n })
  const product = { settings: own, messages, ...shown, readRate }
  const relay = openModelledRelay({ callers: 3, poolLoans: 9, capLoans: 9, balanceWei, product })
  relay.changePrincipal(10n * one)
  const lent = async () => {
    await relay.settle()
    return relay.chain.head().state.accounts.get(relay.accountOf(0).toLowerCase() as Address)
      ?.owedWei
  }
  return { ...relay, lent }
}

describe('a caller who chooses how much to borrow', () => {
  test.for([0n, one, 100n * one])('needs no balance for less: has %s', async (balanceWei) => {
    const { deliver, lent } = open({ balanceWei })
    expect(await deliver(0, 's', '3')).toContain('You may borrow 10.00 USD')
    await deliver(0, 's', '3*2')
    expect(await deliver(0, 's', '3*2*2.5')).toContain('Loan: 2.50 USD')
    expect(await deliver(0, 's', '3*2*2.5*1')).toContain('2.50 USD credited shortly')
    expect(await lent()).toBe(2_500_000n)
  })

  test('gets what was typed where all is dialled at once, and never more', async () => {
    const { deliver, lent } = open()
    expect(await deliver(0, 's', '3*2*2.5*1')).toContain('2.50 USD credited shortly')
    expect(await lent()).toBe(2_500_000n)
    expect(await deliver(1, 's', '3*2*20*1')).toContain('The terms of a loan have changed')
    expect(await deliver(2, 's', '3*1*1')).toContain('10.00 USD credited shortly')
    const { deliver: deliverLocally, lent: lentLocally } = open({ localCurrency: 'KES' })
    expect(await deliverLocally(0, 's', '3*2*2000*1')).toContain('No loan was taken.')
    expect(await lentLocally()).toBe(0n)
  })

  test('is told the limit for more than that, and asked again', async () => {
    const { deliver, lent } = open()
    for (const text of ['3', '3*2']) await deliver(0, 's', text)
    const most = 'CON At most 10.00 USD now. Please try again.\nYou may borrow 10.00 USD\n'
    expect(await deliver(0, 's', '3*2*20')).toContain(most)
    expect(await deliver(0, 's', '3*2*20*10.01')).toContain(most)
    expect(await deliver(0, 's', '3*2*20')).toContain(most)
    expect(await deliver(0, 's', '3*2*20*10.01*10')).toContain('Loan: 10.00 USD')
    await deliver(0, 's', '3*2*20*10.01*10*1')
    expect(await lent()).toBe(10n * one)
  })

  test('is told of terms of less than was typed, where the limit is less by then', async () => {
    const { deliver, changePrincipal } = open()
    for (const text of ['3', '3*2', '3*2*9']) await deliver(0, 's', text)
    changePrincipal(5n * one)
    expect(await deliver(0, 's', '3*2*9*7')).toContain('\nAt most 5.00 USD now.\nFee: ')
  })

  test('is told of that rather than of the fee, where there is no room for both', async () => {
    const { deliver, changePrincipal } = open({ localCurrency: 'KES' })
    for (const text of ['3', '3*2', '3*2*1000']) await deliver(0, 's', text)
    changePrincipal(5n * one)
    expect(await deliver(0, 's', '3*2*1000*7')).toContain(
      'list.\nAt most 5.00 USD now.\nTo repay: KES 647 (5.00 USD)\nUntil: ',
    )
  })

  test('agrees to what was typed in local money, of no more than the limit', async () => {
    const { deliver, lent } = open({ localCurrency: 'KES' })
    expect(await deliver(0, 's', '3')).toContain('You may borrow KES 1,293 (10.00 USD)\n')
    const asked = 'You may borrow KES 1,293\nAmounts in KES: 1 USD = KES 129.35\nHow much?'
    expect(await deliver(0, 's', '3*2')).toContain(asked)
    const typed = await deliver(0, 's', '3*2*500')
    // What is lent is exact, so that it is nothing else than the debt, which is rounded up.
    expect(typed).toContain('Loan: KES 500\nFee: KES 0\nTo repay: KES 500 (3.87 USD)\n')
    expect(await deliver(0, 's', '3*2*500*0*1')).toContain(
      'Loan: 10.00 USD\nFee: KES 0\nTo repay: KES 1,294 (10.00 USD)\n',
    )
    expect(await deliver(0, 's', '3*2*500*1')).toContain('KES 500 (3.86 USD) credited')
    expect(await lent()).toBe(3_865_481n)
    for (const text of ['3', '3*2']) await deliver(1, 't', text)
    expect(await deliver(1, 't', '3*2*2000')).toContain('CON At most KES 1,293 now. Please')
    expect(await deliver(1, 't', '3*2*2000*1293')).toContain('Loan: KES 1,293\n')
    expect(await deliver(1, 't', '3*2*2000*1293*1')).toContain('KES 1,293 (9.99 USD) credited')
  })

  test('is told of a loan that is open before anything else', async () => {
    const { deliver, settle } = open()
    await deliver(0, 's', '3*1*1')
    await settle()
    expect(await deliver(0, 'next', '3')).toMatch(/^END You already have a loan/)
  })

  test.for([true, false])(
    'is told first that loans are not open to it: %s',
    async (choosesLoan) => {
      const { deliver, lendToNobody } = open({ choosesLoan })
      lendToNobody()
      const refused = 'END Loans are not open to this number. Ask your lender.'
      expect(await deliver(0, 's', '3')).toBe(refused)
      expect(await deliver(0, 't', choosesLoan ? '3*1*1' : '3*1')).toBe(refused)
    },
  )
})

test('an amount that was typed for something else is no loan’s, whether there is a choice or not', async () => {
  for (const choosesLoan of [true, false]) {
    const { deliver } = open({ balanceWei: 100n * one, choosesLoan })
    const away = '2*+254700000002*3*0*0*0'
    const texts = [`${away}*3`, choosesLoan ? `${away}*3*1` : '']
    const [terms, chosen] = await Promise.all(texts.map((text) => deliver(0, `s${text}`, text)))
    expect(choosesLoan ? chosen : terms).toContain('Loan: 10.00 USD')
  }
})
