import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import type { MenuSettings } from '../../../src/ussd/menu/nodes.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'

const friend = '+254700000001'
const stranger = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
const own = '482615'
const other = '739164'
const dayMs = 24 * 60 * 60 * 1_000
const send = `2*${friend}*0.001`
const nothingSent = 'END This session has ended. Nothing was sent. Please dial again.'
const submitted = /^END Transfer Submitted\n/
const again = 'Send 0.001 tRBTC\nTo: +254 700 000 001\nEnter PIN to send\n0. Change'
const toSend = 'Send 0.001 tRBTC\nTo: +254 700 000 001\nFee: none\nEnter PIN to send\n0. Change'

function open(
  pin: MenuSettings['pin'] = 'on',
  {
    clock = createHandClock(),
    memory = createMemoryStore(clock.now),
    processClock = clock as Clock,
  } = {},
) {
  const settings = { ...menus.strict.settings, pin }
  const logged: unknown[] = []
  const relay = openModelledRelay({
    ...{ callers: 3, poolLoans: 9, capLoans: 9, clock, processClock, memory },
    product: { ...menus.strict, settings },
    log: (event) => void logged.push(event),
  })
  return { clock, memory, logged, ...relay }
}

async function chosen(pin?: MenuSettings['pin'], typed = own) {
  const opened = open(pin)
  await opened.deliver(0, 'first', '')
  await opened.deliver(0, 'first', typed)
  await opened.deliver(0, 'first', `${typed}*${typed}`)
  return opened
}

describe('the first dial', () => {
  test('chooses a PIN, twice typed, before anything else', async () => {
    const { deliver } = open()
    const choose = 'Choose a PIN of 4 to 6 digits. It guards your money: tell it to nobody.'
    expect(await deliver(0, 's', '')).toBe(`CON ${choose}`)
    expect(await deliver(0, 's', '12')).toBe(`CON A PIN has 4 to 6 digits.\n${choose}`)
    expect(await deliver(0, 's', '12*1984')).toBe(`CON This PIN is easy to guess.\n${choose}`)
    expect(await deliver(0, 's', `12*1984*${own}`)).toBe('CON Type the same PIN again.\n0. Back')
    expect(await deliver(0, 's', `12*1984*${own}*${other}`)).toBe(
      'CON The two PINs differ.\nType the same PIN again.\n0. Back',
    )
    const set = `12*1984*${own}*${other}*${own}`
    const ended = 'END Your PIN is set. Please dial again.'
    expect(await deliver(0, 's', set)).toBe(ended)
    expect(await deliver(0, 's', set)).toBe(ended)
    expect(await deliver(0, 's', `${set}*2`)).toBe(nothingSent)
    expect(await deliver(0, 'next', '')).toMatch(/^CON Rootstock DeFi /)
    expect(await deliver(0, 's', '')).toBe(`CON ${choose}`)
  })

  test('leads nowhere else, whatever is dialled', async () => {
    const { deliver, paid } = open()
    expect(await deliver(0, 's', send)).toMatch(/^END Too many wrong answers/)
    expect(await deliver(0, 's', `${send}*${own}`)).toBe(nothingSent)
    expect(await deliver(0, 'menu', '00')).toMatch(/^CON Choose a PIN/)
    expect(await deliver(0, 'menu', '0')).toMatch(/^CON A PIN has 4 to 6 digits/)
    expect(await paid(0)).toBe(0)
  })

  test('of two sessions sets one PIN', async () => {
    const { deliver } = await chosen()
    const late = open()
    await late.deliver(0, 'one', '')
    await late.deliver(0, 'two', '')
    expect(await late.deliver(0, 'one', `${own}*${own}`)).toMatch(/^END Your PIN is set/)
    expect(await late.deliver(0, 'two', `${other}*${other}`)).toBe(
      'END Nothing was changed. Please dial again.',
    )
    expect(await late.deliver(0, 'pay', `${send}*${own}`)).toMatch(submitted)
    expect(await deliver(0, 'first', `${other}*${other}`)).toBe(
      'END Your PIN is set. Please dial again.',
    )
  })
})

