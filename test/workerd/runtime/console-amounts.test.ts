import { jsx } from 'hono/jsx'
import { describe, test } from 'vitest'
import { createCoinUnit } from '../../../src/loan/amounts.ts'
import { PaymentTable, PaymentView } from '../../../src/pages/console/payments.tsx'
import { TillSums } from '../../../src/pages/console/support.tsx'
import { Prose, renderInZone } from '../../../src/pages/parts.tsx'
import { at, paymentDetails } from '../../support/answers.ts'

const payment = { ...paymentDetails, state: 'confirmed' as const }
const unit = createCoinUnit('tRBTC')
const rate = { micros: '12900000000000', readAt: Date.parse(at) }
const agreed = { currency: 'KES', cents: '100050', ...rate }

describe('a payment in the console', () => {
  test('is shown first as it was agreed in local money', ({ expect }) => {
    const shown = `${PaymentTable({ payments: [{ ...payment, agreed }], unit })}`
    expect(shown).toContain('<td data-label="Amount">KES 1,000.50 (0.25 tRBTC)</td>')
    const page = `${PaymentView({ payment: { ...payment, agreed }, unit })}`
    expect(page).toContain(
      `<dd>KES 1,000.50 at KES 12,900,000 for 1 tRBTC, read 2026-01-01 19:42:00</dd>`,
    )
  })

  test('is in the unit alone where nothing was agreed', ({ expect }) => {
    const shown = `${PaymentTable({ payments: [{ ...payment, agreed: null }], unit })}`
    expect(shown).toContain('<td data-label="Amount">0.25 tRBTC</td>')
    const page = `${PaymentView({ payment: { ...payment, agreed: null }, unit })}`
    expect(page).not.toContain('Agreed')
  })

  test('says what it is worth now where nothing was agreed, and there is a price', ({ expect }) => {
    const price = { currency: 'KES', micros: rate.micros }
    const page = `${PaymentView({ payment: { ...payment, agreed: null, price }, unit })}`
    expect(page).toContain('Send Money: 0.25 tRBTC (now KES 3,225,000)')
  })

  test('is what a loan lends, and in words what repays all', ({ expect }) => {
    const show = (changes: object) =>
      `${PaymentTable({ payments: [{ ...payment, agreed: null, spendsWei: '0', ...changes }], unit })}`
    expect(show({ kind: 'loan', lentWei: '10000000000000000' })).toContain('>0.01 tRBTC</td>')
    expect(show({ kind: 'repayment' })).toContain('>all that was owed</td>')
    const credit = { kind: 'deposit', spendsWei: '0' } as const
    expect(show(credit)).toContain('>all that had arrived</td>')
    const creditedWei = '20000000000000000'
    const page = `${PaymentView({ payment: { ...payment, agreed: null, ...credit, creditedWei }, unit })}`
    expect(page).toContain('Credit what arrived: 0.02 tRBTC')
  })

  test('has in its time line who held it, what came back, and how that ended', ({ expect }) => {
    const steps = [
      { at, step: 'held', by: payment.account, wei: '250000000000000000', intent: null },
      { at, step: 'given_back', by: null, wei: '100000000000000000', intent: payment.intent },
      { at, step: 'ended', by: 'amina', wei: null, intent: null },
    ]
    const page = `${PaymentView({ payment: { ...payment, agreed: null, holdSteps: steps } as never, unit })}`
    expect(page).toContain('0.25 tRBTC held: its sender says it was a mistake (Wrong number?)')
    expect(page).toMatch(/0\.1 tRBTC given back by its receiver, Ref \d{3}-\d{4}/)
    expect(page).toContain('amina ended the hold: its receiver keeps it')
    const recall = { state: 'held', wei: '100000000000000000', until: at }
    const part = { recall, holdSteps: steps }
    const local = `${PaymentView({ payment: { ...payment, agreed, ...part } as never, unit })}`
    expect(local).toContain('KES 1,000.50 (0.25 tRBTC) held: its sender says it was a mistake')
    expect(local).toContain('KES 1,290,000 (0.1 tRBTC) given back')
    expect(local).toContain('Wrong number: KES 1,290,000 (0.1 tRBTC) of it is held')
    const price = { currency: 'KES', micros: rate.micros }
    const now = { ...payment, agreed: null, price, ...part }
    expect(`${PaymentView({ payment: now as never, unit })}`).toContain(
      '0.25 tRBTC (now KES 3,225,000) held',
    )
  })

  test('has all times in the time zone of its page, and attributes in UTC', ({ expect }) => {
    const recall = { state: 'open', wei: null, until: at }
    const view = PaymentView({ payment: { ...payment, agreed, recall } as never, unit })
    expect(`${view}`).toContain(`<time datetime="${at}">2026-01-01 19:42:00</time> accepted`)
    const payments = [{ ...payment, agreed }]
    const children = [
      jsx(PaymentTable, { payments, unit }),
      jsx(PaymentView, { payment: { ...payments[0], recall } as never, unit }),
      jsx(Prose, { text: `The last at ${at}, and \`npm run ops -- why 1\`.` }),
    ]
    const page = renderInZone('Africa/Nairobi', () => children.join(''))
    expect(page).toContain(`<time datetime="${at}">2026-01-01 22:42:00</time></td>`)
    expect(page).toContain(`<time datetime="${at}">2026-01-01 22:42:00</time> accepted`)
    expect(page).toContain('for 1 tRBTC, read 2026-01-01 22:42:00')
    expect(page).toContain('Until 2026-01-01 22:42:00 its sender can have')
    expect(page).toContain('The last at 2026-01-01 22:42:00, and <code')
    expect(page).not.toMatch(/ 19:42/)
  })

  test('of a till adds up to the sums that its phone shows', ({ expect }) => {
    const till = {
      ...{ inWei: '300000000000000000', inLocal: { currency: 'KES', cents: '387000' } },
      ...{ outWei: '100000000000000000', outLocal: null },
      ...{ cashWei: '200000000000000000', cashLocal: { currency: 'KES', cents: '258000' } },
      waiting: 1,
      since: '2025-12-31T21:00:00.000Z',
    }
    const account = `0x${'11'.repeat(20)}`
    const tills = [{ till: '12344', account, name: 'Duka', kind: 'agent' as const }]
    const sums = renderInZone('Africa/Nairobi', () => `${TillSums({ till, tills, unit })}`)
    expect(sums).toBe(
      [
        '<h3>Today, from 2026-01-01 00:00</h3><dl>',
        '<dt>Taken at Duka, 12344</dt><dd>KES 3,870 (0.3 tRBTC)</dd>',
        '<dt>Of that paid out in cash</dt><dd>KES 2,580 (0.2 tRBTC)</dd>',
        '<dt>Withdrawals whose cash is not paid out</dt><dd>1</dd>',
        '<dt>Sent by the account in all</dt><dd>0.1 tRBTC</dd></dl>',
      ].join(''),
    )
  })

  test('is named by the words of the phone', ({ expect }) => {
    const show = (kind: string) =>
      `${PaymentTable({ payments: [{ ...payment, agreed: null, kind: kind as 'transfer' }], unit })}`
    expect(show('transfer')).toContain('>Send Money</td>')
    expect(show('cashOut')).toContain('>Cash Out</td>')
    expect(show('withdrawal')).toContain('>Withdraw</td>')
  })

  test('says what can be done about a wrong number', ({ expect }) => {
    const show = (recall: object) =>
      `${PaymentView({ payment: { ...payment, agreed: null, recall } as never, unit })}`
    const held = show({ state: 'held', wei: '100000000000000000', until: at })
    expect(held).toContain('0.1 tRBTC of it is held until 2026-01-01 19:42:00')
    expect(held).toContain(
      `role money can end this, and then its receiver keeps the money: <code class="copy">npm run ops -- account end-recall ${payment.intent}</code>`,
    )
    const open = show({ state: 'open', wei: null, until: at })
    expect(open).toContain(
      'Until 2026-01-01 19:42:00 its sender can have what is unspent of it held: dial, 5. My Activity',
    )
    for (const page of [
      open,
      show({ state: 'till', until: at }),
      show({ state: 'ended', until: at }),
    ])
      expect(page).toContain('ask the receiver to; a till, too, pays back by 2. Send Money.')
    const gaveBack = (...amounts: string[]) => {
      const all = [payment.spendsWei, ...amounts]
      const steps = all.map((wei, index) => {
        const step = index === 0 ? 'held' : 'given_back'
        return { at, step, by: null, wei, intent: null }
      })
      const recall = { state: 'ended', wei: null, until: at }
      const ended = { ...payment, agreed: null, recall, holdSteps: steps }
      return `${PaymentView({ payment: ended as never, unit })}`
    }
    const whole = gaveBack('100000000000000000', '150000000000000000')
    expect(whole).toContain(
      'It was held as sent to a wrong number, and its receiver gave back all of it.</p>',
    )
    expect(gaveBack('100000000000000000')).toContain('and is no more: what came back of it')
    const before = 'its sender has called another one a mistake in the last'
    const often = (everyDays: number) =>
      show({ state: 'too_often', wei: null, until: at, everyDays })
    expect(often(7)).toContain(`${before} 7 days. Only its receiver can`)
    expect(often(1)).toContain(`${before} day. Only`)
    expect(show({ state: 'known', wei: null, until: at })).toContain(
      'Nothing of this payment can be held as sent to a wrong number: one of the two has paid the other before. Only its receiver can',
    )
  })
})
