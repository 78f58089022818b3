import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { openModelledRelay } from '../../support/modelled-relay.ts'

const minuteMs = 60_000
const friend = '+254700000001'
const stranger = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'

function open(leastTransferWei = 0n) {
  const clock = createHandClock()
  const product = { ...menus.lender, leastTransferWei }
  return { clock, ...openModelledRelay({ callers: 3, poolLoans: 9, capLoans: 9, clock, product }) }
}

describe('a transfer that is confirmed', () => {
  test('shows to whom and how much before it is made, and changes until then', async () => {
    const { deliver } = open()
    expect(await deliver(0, 's', `2*${friend}`)).toBe(
      'CON To: +254 700 000 001\nAmount, or all:\n0. Back',
    )
    expect(await deliver(0, 's', `2*${friend}*0.001`)).toBe(
      'CON Send 0.001 tRBTC\nTo: +254 700 000 001\nFee: none\n1. Send\n0. Change',
    )
    expect(await deliver(0, 's', `2*${friend}*0.001*0`)).toMatch(/^CON To: .+\nAmount/)
    expect(await deliver(0, 's', `2*${friend}*0.001*0*0.002`)).toMatch(/^CON Send 0\.002 tRBTC\n/)
    expect(await deliver(0, 's', `2*${friend}*0.001*0*0.002*1`)).toMatch(
      /^END Transfer Submitted\n/,
    )
  })

  test('says of an address that it is credited here and no wallet', async () => {
    const { deliver } = open()
    expect(await deliver(0, 's', `2*${stranger}*0.001`)).toBe(
      'CON Send 0.001 tRBTC\nTo: 0x5aAeb605...1BEaEd\nCredits an account of this service, NOT a wallet.\n1. Credit account\n2. Cash out to wallet\n0. Back',
    )
    expect(await deliver(0, 's', `2*${stranger}*0.001*1`)).toMatch(/^END Transfer Submitted\n/)
  })

  test('of all that is less than the least amount is refused', async () => {
    const { deliver } = open(10n ** 18n)
    expect(await deliver(0, 's', `2*${friend}*all`)).toMatch(/^CON Send all you have\nTo: \+254/)
    expect(await deliver(0, 's', `2*${friend}*all*1`)).toBe(
      'END Your balance is too low: 0.02 tRBTC. Nothing was sent. Dial again to send less.',
    )
  })
})

test('that loans are paused is known from the first refusal, and no transfer that is taken ends it', async () => {
  const { deliver, settle, chain, ledger } = open()
  const contracts = async () => (await ledger.vitals()).sight.contracts?.state
  chain.head().state.isPaused = true
  expect(await deliver(0, 'loan', '3*1')).toMatch(/^END /)
  expect(await contracts()).toBe('loan_paused')
  expect(await deliver(0, 'transfer', `2*${friend}*0.001*1`)).toMatch(/^END Transfer Submitted/)
  await settle()
  expect(await contracts()).toBe('loan_paused')
})

