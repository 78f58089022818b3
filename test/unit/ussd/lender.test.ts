import { describe, expect, test } from 'vitest'
import { menus, recallTimes } from '../../../scripts/dev/menu-ways.ts'
import { languages } from '../../../src/account/language.ts'
import { loan } from '../../../src/ussd/menu/entries/loan.ts'
import { english } from '../../../src/ussd/messages/en.ts'
import { messagesIn } from '../../../src/ussd/messages/languages.ts'
import { toGsmAlphabet } from '../../../src/ussd/screens/septets.ts'
import { longestWords } from './longest-words.ts'
import { friend, heldIn, openWorld, plays, stranger } from './world.ts'

const send = `2*${friend}*0.001`
const closed = 'END This session has ended. Nothing was sent. Please dial again.'

describe('a transfer that is confirmed', () => {
  plays('tells that an address is credited as an account here and is no wallet')`
      s: 2*${stranger}*0.001 -> CON Send 0.001 tRBTC|To: 0x5aAeb605...1BEaEd|Stays inside this service: reaches NO wallet.|1. Send inside|2. Cash out to wallet|0. Back
      s: 2*${stranger}*0.001*1 -> END Transfer Submitted|…
      # EIP-1191 on chain 31; EIP-55 has 0xbcDEfABC and chain 30 has 0xbCDEfabc.
      t: 2*0xbcdefabc00000000000000000000000000000001*0.001*1 -> END Transfer Submitted|…|To: 0xbcdEFaBc...|…`

  plays('says so in the words that the demonstration had before, if that confirms', () =>
    openWorld({ product: { settings: { ...menus.demo.settings, confirms: true } } }),
  )`
      s: 2*${stranger}*0.001 -> CON Send 0.001 tRBTC|To: 0x5aAeb605...1BEaEd|Credits an account of this service, NOT a wallet.|1. Credit account|2. Cash out to wallet|0. Back`

  plays('of a whole balance below the smallest amount is refused', () =>
    openWorld({ product: { ...menus.lender, minTransferWei: 10n ** 18n } }),
  )`
      s: 2*${friend}*all -> CON Send all you have|To: +254…
      s: 2*${friend}*all*1 -> END Your balance is too low: 0.02 tRBTC. Nothing was sent. Dial again to send less.`
})

plays('a receipt has amount, payee, number, fee, and the balance after it if no other came')`
  a: 2*${friend}*0.001*1 -> END Transfer Submitted|0.001 tRBTC|To: 2547...001|Ref: <receipt>|Funds will arrive shortly.|Fee: none|Balance after: about 0.019 tRBTC
  # A node may have the first one or not, also some time after its block.
  b: 2*${friend}*0.002*1 -> END Transfer Submitted|0.002 tRBTC|To: 2547...001|Ref: <receipt>|Funds will arrive shortly.|Fee: none
  a: 2*${friend}*0.001*1 -> same
  settle
  loan: 3*1 -> END Loan Requested|Ref: <receipt>|0.01 tRBTC credited shortly.|Fee: none
  settle
  # Just after another payment a node may tell less than is owed.
  all: 4*1 -> END Repayment Submitted|Amount: all that is owed|Ref: <receipt>|Your loan will be updated shortly.|Fee: none|You then owe: 0 tRBTC
  a: 2*${friend}*0.001*1 -> same`

plays('a repayment’s receipt has what is repaid, and what is owed and left then')`
  loan: 3*1
  settle
  90 min
  part: 4*2
  part: 4*2*0.004 -> END Repayment Submitted|Amount: 0.004 tRBTC|Ref: <receipt>|Your loan will be updated shortly.|Fee: none|You then owe: 0.006 tRBTC|Balance after: about 0.026 tRBTC
  settle
  90 min
  all: 4*1 -> END Repayment Submitted|Amount: 0.006 tRBTC|Ref: <receipt>|Your loan will be updated shortly.|Fee: none|You then owe: 0 tRBTC|Balance after: about 0.02 tRBTC`

plays('tells for about how long it is queued')`
    a: ${send}*1
    b@1: 2*${stranger}*0.001*1
    c@2: ${send}*1
    d@3: ${send}*1 -> END Transfer Submitted|0.001 tRBTC|To: …|Ref: <receipt>|Funds will arrive shortly.|…
    e@4: ${send}*1 -> END Transfer Submitted|0.001 tRBTC|To: …|Ref: <receipt>, queued, about 1 min|Funds will arrive shortly.|…`

plays("is called queued in the demonstration's words there", () =>
  openWorld({ product: menus.demo }),
)`
    a: 2*${stranger}*0.001
    b@1: 2*${stranger}*0.001
    c@2: 2*${stranger}*0.001
    d@3: 2*${stranger}*0.001
    e@4: 2*${stranger}*0.001 -> END Transfer Submitted|To: 0x5aAeb605...|Tx: queued|Funds will arrive shortly.`

