import { describe, expect, test } from 'vitest'
import { menus } from '../../../../scripts/dev/menu-ways.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { openModelledRelay } from '../../../support/modelled-relay.ts'

const friend = '+254700000001'
const stranger = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
const failedLine = 'CON A payment failed: see 5\n'
/** The modelled node gives no events of the loan contract. */
const unread = 'What you received cannot be shown now.'

function open(product: Parameters<typeof openModelledRelay>[0]['product'] = menus.lender) {
  const clock = createHandClock()
  return { clock, ...openModelledRelay({ callers: 3, poolLoans: 9, capLoans: 9, clock, product }) }
}

describe('my activity', () => {
  test('has each payment with its true state, the newest first', async () => {
    const { deliver, settle, fail, clock } = open()
    await deliver(0, 'one', `2*${friend}*0.001*1`)
    await settle()
    clock.forward(1)
    await deliver(0, 'two', `2*${stranger}*0.002*1`)
    await fail('Balance too low')
    clock.forward(1)
    await deliver(0, 'three', '3*1')
    const shown = await deliver(0, 'see', '5')
    expect(shown).toBe(
      [
        'CON My Activity',
        'Loan of 0.01 tRBTC: on its way',
        'Sent 0.002 tRBTC to 0x5aAeb605...: FAILED, Balance too low',
        'Sent 0.001 tRBTC to 2547...001: done',
        '98. More',
        '0. Back',
      ].join('\n'),
    )
    expect(await deliver(0, 'see', '5*98')).toBe(`CON ${unread}\n0. Back`)
    expect(await deliver(0, 'see', '5*98*0')).toBe(shown)
    expect(await deliver(0, 'see', '5*98*0*0')).toMatch(/^CON (A payment .+\n)?Rootstock DeFi/)
  })

  test('says "all" of a repayment, and nothing of others', async () => {
    const { deliver, settle, clock } = open()
    expect(await deliver(1, 'none', '5')).toBe(`CON My Activity\n${unread}\n0. Back`)
    await deliver(0, 'loan', '3*1')
    await settle()
    clock.forward(1)
    await deliver(0, 'repay', '4*1')
    await settle()
    expect(await deliver(0, 'see', '5')).toMatch(
      /^CON My Activity\nRepaid all that was owed: done\nLoan of 0\.01 tRBTC: done\n/,
    )
    expect(await deliver(1, 'still none', '5')).toBe(`CON My Activity\n${unread}\n0. Back`)
  })

  test('is no choice of the demonstration, which remembers nothing', async () => {
    const { deliver, settle, memoryCalls } = open(menus.demo)
    await deliver(0, 'one', `2*${friend}*0.001`)
    await settle()
    expect(await deliver(0, 's', '5')).toMatch(/^CON Please choose from the list\.\n/)
    expect(memoryCalls()).toBe(0)
  })
})

describe('the first dial after a failure', () => {
  test('says so, and the session that said it says it again, and no other', async () => {
    const { deliver, settle, fail } = open()
    await deliver(0, 'one', `2*${friend}*0.001*1`)
    await fail('Balance too low')
    const first = await deliver(0, 'first', '')
    expect(first).toMatch(new RegExp(`^${failedLine}Rootstock DeFi`))
    expect(await deliver(0, 'first', '')).toBe(first)
    expect(await deliver(0, 'first', '2*0')).toBe(first)
    expect(await deliver(0, 'second', '')).toMatch(/^CON Rootstock DeFi/)
    await deliver(0, 'later', `2*${friend}*0.002*1`)
    await settle()
    expect(await deliver(0, 'first', '')).toBe(first)
    expect(await deliver(0, 'third', '')).toMatch(/^CON Rootstock DeFi/)
  })

  test('says it of the newest that was not told, one a session, to its caller alone, whatever succeeded since', async () => {
    const { deliver, settle, fail, clock } = open()
    for (const amount of ['0.001', '0.002']) {
      await deliver(0, `pay ${amount}`, `2*${friend}*${amount}*1`)
      await fail('Paused')
      clock.forward(1)
    }
    await deliver(0, 'pay', `2*${friend}*0.003*1`)
    await settle()
    for (const session of ['newest', 'older', 'newest']) {
      expect(await deliver(0, session, '')).toMatch(new RegExp(`^${failedLine}`))
    }
    expect(await deliver(0, 'none', '')).toMatch(/^CON Rootstock DeFi/)
    expect(await deliver(1, 'friend', '')).toMatch(/^CON Rootstock DeFi/)
  })

  test('says nothing of what is under way or done', async () => {
    const { deliver, settle, memoryCalls } = open()
    await deliver(0, 'one', `2*${stranger}*0.001*1`)
    const before = memoryCalls()
    expect(await deliver(0, 'a', '')).toMatch(/^CON Rootstock DeFi/)
    await settle()
    expect(await deliver(0, 'b', '')).toMatch(/^CON Rootstock DeFi/)
    // One look each, for the language.
    expect(memoryCalls() - before).toBe(2)
  })
})