describe('what is known of a transfer before it is made', () => {
  const nobody = '+254700000077'
  const shownTo = (to: string, ...lines: string[]) =>
    ['CON Send 0.001 tRBTC', ...lines, '1. Send', '0. Change'].join('\n').replace('<to>', to)

  test('is that a number is not registered yet: it never dialled, and has nothing', async () => {
    const { deliver, settle } = open()
    const unregistered = shownTo('+254 700 000 077', 'To: <to>', 'Not registered yet', 'Fee: none')
    expect(await deliver(0, 's', `2*${nobody}*0.001`)).toBe(unregistered)
    expect(await deliver(0, 's', `2*${nobody}*0.001`)).toBe(unregistered)
    expect(await deliver(0, 's', `2*${nobody}*0.001*1`)).toMatch(/^END Transfer Submitted\n/)
    await settle()
    expect(await deliver(0, 'again', `2*${nobody}*0.001`)).toBe(
      shownTo('+254 700 000 077', 'To: <to>', 'Fee: none'),
    )
  })

  test('is not that of a number which dialled, whatever it has', async () => {
    const { deliver } = openModelledRelay({
      ...{ callers: 2, poolLoans: 9, capLoans: 9, balanceWei: 0n, product: menus.lender },
    })
    expect(await deliver(0, 's', `2*${friend}*0.001`)).toContain('\nNot registered yet\n')
    await deliver(1, 'theirs', '')
    expect(await deliver(0, 's', `2*${friend}*0.001`)).not.toContain('registered')
  })

  test('is said to be not known where it cannot be read', async () => {
    const { deliver, breakNode } = open()
    breakNode()
    expect(await deliver(0, 's', `2*${nobody}*0.001`)).toBe(
      shownTo('+254 700 000 077', 'To: <to>', 'Registered: not known now', 'Fee: none'),
    )
  })

  test('is what the amount is worth, but for all that there is', async () => {
    const worthOf = async (wei: bigint) => (wei === 10n ** 15n ? 'KES 120' : undefined)
    const product = { ...menus.lender, worthOf }
    const { deliver } = openModelledRelay({ callers: 2, poolLoans: 9, capLoans: 9, product })
    expect(await deliver(0, 's', `2*${friend}*0.001`)).toBe(
      shownTo('+254 700 000 001', '(about KES 120)', 'To: <to>', 'Fee: none'),
    )
    expect(await deliver(0, 's', `2*${friend}*0.002`)).not.toContain('KES')
    expect(await deliver(0, 's', `2*${friend}*all`)).not.toContain('KES')
  })
})