describe('an amount that cannot be paid is asked for again, before the PIN', () => {
  const pin = '482615'
  const low = (balance: string) => `CON Your balance is too low: ${balance}. Please try again.|`

  plays('at a transfer, the same for a redelivery', () => openWorld({ product: menus.agents }))`
      first: 1
      first: 1*1*${pin}*${pin}
      s: 2*${friend}*0.03 -> ${low('0.02 tRBTC')}To: +254 700 000 001|Amount, or all:|0. Back
      theirs@1: 1
      theirs@1: 1*1*${pin}*${pin}
      up@1: 2*+254700000000*0.015*${pin} -> END Transfer Submitted|…
      settle
      s: 2*${friend}*0.03 -> same
      s: 2*${friend}*0.03*0.03 -> CON Send 0.03 tRBTC|…|Enter PIN to send|0. Change
      s: 2*${friend}*0.03*0.03*${pin} -> END Transfer Submitted|…
      paid 1`

  plays('at a repayment, of all of a debt too', () => openWorld({ product: menus.agents }))`
      first: 1
      first: 1*1*${pin}*${pin}
      s: 3*${pin}
      settle
      away: 2*${friend}*0.028*${pin}
      settle
      all: 4*1 -> CON Your balance is too low: 0.002 tRBTC.|Repay Loan|You owe 0.01 tRBTC|Until: <date>|1. All of it (0.01 tRBTC)|2. A part|0. Back
      all: 4*1*2*0.011 -> CON You owe only 0.01 tRBTC. Please try again.|Amount to repay, or all:|0. Back
      all: 4*1*2*0.011*0.005 -> ${low('0.002 tRBTC')}Amount to repay, or all:|0. Back
      all: 4*1*2*0.011*0.005*0.001 -> CON Repay Loan: 0.001 tRBTC|Enter PIN to confirm|0. Back
      all: 4*1*2*0.011*0.005*0.001*${pin} -> END Repayment Submitted|…`

  plays('at a debt that screens round up, unless it is typed as it is shown', () =>
    openWorld({ product: menus.agents }),
  )`
      first: 1
      first: 1*1*${pin}*${pin}
      principal 0.0103865481
      s: 3*${pin}
      settle
      menu: -> …|4. Repay Loan (0.010387 tRBTC)…
      s2: 4*2*0.010388 -> CON You owe only 0.010387 tRBTC. Please try again.|…
      s2: 4*2*0.010388*0.010387 -> CON Repay Loan: All of it, 0.010387 tRBTC|Enter PIN to confirm|0. Back
      s2: 4*2*0.010388*0.010387*${pin} -> END Repayment Submitted|Amount: all that is owed|…
      settle
      none: 4 -> END You have no loan…`

  const holding = { ...menus.lender.settings, recalls: recallTimes }
  plays('at what is held back of a mistaken payment, and "all" is what is not', () =>
    openWorld({ product: { settings: holding } }),
  )`
      pay: ${send}*1
      settle
      pay more: 5*2
      pay more: 5*2*1*4 -> END 0.001 tRBTC is held until …
      s@1: 2*+254700000002*0.0205 -> CON Your balance is too low: 0.02 tRBTC.|Held until … UTC, <date>: 0.001 tRBTC. Please try again.|…
      s@1: 2*+254700000002*0.0205*all*1 -> END Transfer Submitted|…
      settle
      later@1: 1 -> END Your Balance: 0 tRBTC|Held, its sender says it was a mistake: 0.001 tRBTC
      more@1: 2*+254700000002*0.0005 -> CON Your balance is too low: 0 tRBTC.|Held until …: 0.001 tRBTC. …
      much@1: 2*+254700000002*9 -> ${low('0 tRBTC')}…
      back@1: 5
      back@1: 5*91 -> …
      menu@1: -> …|91. Give it back|…
      menu@1: 91 -> CON Send 0.001 tRBTC|…
      menu@1: 91*1 -> END Transfer Submitted|…`
})

describe('what is known of a transfer before it is made', () => {
  const nobody = '2*+254700000077*0.001'
  const [shown, choices] = ['CON Send 0.001 tRBTC|', '|Fee: none|1. Send|0. Change']
  const to = `${shown}To: +254 700 000 077`

  plays('includes that a number is not registered yet: it never dialled and has no balance')`
      s: ${nobody} -> ${to}|Not registered yet${choices}
      s: ${nobody} -> same
      s: ${nobody}*1 -> END Transfer Submitted|…
      settle
      again: ${nobody} -> ${to}${choices}`

  plays('does not call a number unregistered that has dialled, whatever its balance', () =>
    openWorld({ balanceWei: 0n }),
  )`
      s: 2*${friend}*all -> …|Not registered yet|…
      theirs@1:
      s: 2*${friend}*all -> not …registered…`

  plays('is shown as unknown if it cannot be read')`
      break
      s: ${nobody} -> ${to}|Registration cannot be shown now${choices}`
})