describe('a payment', () => {
  test('is confirmed by the PIN, in the place of a digit', async () => {
    const { deliver, settle, balance } = await chosen()
    expect(await deliver(0, 's', send)).toBe(`CON ${toSend}`)
    expect(await deliver(0, 's', `${send}*1`)).toBe(`CON A PIN has 4 to 6 digits.\n${again}`)
    expect(await deliver(0, 's', `${send}*0`)).toMatch(/^CON To: \+254 700 000 001\nAmount/)
    const made = await deliver(0, 's', `${send}*1*${own}`)
    expect(made).toMatch(submitted)
    expect(await deliver(0, 's', `${send}*1*${own}`)).toBe(made)
    await settle()
    expect(await balance(0)).toBe('END Your Balance: 0.019 tRBTC')
  })

  test('goes on after a wrong PIN, which is one try however often it comes', async () => {
    const { deliver, paid } = await chosen()
    const wrong = `CON Wrong PIN. Tries left: 2.\n${again}`
    const delivered = await Promise.all(
      Array.from({ length: 50 }, () => deliver(0, 's', `${send}*${other}`)),
    )
    for (const screen of delivered)
      expect([wrong, 'END Service not available. Please try again later.']).toContain(screen)
    expect(delivered).toContain(wrong)
    expect(await deliver(0, 's', `${send}*${other}`)).toBe(wrong)
    expect(await paid(0)).toBe(0)
    const made = await deliver(0, 's', `${send}*${other}*${own}`)
    expect(made).toMatch(submitted)
    expect(await deliver(0, 's', `${send}*${other}`)).toBe(wrong)
    expect(await deliver(0, 's', `${send}*${other}*${own}`)).toBe(made)
    expect(await paid(0)).toBe(1)
  })

  test('stays what its PIN was judged, whatever the PIN is by then', async () => {
    const { deliver, paid } = await chosen()
    const wrong = await deliver(0, 's', `${send}*${other}`)
    expect(wrong).toMatch(/^CON Wrong PIN/)
    expect(await deliver(0, 'change', `8*2*${own}*${other}*${other}`)).toMatch(
      /^END Your PIN is set/,
    )
    expect(await deliver(0, 's', `${send}*${other}`)).toBe(wrong)
    expect(await paid(0)).toBe(0)
    expect(await deliver(0, 'next', `${send}*${other}`)).toMatch(submitted)
  })

  test('that was made with the former PIN is no try at the present one when it comes again', async () => {
    const { deliver, paid } = await chosen()
    const made = await deliver(0, 's', `${send}*${own}`)
    expect(made).toMatch(submitted)
    await deliver(0, 'change', `8*2*${own}*${other}*${other}`)
    for (let time = 0; time < 5; time++) {
      expect(await deliver(0, 's', `${send}*${own}`)).toBe(made)
    }
    expect(await deliver(0, 'next', '3*135790')).toMatch(/^CON Wrong PIN\. Tries left: 2\./)
    expect(await paid(0)).toBe(1)
  })

  test('is refused for good at the third wrong PIN, over all sessions', async () => {
    const { deliver, paid } = await chosen()
    const blocked =
      'END 3 wrong PINs: nothing can be sent. Nothing was sent. If you forgot your PIN, dial again and choose 8.'
    await deliver(0, 'one', `${send}*1357`)
    await deliver(0, 'two', `${send}*1358`)
    expect(await deliver(0, 'three', `${send}*1359`)).toBe(blocked)
    expect(await deliver(0, 'three', `${send}*1359`)).toBe(blocked)
    expect(await deliver(0, 'three', `${send}*1359*${own}`)).toBe(nothingSent)
    expect(await deliver(0, 'four', `${send}*${own}`)).toBe(blocked)
    expect(await deliver(0, 'one', `${send}*1357*${own}`)).toBe(blocked)
    expect(await deliver(1, 'other phone', '')).toMatch(/^CON Choose a PIN/)
    expect(await paid(0)).toBe(0)
  })

  test('of each kind asks for it', async () => {
    const { deliver, settle } = await chosen()
    expect(await deliver(0, 'loan', '3')).toMatch(/^CON Loan: .+\nEnter PIN to agree\n0. Back$/s)
    expect(await deliver(0, 'loan', `3*${own}`)).toMatch(/^END Loan Requested/)
    await settle()
    expect(await deliver(0, 'part', '4*2*0.001')).toBe(
      'CON Repay Loan: 0.001 tRBTC\nEnter PIN to repay\n0. Back',
    )
    expect(await deliver(0, 'part', `4*2*0.001*${own}`)).toMatch(/^END Repayment Submitted/)
    await settle()
    expect(await deliver(0, 'all', '4*1')).toBe(
      'CON Repay Loan: All of it\nEnter PIN to repay\n0. Back',
    )
    expect(await deliver(0, 'all', `4*1*${own}`)).toMatch(/^END Repayment Submitted/)
    await settle()
    expect(await deliver(0, 'out', `7*${stranger}*0.001`)).toMatch(/\nEnter PIN to cash out\n/)
    expect(await deliver(0, 'out', `7*${stranger}*0.001*${other}`)).toMatch(/^CON Wrong PIN/)
    expect(await deliver(0, 'address', `2*${stranger}*0.001*1`)).toMatch(/\nEnter PIN to send\n/)
    expect(await deliver(0, 'address', `2*${stranger}*0.001*1*${own}`)).toMatch(submitted)
    expect(await deliver(0, 'wallet', `2*${stranger}*0.001*2`)).toMatch(/\nEnter PIN to cash out\n/)
  })

  test('that was made a moment ago is asked about after the PIN, and made without it again', async () => {
    const { deliver, paid } = await chosen()
    await deliver(0, 'one', `${send}*${own}`)
    expect(await deliver(0, 'two', `${send}*${own}`)).toMatch(/^CON You sent 0\.001 tRBTC\n/)
    expect(await deliver(0, 'three', `${send}*${other}*2`)).not.toMatch(submitted)
    expect(await deliver(0, 'two', `${send}*${own}*2`)).toMatch(submitted)
    expect(await paid(0)).toBe(2)
  })
})