describe('the same transfer within ten minutes', () => {
  const text = `2*${friend}*0.001*1`
  const asked = (minutes: number) =>
    `CON You sent 0.001 tRBTC\nTo: +254 700 000 001\n${minutes} min ago. Send it again?\n2. Send once more\n0. Change`

  test('is asked for once more, and then made', async () => {
    const { deliver, settle, balance, clock } = open()
    await deliver(0, 'first', text)
    await settle()
    clock.forward(3 * minuteMs)
    expect(await deliver(0, 'second', text)).toBe(asked(3))
    expect(await deliver(0, 'second', `${text}*7`)).toContain('\n3 min ago.')
    expect(await deliver(0, 'second', `${text}*7*2`)).toMatch(/^END Transfer Submitted\n/)
    await settle()
    expect(await balance(0)).toBe('END Your Balance: 0.018 tRBTC')
  })

  test('is asked for while the first is still under way', async () => {
    const { deliver } = open()
    await deliver(0, 'first', text)
    expect(await deliver(0, 'second', text)).toBe(asked(1))
  })

  test('is asked for as it was, however late that question is delivered again', async () => {
    const { deliver, settle, balance, clock } = open()
    await deliver(0, 'first', text)
    await settle()
    clock.forward(8 * minuteMs)
    expect(await deliver(0, 'second', text)).toBe(asked(8))
    clock.forward(3 * minuteMs)
    expect(await deliver(0, 'second', text)).toBe(asked(8))
    await settle()
    expect(await balance(0)).toBe('END Your Balance: 0.019 tRBTC')
    expect(await deliver(0, 'second', `${text}*2`)).toMatch(/^END Transfer Submitted\n/)
    expect(await deliver(0, 'third', text)).toBe(asked(1))
  })

  test('is made by one of two sessions at once, and the other one is asked', async () => {
    const { deliver, settle, balance } = open()
    const told = await Promise.all(['first', 'second'].map((session) => deliver(0, session, text)))
    expect(told.filter((screen) => screen.startsWith('END Transfer Submitted'))).toHaveLength(1)
    expect(told.filter((screen) => screen.startsWith('CON You sent'))).toHaveLength(1)
    const asks = told[0]?.startsWith('CON') ? 'first' : 'second'
    expect(await deliver(0, asks, text)).toMatch(/^CON You sent/)
    await settle()
    expect(await balance(0)).toBe('END Your Balance: 0.019 tRBTC')
  })

  test('is asked for or made, and the same to all deliveries of a session side by side', async () => {
    const { deliver, settle, balance } = open()
    const sessions = ['first', 'second']
    const early = sessions.map((session) => deliver(0, session, text))
    await early[0]
    const late = sessions.flatMap((session) =>
      Array.from({ length: 5 }, () => deliver(0, session, text)),
    )
    const shown = await Promise.all([...early, ...late])
    const [first, second] = sessions.map((_, index) => [
      ...new Set([shown[index], ...shown.slice(2 + index * 5, 7 + index * 5)]),
    ])
    expect(first).toHaveLength(1)
    expect(second).toHaveLength(1)
    await settle()
    const made = [first, second].filter((each) => each?.[0]?.startsWith('END Transfer Submitted'))
    expect(await balance(0)).toBe(`END Your Balance: 0.0${20 - made.length} tRBTC`)
  })

  test('is not asked for in the session that made it, however it is delivered', async () => {
    const { deliver, settle, balance } = open()
    const once = await deliver(0, 'first', text)
    expect(await deliver(0, 'first', text)).toBe(once)
    expect(await deliver(0, 'first', `${text}*2`)).toBe(
      'END This session has ended. Please dial again.',
    )
    await settle()
    expect(await balance(0)).toBe('END Your Balance: 0.019 tRBTC')
  })

  test('is made once where the answer to the question comes first, and again, and late', async () => {
    const { deliver, settle, balance } = open()
    await deliver(0, 'first', text)
    await settle()
    const made = await deliver(0, 'second', `${text}*2`)
    expect(made).toMatch(/^END Transfer Submitted\n/)
    expect(await deliver(0, 'second', text)).toBe('END This session has ended. Please dial again.')
    expect(await deliver(0, 'second', `${text}*2`)).toBe(made)
    await settle()
    expect(await balance(0)).toBe('END Your Balance: 0.018 tRBTC')
  })

  test('is another one to another recipient, of another amount, or later', async () => {
    const { deliver, clock } = open()
    await deliver(0, 'first', text)
    expect(await deliver(0, 'other', '2*+254700000002*0.001*1')).toMatch(/^END Transfer S/)
    expect(await deliver(0, 'more', `2*${friend}*0.002*1`)).toMatch(/^END Transfer S/)
    expect(await deliver(1, 'not mine', '2*+254700000002*0.001*1')).toMatch(/^END Transfer S/)
    const later = open()
    await later.deliver(0, 'first', text)
    later.clock.forward(10 * minuteMs + 1)
    expect(await later.deliver(0, 'later', text)).toMatch(/^END Transfer Submitted\n/)
    clock.forward(0)
  })

  test('that was refused stays refused', async () => {
    const { deliver, settle } = open()
    const much = `2*${friend}*0.015*1`
    await deliver(0, 'first', much)
    const refused = await deliver(0, 'second', `${much}*2`)
    expect(refused).toMatch(/^END Your balance is too low: 0\.005 tRBTC\./)
    await settle()
    expect(await deliver(0, 'second', much)).toBe(
      'END This session has ended. Nothing was sent. Please dial again.',
    )
  })
})