describe('the same transfer within ten minutes', () => {
  const text = `${send}*1`
  const made = 'END Transfer Submitted|…'
  const ended = 'END This session has ended. Please dial again.'
  const asked = (minutes: number) =>
    `CON You sent 0.001 tRBTC|To: +254 700 000 001|${minutes === 0 ? 'Just now' : `${minutes} min ago`}. Send it again?|2. Send once more|0. Change`

  plays('is asked about in the same words, however late the question is redelivered')`
      first: ${text}
      settle
      8 min
      second: ${text} -> ${asked(8)}
      3 min
      second: ${text} -> same
      settle
      balance: 1 -> END Your Balance: 0.019 tRBTC
      second: ${text}*0*0.001*1*2 -> ${made}
      third: ${text} -> ${asked(0)}
      settle
      10 min
      fourth: ${text} -> ${made}`

  plays('is not asked about where that failed')`
      first: ${text} -> ${made}
      fail Balance too low
      second: ${text} -> not …Send it again?…`

  test('is asked about or made, the same for all concurrent deliveries of a session', async () => {
    const { deliver, play } = openWorld()
    const sessions = ['first', 'second']
    const early = sessions.map((session) => deliver(0, session, text))
    await early[0]
    const late = sessions.flatMap((session) =>
      Array.from({ length: 5 }, () => deliver(0, session, text)),
    )
    const shown = await Promise.all([...early, ...late])
    const screens = sessions.map((_, index) => [
      ...new Set([shown[index], ...shown.slice(2 + index * 5, 7 + index * 5)]),
    ])
    expect(screens.map(({ length }) => length)).toEqual([1, 1])
    const begun = screens.flat().map((screen) => screen?.slice(0, 12))
    expect(begun.sort()).toEqual(['CON You sent', 'END Transfer'])
    await play(`settle
      balance: 1 -> END Your Balance: 0.019 tRBTC`)
  })

  plays('is made once if the answer to the question arrives first, again and late')`
      first: ${text}
      settle
      second: ${text}*2 -> ${made}
      second: ${text} -> ${ended}
      second: ${text}*2 -> same
      settle
      balance: 1 -> END Your Balance: 0.018 tRBTC`

  plays('that was refused stays refused')`
      first: 2*${friend}*0.015*1
      second: 2*${friend}*0.015*1*2 -> END Your balance is too low: 0.005 tRBTC.…
      settle
      second: 2*${friend}*0.015*1 -> ${closed}`
})

describe('a loan', () => {
  plays('is shown as overdue in the menu and at the repayment')`
      s: 3*1 -> END Loan Requested|…
      settle
      early: 4 -> CON Repay Loan|You owe 0.01 tRBTC|Until: <date>|…
      400 days
      # Without the number in its title, the menu has one page, as before.
      menu: -> CON Rootstock DeFi|1. My Balance|2. Send Money|3. Request Loan|4. Repay Loan (0.01 tRBTC, overdue)|5. My Activity|6. Receive|7. Cash Out|8. Settings|9. Help
      status: 4 -> CON Repay Loan|You owe 0.01 tRBTC|Overdue since: <date>|1. All of it (0.01 tRBTC)|2. A part|0. Back`

  plays('that was refused stays refused, whatever the session delivers later')`
      s: 3*1
      settle
      second: 3 -> END You already have a loan.…
      repaid: 4*1
      settle
      second: 3*1 -> ${closed}
      third: 3*1 -> END Loan Requested|…
      break
      unread@1: 3 -> END Service not available.…
      repair
      unread@1: 3*1 -> ${closed}`

  plays('has the amount that was shown, even if the terms have changed since')`
      s: 3 -> CON Loan: 0.01 tRBTC|…
      principal 0.005
      2 min
      s: 3 -> same
      s: 3*1 -> END The terms of a loan have changed. No loan was taken. Please dial again in a minute.
      paid 0
      next: 3 -> CON Loan: 0.005 tRBTC|…
      principal 0.02
      next: 3*1 -> …|0.005 tRBTC credited shortly.…`

  plays('has the amount that was shown last if the terms were shown again')`
      s: 3
      principal 0.02
      2 min
      s: 3*7 -> …|Loan: 0.02 tRBTC|…
      s: 3*7*1 -> …|0.02 tRBTC credited shortly.…`

  test.for(languages)(
    'that is refused was not taken: the words of a payment are replaced, in %s',
    (language) => {
      const say = messagesIn[language]
      const wordsOf = (key: string) =>
        longestWords(say).flatMap(([each, words]) => (each === key ? words : []))
      const keys = longestWords(english).filter(([, words]) => words.includes(english.nothingSent))
      for (const [key] of keys) expect(wordsOf(key).join(), key).toContain(say.nothingSent)
      expect(keys.length).toBeGreaterThan(20)
    },
  )

  plays('is shown if the balance does not suffice to repay it')`
      s: 3*1
      settle
      away: 2*${friend}*0.028*1
      settle
      all: 4*1 -> END To repay: 0.01 tRBTC. Your balance is too low: 0.002 tRBTC. Nothing was sent. Dial again to repay a part.
      part: 4*2*0.001 -> END Repayment Submitted|…`

  plays('cannot be agreed to without terms, and the menu says that the debt is not known')`
      break
      s: 3 -> END Service not available. Please try again later.
      menu: -> …|4. Repay Loan (debt unknown)|…
      status: 4 -> CON Repay Loan|Not available. Try again later.|1. All of it|…`

  plays('whose limit a redelivery cannot read goes on: its question was shown', () =>
    openWorld({ product: { settings: { ...menus.lender.settings, choosesLoan: true } } }),
  )`
      s: 3 -> CON …
      break
      s: 3 -> END Service not available. Please try again later.
      repair
      s: 3*0.005 -> CON …`
})