test('a strict PIN is asked for before balance and activity, and else it is not', async () => {
  const { deliver } = await chosen('strict')
  expect(await deliver(0, 'b', '1')).toBe('CON Enter your PIN\n0. Back')
  expect(await deliver(0, 'b', `1*${other}`)).toBe(
    'CON Wrong PIN. Tries left: 2.\nEnter your PIN\n0. Back',
  )
  expect(await deliver(0, 'b', `1*${other}*${own}`)).toBe('END Your Balance: 0.02 tRBTC')
  expect(await deliver(0, 'a', '5')).toBe('CON Enter your PIN\n0. Back')
  expect(await deliver(0, 'a', `5*${own}`)).toMatch(/^CON My Activity\n/)
  const usual = await chosen('on')
  expect(await usual.deliver(0, 'b', '1')).toBe('END Your Balance: 0.02 tRBTC')
  expect(await usual.deliver(0, 'a', '5')).toMatch(/^CON My Activity\n/)
})

describe('settings', () => {
  test('change the PIN to who knows it', async () => {
    const { deliver } = await chosen()
    expect(await deliver(0, 's', '8')).toMatch(/\n2\. Change PIN\n3\. Forgot PIN\n0\. Back$/)
    expect(await deliver(0, 's', '8*2')).toBe('CON Enter your present PIN\n0. Back')
    expect(await deliver(0, 's', `8*2*${other}`)).toMatch(/^CON Wrong PIN\. Tries left: 2\./)
    expect(await deliver(0, 's', `8*2*${other}*${own}`)).toMatch(/^CON Choose a PIN .+\n0\. Back$/s)
    expect(await deliver(0, 's', `8*2*${other}*${own}*${other}*${other}`)).toMatch(
      /^END Your PIN is/,
    )
    expect(await deliver(0, 'old', `${send}*${own}`)).toMatch(/^CON Wrong PIN/)
    expect(await deliver(0, 'new', `${send}*${other}`)).toMatch(submitted)
  })

  test('let a forgotten one be replaced after a day', async () => {
    const { deliver, clock } = await chosen('strict')
    expect(await deliver(0, 's', '8*3')).toMatch(/^CON A new PIN can be chosen in 24 hours\./)
    const wished = await deliver(0, 's', '8*3*1')
    expect(wished).toMatch(/^END You can choose a new PIN in 24 hours/)
    expect(await deliver(0, 's', '8*3*1')).toBe(wished)
    expect(await deliver(0, 'early', '')).toMatch(/^CON Rootstock DeFi/)
    clock.forward(dayMs)
    expect(await deliver(0, 'late', '')).toMatch(/^CON Choose a PIN/)
    expect(await deliver(0, 'late', `${other}*${other}`)).toMatch(/^END Your PIN is set/)
    expect(await deliver(0, 'old', `1*${own}`)).toMatch(/^CON Wrong PIN/)
    expect(await deliver(0, 'new', `1*${other}`)).toMatch(/^END Your Balance/)
  })

  test('keep it where the old one is typed before', async () => {
    const { deliver, clock } = await chosen()
    await deliver(0, 's', '8*3*1')
    expect(await deliver(0, 'pay', `${send}*${own}`)).toMatch(submitted)
    clock.forward(dayMs)
    expect(await deliver(0, 'late', '')).toMatch(/^CON Rootstock DeFi/)
  })
})