describe('a loan', () => {
  const due = /^\d{1,2} [A-Z][a-z]{2} 20\d\d$/

  test('is agreed to: what is owed, and until when', async () => {
    const { deliver, settle } = open()
    const [loan, owed, until, ...choices] = (await deliver(0, 's', '3')).split('\n')
    expect([loan, owed]).toEqual(['CON Loan: 0.01 tRBTC', 'To repay: 0.01 tRBTC'])
    expect(until?.replace('Until: ', '')).toMatch(due)
    expect(choices).toEqual(['1. I agree', '0. Back'])
    expect(await deliver(0, 's', '3*1')).toMatch(/^END Loan Requested\n/)
    await settle()
    expect(await deliver(0, 'menu', '')).toContain('\n4. Repay Loan (0.01 tRBTC)')
    const [title, owes, day, ...lines] = (await deliver(0, 'status', '4')).split('\n')
    expect([title, owes, ...lines]).toEqual([
      ...['CON Repay Loan', 'You owe 0.01 tRBTC', '1. All of it', '2. A part', '0. Back'],
    ])
    expect(day?.replace('Until: ', '')).toMatch(due)
    expect(await deliver(0, 'second', '3')).toBe(
      'END You already have a loan. Still to repay: 0.01 tRBTC. Dial again to repay it.',
    )
  })

  test('that is refused is refused for good, whatever of the session comes later', async () => {
    const { deliver, settle } = open()
    await deliver(0, 's', '3*1')
    await settle()
    expect(await deliver(0, 'second', '3')).toMatch(/^END You already have a loan\./)
    await deliver(0, 'repaid', '4*1')
    await settle()
    const closed = 'END This session has ended. Nothing was sent. Please dial again.'
    expect(await deliver(0, 'second', '3*1')).toBe(closed)
    expect(await deliver(0, 'third', '3*1')).toMatch(/^END Loan Requested\n/)
    const troubled = open()
    const repair = troubled.breakNode()
    expect(await troubled.deliver(0, 'unread', '3')).toMatch(/^END Service not available\./)
    repair()
    expect(await troubled.deliver(0, 'unread', '3*1')).toBe(closed)
  })

  test('is of the amount that was shown, whatever it is by the time of the answer', async () => {
    const { deliver, clock, changePrincipal, paid } = open()
    const terms = await deliver(0, 's', '3')
    expect(terms).toMatch(/^CON Loan: 0\.01 tRBTC\n/)
    changePrincipal(2n * 10n ** 16n)
    clock.forward(2 * minuteMs)
    expect(await deliver(0, 's', '3')).toBe(terms)
    expect(await deliver(0, 's', '3*1')).toBe(
      'END The terms of a loan have changed. Nothing was sent. Please dial again in a minute.',
    )
    expect(await paid(0)).toBe(0)
    expect(await deliver(0, 'next', '3')).toMatch(/^CON Loan: 0\.02 tRBTC\n/)
    expect(await deliver(0, 'next', '3*1')).toContain('\n0.02 tRBTC credited shortly.')
  })

  test('whose terms were asked for again is of the amount that was shown last', async () => {
    const { deliver, clock, changePrincipal } = open()
    await deliver(0, 's', '3')
    changePrincipal(2n * 10n ** 16n)
    clock.forward(2 * minuteMs)
    expect(await deliver(0, 's', '3*7')).toContain('\nLoan: 0.02 tRBTC\n')
    expect(await deliver(0, 's', '3*7*1')).toContain('\n0.02 tRBTC credited shortly.')
  })

  test('that is not there is said, and the menu has no amount', async () => {
    const { deliver } = open()
    expect(await deliver(0, 'status', '4')).toMatch(/^CON Repay Loan\nYou have no loan\.\n1\. /)
    expect(await deliver(0, 'menu', '')).toMatch(/\n4\. Repay Loan\n/)
  })

  test('is named where the balance does not suffice to repay it', async () => {
    const { deliver, settle } = open()
    await deliver(0, 's', '3*1')
    await settle()
    await deliver(0, 'away', `2*${friend}*0.028*1`)
    await settle()
    expect(await deliver(0, 'all', '4*1')).toBe(
      'END To repay: 0.01 tRBTC. Your balance is too low: 0.002 tRBTC. Nothing was sent. Dial again to repay a part.',
    )
    expect(await deliver(0, 'part', '4*2*0.001')).toMatch(/^END Repayment Submitted\n/)
  })

  test('whose terms cannot be read is not agreed to, and a menu says that the debt is not known', async () => {
    const { deliver, breakNode } = open()
    breakNode()
    expect(await deliver(0, 's', '3')).toBe('END Service not available. Please try again later.')
    expect(await deliver(0, 'menu', '')).toMatch(/\n4\. Repay Loan \(not known now\)\n/)
    expect(await deliver(0, 'status', '4')).toMatch(
      /^CON Repay Loan\nYou owe: not known now\.\n1\. All of it\n/,
    )
  })
})