describe('the dials of a minute', () => {
  const tooMany = 'END Too many requests from this phone. Please wait a minute and dial again.'
  const places = ['', '2', '3', '4', '5', '6', send, '1', '6*1']

  test.for(places)('once used up, end the session at "%s"', async (place) => {
    const { play } = openWorld({ limits: { dialsAMinute: 30 } })
    for (let dial = 0; dial < 30; dial++) await play(`dial ${dial}:`)
    await play(`
      over: ${place} -> ${tooMany}
      dial 3: -> CON Rootstock DeFi…
      other@1: -> CON Rootstock DeFi…
      1 min
      later: ${place} -> not ${tooMany}`)
  })

  test('count each step of a session once', async () => {
    const { play } = openWorld({ limits: { dialsAMinute: 4 } })
    const texts = ['', '6', '6*0*2', '6*0*2*0*5']
    for (const text of [...texts, ...texts]) await play(`s: ${text} -> not ${tooMany}`)
    await play(`s: 6*0*2*0*5*0*3 -> ${tooMany}`)
  })
})

const helped = { settings: { ...menus.lender.settings, helpNumber: '0700 000 088' } }

plays('help is the number that the operator set', () => openWorld({ product: helped }))`
    menu: -> …|5. My Activity|6. Receive|7. Cash Out|8. Settings|9. Help…
    s: 9 -> END Help: call 0700 000 088|We never ask for your PIN.`

const named = { settings: { ...menus.lender.settings, serviceName: 'Duka Pesa' } }

plays('the first screen has the name that the operator set', () => openWorld({ product: named }))`
    menu: -> CON Duka Pesa (+254700000000)|1. My Balance|…`

describe('the caller of an account that is held', () => {
  test.for(Object.entries(heldIn))('hears whom to call, in %s', async ([language, words]) => {
    const languages = [language] as (keyof typeof heldIn)[]
    const product = { settings: { ...menus.lender.settings, languages } }
    const { play } = openWorld({ product })
    const say = messagesIn[language as keyof typeof heldIn]
    const [sent, taken] = [say.nothingSent, loan.words(say).notTaken].map(toGsmAlphabet)
    await play(`
      hold 0
      first: 2 -> END ${words}
      loan: 3 -> END ${words.replace(`${sent}`, `${taken}`)}
      s: ${send}*1 -> END ${words}
      s: ${send}*1 -> same
      out: 7*${stranger}*0.001*1 -> END ${words}
      theirs@1: 2*${friend.replace('01', '00')}*0.001*1 -> END …: <receipt>|…
      settle
      balance: 1 -> END …0.021 tRBTC
      paid 0
      release 0
      s: ${send}*1 -> END ${words}
      later: ${send}*1 -> END …: <receipt>|…`)
  })

  plays('is sent to the provider if no help number is set, in the demonstration too', () =>
    openWorld({ product: menus.demo }),
  )`
      hold 0
      s: 2*${stranger}*0.001 -> END Your account is held. Nothing was sent. Ask your provider.
      menu: -> CON Rootstock DeFi (+254700000000)|1. My Balance|2. Send Money (P2P)|…`
})