test('a number that nobody dialled from for 90 days does not spend', async () => {
  const { deliver, clock, paid } = await chosen()
  clock.forward(91 * dayMs)
  expect(await deliver(0, 's', `${send}*${own}`)).toBe(
    'END This phone was not used for 90 days. Nothing was sent. Ask your provider to open the account again.',
  )
  expect(await deliver(0, 'balance', '1')).toMatch(/^END Your Balance/)
  expect(await paid(0)).toBe(0)
})

test('a number that was dialled from while there were no PINs is none that nobody dialled from', async () => {
  const { clock, memory } = await chosen('strict')
  const without = open('off', { clock, memory })
  clock.forward(45 * dayMs)
  expect(await without.deliver(0, 'balance', '1')).toMatch(/^END Your Balance/)
  clock.forward(46 * dayMs)
  const { deliver } = open('strict', { clock, memory })
  expect(await deliver(0, 's', `1*${own}`)).toMatch(/^END Your Balance/)
})

test('a process whose clock is wrong makes no number dormant, and ends no delay of a forgotten PIN', async () => {
  const processClock = createHandClock()
  const clock = createHandClock()
  const { deliver, memoryRows } = open('strict', { clock, processClock })
  await deliver(0, 'first', `${own}*${own}`)
  await deliver(0, 'wish', '8*3*1')
  for (const ms of [91 * dayMs, -2 * 91 * dayMs, 91 * dayMs]) {
    processClock.forward(ms)
    expect(await deliver(0, `after ${ms} ${processClock.now()}`, '')).toMatch(/^CON Rootstock DeFi/)
    expect(memoryRows().join()).not.toContain('isDormant')
  }
  clock.forward(dayMs)
  expect(await deliver(0, 'late', '')).toMatch(/^CON Choose a PIN/)
})

describe('a PIN', () => {
  /** All that a caller may do with it, wrong ones too. */
  async function live(typed: string) {
    const opened = await chosen('strict', typed)
    const { deliver, settle } = opened
    await deliver(0, 'wrong', `${send}*135790`)
    await deliver(0, 'one', `${send}*${typed}`)
    await deliver(0, 'one', `${send}*${typed}*${typed}`)
    await settle()
    await deliver(0, 'balance', `1*${typed}`)
    await deliver(0, 'change', `8*2*${typed}*${typed}*${typed}`)
    return opened
  }

  test('is in nothing that is kept, logged or signed', async () => {
    const { rows, logged } = await live(own)
    expect(rows().filter((row) => row.startsWith('transactions '))).toHaveLength(1)
    const all = [...rows(), JSON.stringify(logged)].join('\n')
    expect(all).not.toMatch(new RegExp(`(?<![0-9a-f])(${own}|135790)(?![0-9a-f])`))
  })

  test('changes no name of a session, a step or an intent', async () => {
    const namesIn = (rows: string[]) =>
      rows
        .filter((row) => /^(sessions|shown|intents) /.test(row))
        .flatMap((row) => row.match(/"(session|step|input|intent_id)","[^"]+"/g) ?? [])
        .sort()
    const [one, two] = [await live(own), await live(other)]
    const names = namesIn(one.rows())
    expect(names.length).toBeGreaterThan(10)
    expect(namesIn(two.rows())).toEqual(names)
  })
})