describe('the dials of a minute', () => {
  const tooMany = 'END Too many requests from this phone. Please wait a minute and dial again.'
  const places = ['', '2', '3', '4', '5', '6', `2*${friend}*0.001`, '1', '6*1']

  test.for(places)(
    'once used up, are said to be at "%s", and nothing is shown without its facts',
    async (place) => {
      const clock = createHandClock()
      const { deliver } = openModelledRelay({
        ...{ callers: 2, poolLoans: 9, capLoans: 9, clock },
        ...{ product: menus.lender, dialsAMinute: 30 },
      })
      for (let dial = 0; dial < 30; dial++) await deliver(0, `dial ${dial}`, '')
      expect(await deliver(0, 'over', place)).toBe(tooMany)
      expect(await deliver(0, 'dial 3', '')).toMatch(/^CON Rootstock DeFi/)
      expect(await deliver(1, 'other', '')).toMatch(/^CON Rootstock DeFi/)
      clock.forward(minuteMs)
      expect(await deliver(0, 'later', place)).not.toBe(tooMany)
    },
  )

  test('count each step of a session, and none of them twice', async () => {
    const { deliver } = openModelledRelay({
      ...{ callers: 2, poolLoans: 9, capLoans: 9, product: menus.lender, dialsAMinute: 4 },
    })
    const texts = ['', '4', '4*0*2', '4*0*2*0*5']
    for (const text of [...texts, ...texts]) expect(await deliver(0, 's', text)).not.toBe(tooMany)
    expect(await deliver(0, 's', '4*0*2*0*5*0*3')).toBe(tooMany)
  })

  test('count one delivery once, however often it comes at the same time', async () => {
    const { deliver, settle } = openModelledRelay({
      ...{ callers: 2, poolLoans: 9, capLoans: 9, product: menus.lender, dialsAMinute: 30 },
    })
    const sent = await Promise.all(
      Array.from({ length: 35 }, () => deliver(0, 'same', `2*${friend}*0.001*1`)),
    )
    expect(new Set(sent).size).toBe(1)
    expect(sent[0]).toMatch(/^END Transfer Submitted\n/)
    await settle()
    const shown = await Promise.all(Array.from({ length: 35 }, () => deliver(0, 'menu', '4')))
    expect(new Set(shown)).toEqual(new Set([expect.stringContaining('You have no loan.')]))
  })
})

describe('money in and out', () => {
  test('is received at the number, and at an address of the account', async () => {
    const { deliver } = open()
    const [number, how, address, ...choices] = (await deliver(0, 's', '6')).split('\n')
    expect([number, how, ...choices]).toEqual([
      ...['CON Your number: +254 700 000 000', 'From a wallet, credit this account at:'],
      ...['1. Credit what arrived', '0. Back'],
    ])
    expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/)
    expect(await deliver(0, 's', '6*1')).toBe(
      'END Nothing has arrived for your account yet. Dial again in some minutes.',
    )
  })

  test('goes out to a wallet alone, shown before it goes', async () => {
    const { deliver } = open()
    expect(await deliver(0, 's', '7')).toBe('CON Address of your wallet outside:\n0. Back')
    expect(await deliver(0, 's', `7*${friend}`)).toMatch(/^CON Not the address of a wallet\. /)
    expect(await deliver(0, 's', `7*${stranger}`)).toMatch(
      /^CON To: 0x5aAeb605\.\.\.1BEaEd\nAmount/,
    )
    expect(await deliver(0, 's', `7*${stranger}*0.001`)).toBe(
      'CON Cash out 0.001 tRBTC\nTo wallet: 0x5aAeb605...1BEaEd\nIt cannot be taken back.\n1. Cash out to wallet\n0. Change',
    )
  })
})

test('help is the number that the operator set', async () => {
  const { deliver } = open()
  expect(await deliver(0, 'menu', '')).toMatch(
    /\n5\. My Activity\n6\. Receive\n7\. Cash Out\n8\. Settings\n9\. Help$/,
  )
  expect(await deliver(0, 's', '9')).toBe('END Help: call 0700 000 099\nWe never ask for your PIN.')
})
