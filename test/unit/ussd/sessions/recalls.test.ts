import { describe, expect, test } from 'vitest'
import { menus, recallTimes, usualTimes } from '../../../../scripts/dev/menu-ways.ts'
import type { MenuSettings } from '../../../../src/ussd/menu/node.ts'
import { friend, openWorld, plays } from '../world.ts'

const settings = { ...menus.lender.settings, recalls: recallTimes }
const open = (changes: Partial<MenuSettings> = {}) =>
  openWorld({ product: { ...menus.lender, settings: { ...settings, ...changes } } })

const other = '+254700000002'
const until = '… UTC, <date>'
const pay = (amount: string, to = friend) => `2*${to}*${amount}*1`
const ask = '5*2'
const choice = '5*2*1'
const hold = '5*2*1*4'
const listed = 'CON Which payment? You can ask once in 7 days.|1. 0.001 tRBTC to 2547...001|0. Back'
const asked =
  'CON 0.001 tRBTC to 2547...001: hold what is unspent of it for 24 hours? It comes back only if they agree.|4. Hold it|0. Back'
const held = (amount: string) =>
  `END ${amount} is held until ${until}. It comes back only if the receiver agrees.`
const told = (amount: string) =>
  `CON 2547...000 says ${amount} to you was a mistake. Held until ${until}.|91. Give it back|92. Keep it|0. Menu`
const refused = (amount: string) =>
  `END ${amount} is held until ${until}: its sender says it was a mistake. Nothing was sent. You can send less, or send it back.`
const over = 'END This payment cannot be held any more. Nothing is held.'
const unseen =
  'END It cannot be seen now what is unspent. Nothing is held. Please try again in a few minutes.'
const lessHeld = 'END Less than this is held. Nothing was sent. Please dial again.'
const nothing = 'CON No payment of yours can be held now.|0. Back'
const notNow =
  'CON You can ask once in 7 days, and did. Nothing can be held now. Call 0700 000 099.|0. Back'
const made = 'END Transfer Submitted|…'
const menu = 'CON Rootstock DeFi …'

/** The first caller has paid the second one, and says that it was a mistake. */
const isHeld = `
      pay: ${pay('0.001')} -> ${made}
      settle
      ask: ${ask} -> …
      ask: ${hold} -> ${held('0.001 tRBTC')}`

describe('a payment to a wrong number', () => {
  plays('is offered to be held once a block has it, and held once', open)`
      pay: ${pay('0.001')} -> ${made}
      soon: 5 -> CON …|2. Wrong number?|…
      soon: ${ask} -> ${listed}
      soon: ${choice} -> ${asked}
      soon: ${hold} -> END It is still on its way. Nothing is held. Please try again in a minute.
      settle
      ask: ${ask} -> ${listed}
      ask: ${ask}*7 -> CON Please choose from the list.|Which payment? You can ask once in 7 days.|1. 0.001 tRBTC to 2547...001|0. Back
      ask: ${ask}*7*1 -> ${asked}
      ask: ${ask}*7*1*1 -> CON Please choose from the list.|0.001 tRBTC to 2547...001|4. Hold it|0. Back
      ask: ${ask}*7*1*1*4 -> ${held('0.001 tRBTC')}
      ask: ${ask}*7*1*1*4 -> same
      more: 5 -> not …2. Wrong number?…
      mine: 5 -> CON My Activity|Sent 0.001 tRBTC to 2547...001: held until … UTC, <date> (<receipt>)|…
      more: ${ask} -> ${nothing}
      more: ${hold} -> CON Please choose from the list.|No payment of yours can be held now.|0. Back`

  plays('is held only once a screen has named it', open)`
      pay: ${pay('0.001')} -> ${made}
      settle
      ask: 5 -> CON …|2. Wrong number?|…
      ask: ${hold} -> CON Please choose from the list.|No payment of yours can be held now.|0. Back`

  plays('is asked about no more once that is over, where its session comes back', open)`
      ${isHeld}
      see@1: -> ${told('0.001 tRBTC')}
      1441 min
      see@1: -> END This session has ended. …`

  plays('goes back by its receiver’s payment alone, once, and is no mistake of who gave it', open)`
      ${isHeld}
      see@1: -> ${told('0.001 tRBTC')}
      see@1: 91 -> CON Send 0.001 tRBTC|To: 2547...000|Fee: none|1. Send|0. Change
      balance@1: 1 -> END Your Balance: …|Held, its sender says it was a mistake: 0.001 tRBTC
      see@1: 91*1 -> ${made}
      see@1: 91*1 -> same
      see@1: 91*1 -> same
      next@1: -> ${menu}
      balance@1: 1 -> not …mistake…
      soon: 5 -> CON My Activity|Received 0.001 tRBTC from 2547...001: arriving|Sent 0.001 tRBTC to 2547...001: done|…
      settle
      back@1: 5 -> not …Wrong number?…
      back@1: ${ask} -> ${nothing}`

  plays('stays with a receiver who keeps it', open)`
      ${isHeld}
      see@1: -> ${told('0.001 tRBTC')}
      see@1: 92 -> END You keep it. It is not held any more.
      see@1: 92 -> same
      mine: 5 -> CON My Activity|Sent 0.001 tRBTC to 2547...001: kept by receiver (<receipt>)|…
      next@1: -> ${menu}
      next@1: 1 -> END Your Balance: …
      all@1: 2*${other}*all*1 -> ${made}`

  plays('is not spent meanwhile, and all else is; after a day it is the receiver’s', open)`
      ${isHeld}
      see@1: -> ${told('0.001 tRBTC')}
      see@1: 0 -> ${menu}
      more@1: ${pay('0.0205', other)} -> ${refused('0.001 tRBTC')}
      ask@1: 2
      ask@1: 2*${other}
      ask@1: 2*${other}*0.0205 -> CON Your balance is too low: 0.02 tRBTC.|Held until ${until}: 0.001 tRBTC. Please try again.|To: …
      ask@1: 2*${other}*0.0205*0.022 -> CON Your balance is too low: 0.02 tRBTC. Please try again.|To: …
      odd@1: 2*${other}*0.0205*7 -> ${refused('0.001 tRBTC')}
      less@1: ${pay('0.0005', other)} -> ${made}
      settle
      mine: 5 -> …: held until …
      1441 min
      settle
      mine: 5 -> …: kept by receiver (<receipt>)|…
      next@1: -> ${menu}
      all2@1: 2*${other}*all*1 -> ${made}`

  plays('is the last one within the time, and to nobody who was paid before', open)`
      pay: ${pay('0.001')} -> ${made}
      settle
      31 min
      late: 5 -> not …Wrong number?…
      again: ${pay('0.002')} -> ${made}
      settle
      known: 5 -> not …Wrong number?…
      known: ${hold} -> CON Please choose from the list.|No payment of yours can be held now.|0. Back`

  plays('is one of the last three, also where its sender has paid the right number since', open)`
      pay: ${pay('0.001', other)} -> ${made}
      pay2: ${pay('0.002', '+254700000003')} -> ${made}
      settle
      pay3: ${pay('0.001')} -> ${made}
      pay4: ${pay('0.003', '+254700000004')} -> ${made}
      settle
      ask: ${ask} -> CON Which payment? You can ask once in 7 days.|1. 0.003 tRBTC to 2547...004|2. 0.001 tRBTC to 2547...001|3. 0.002 tRBTC to 2547...003|0. Back
      right: ${pay('0.001', '+254700000005')} -> ${made}
      ask: ${ask}*4 -> …|2. 0.001 tRBTC to 2547...001|…
      ask: ${ask}*4*2 -> ${asked}
      ask: ${ask}*4*2*4 -> ${held('0.001 tRBTC')}
      right@1: -> ${told('0.001 tRBTC')}
      more: ${ask} -> ${notNow}`

  plays('is called that once in some days', open)`
      ${isHeld}
      none: 5 -> not …Wrong number?…
      pay2: ${pay('0.001', other)} -> ${made}
      settle
      wait: 5 -> CON My Activity|2. Wrong number?|Sent…
      second: ${ask} -> ${notNow}
      choose: ${ask}*1 -> CON Please choose from the list.|…
      10079 min
      settle
      pay3: ${pay('0.001', '+254700000003')} -> ${made}
      settle
      early: ${ask} -> ${notNow}
      1 min
      third: ${ask} -> …|1. 0.001 tRBTC to 2547...003|…`

  plays('says no more of that where nobody can be called', () => open({ helpNumber: undefined }))`
      ${isHeld}
      pay2: ${pay('0.001', other)} -> ${made}
      settle
      wait: 5 -> CON My Activity|2. Wrong number?|Sent…
      second: ${ask} -> CON You can ask once in 7 days, and did. Nothing can be held now.|0. Back`

  plays('is not held once its time is over, also where it was offered before', open)`
      pay: ${pay('0.001')} -> ${made}
      settle
      20 min
      ask: ${ask} -> ${listed}
      ask: ${hold} -> ${held('0.001 tRBTC')}
      pay@2: ${pay('0.001')} -> ${made}
      settle
      20 min
      late@2: ${ask} -> ${listed}
      10 min
      late@2: ${hold} -> ${over}`

  plays('is not held while nobody can tell what is unspent of it', open)`
      pay: ${pay('0.001')} -> ${made}
      settle
      ask: ${ask} -> ${listed}
      break
      ask: ${hold} -> ${unseen}
      repair
      ask: ${hold} -> same
      again: ${ask}
      again: ${hold} -> ${held('0.001 tRBTC')}`

  plays('is given back once, in whichever of its sessions, and is kept in none after that', open)`
      ${isHeld}
      one@1: -> ${told('0.001 tRBTC')}
      two@1: -> ${told('0.001 tRBTC')}
      three@1: -> ${told('0.001 tRBTC')}
      one@1: 91*1 -> ${made}
      two@1: 91*1 -> CON …
      two@1: 91*1*2 -> ${lessHeld}
      three@1: 92 -> END It is not held any more.
      one@1: 91*1 -> same`

  plays('is given back in part, and the rest stays held', open)`
      ${isHeld}
      see@1:
      see@1: 91*0*0.0004*1 -> ${made}
      see@1: 91*0*0.0004*1 -> same
      next@1: -> ${told('0.0006 tRBTC')}
      more@1:
      more@1: 91*0*0.0007*1 -> ${lessHeld}
      else@1:
      else@1: 91*0*0*${other}*0.0001*1 -> ${made}
      next@1: 91*1 -> ${made}
      last@1: -> ${menu}`

  plays('goes back by a payment to its sender too, whatever way that goes', open)`
      ${isHeld}
      see@1: 0*2*+254700000000*0.0004*1 -> ${made}
      next@1: -> ${told('0.0006 tRBTC')}
      own@1: 2*+254700000000*0.0006*1 -> ${made}
      last@1: -> ${menu}`

  plays('is asked about again at the next dial, and not sent, where that session is cut', open)`
      ${isHeld}
      cut@1: -> ${told('0.001 tRBTC')}
      cut@1: 91 -> CON Send 0.001 tRBTC|…
      next@1: -> ${told('0.001 tRBTC')}
      next@1: 91*1 -> ${made}
      cut@1: 91*1 -> CON You sent 0.001 tRBTC|…
      cut@1: 91*1*2 -> ${lessHeld}`

  plays('leaves no receipt with a balance after it, while it is held', open)`
      free@3: ${pay('0.0001', other)} -> …Balance after…
      ${isHeld}
      see@1: 0
      own@1: ${pay('0.0002', other)} -> not …Balance after…`

  plays(
    'is paid again by no digit: its receiver is not, and its sender is not once it is back',
    open,
  )`
      pay: ${pay('0.001')} -> ${made}
      menu: 98 -> …Send 0.001 tRBTC to 2547...001…
      settle
      ask: ${ask} -> …
      ask: ${hold} -> ${held('0.001 tRBTC')}
      menu2: 98 -> not …2547...001…
      menu2: 2 -> not …2547...001…
      see@1:
      see@1: 91*1 -> ${made}
      menu3@1: 98 -> not …2547...000…
      settle
      list@1: 5 -> …Sent 0.001 tRBTC to 2547...000…`

  plays('is nothing that the menu has where that is off', () => open(usualTimes))`
      pay: ${pay('0.001')} -> ${made}
      settle
      ask: 5 -> not …Wrong number?…
      ask: ${ask} -> CON …Please choose from the list…`
})

test('a receiver is asked as long as something is held, also where nothing more can be', async () => {
  const world = open(usualTimes)
  await world.play(`pay: ${pay('0.001')} -> ${made}
    settle`)
  const [payment] = await world.ledger.listPayments(world.accountOf(0), 1)
  await world.ledger.recall({
    intentId: payment?.order.request.intentId ?? '0x',
    ...{ sender: world.accountOf(0), withinMs: 60_000_000, everyMs: 0 },
    holdings: { block: 0, wei: 0n, owedWei: 0n, spent: [] },
  })
  await world.play(`see@1: -> ${told('0.001 tRBTC')}
    see@1: 91*1 -> ${made}`)
})

plays('of a payment that is spent in part, the rest is held', open)`
    all@1: 2*${other}*all*1 -> ${made}
    settle
    pay: ${pay('0.003')} -> ${made}
    settle
    some@1: ${pay('0.002', other)} -> ${made}
    settle
    ask: ${ask} -> …
    ask: ${hold} -> ${held('0.001 tRBTC')}
    see@1: -> ${told('0.001 tRBTC')}
    own@1: ${pay('0.0005', other)} -> ${refused('0.001 tRBTC')}`

test('of a payment that a block has, and no round has seen, nothing counts twice', async () => {
  const world = open()
  await world.play(`all@1: 2*${other}*all*1 -> ${made}
    settle
    pay: ${pay('0.003')} -> ${made}
    settle
    some@1: ${pay('0.002', other)} -> ${made}
    ask: ${ask} -> …`)
  world.chain.mine(world.clock.now())
  await world.play(`ask: ${hold} -> ${held('0.001 tRBTC')}`)
})

test('of a hold and a payment of the same money at once, only one is', async () => {
  for (const first of ['hold', 'spend']) {
    const world = open()
    await world.play(`all@1: 2*${other}*all*1 -> ${made}
      settle
      pay: ${pay('0.001')} -> ${made}
      settle
      ask: ${ask} -> …`)
    const acts = {
      hold: () => world.deliver(0, 'ask', hold),
      spend: () => world.deliver(1, 'spend', pay('0.001', other)),
    }
    const order = first === 'hold' ? [acts.hold, acts.spend] : [acts.spend, acts.hold]
    const screens = (await Promise.all(order.map((act) => act()))).join('\n')
    const isPaid = screens.includes('Transfer Submitted')
    expect(screens.includes('is held until')).toBe(!isPaid || screens.includes('Nothing was sent'))
    expect(await world.paid(1)).toBe(isPaid ? 2 : 1)
    expect(await world.ledger.listRecalled(world.accountOf(1))).toHaveLength(isPaid ? 0 : 1)
  }
})

describe('with a PIN', () => {
  const pin = '482615'
  const openWithPin = async (kind: 'on' | 'strict') => {
    const world = open({ pin: kind, languages: ['en'] })
    for (const caller of [0, 1])
      for (const text of ['', pin, `${pin}*${pin}`]) await world.deliver(caller, 'first', text)
    return world
  }
  const paid = `2*${friend}*0.001*${pin}`

  plays('it is held, given back and kept behind that alone', () => openWithPin('on'))`
      pay: ${paid} -> ${made}
      settle
      ask: ${ask} -> …
      ask: ${choice} -> ${asked.replace('4. Hold it', 'Enter PIN to confirm')}
      ask: ${choice}*739164 -> CON Wrong PIN. Tries left: 2. Forgot it? Type 00, then 8.|0.001 tRBTC to 2547...001|Enter PIN to confirm|0. Back
      ask: ${choice}*739164*${pin} -> ${held('0.001 tRBTC')}
      see@1: -> ${told('0.001 tRBTC')}
      see@1: 92 -> CON Keep it: 0.001 tRBTC, 2547...000|Enter your PIN|0. Back
      see@1: 91 -> CON Send 0.001 tRBTC|To: 2547...000|Fee: none|Enter PIN to send|0. Change
      see@1: 91*739164 -> CON Wrong PIN. …
      see@1: 91*739164*${pin} -> ${made}`

  test('a receiver who never dialled is asked behind the first PIN', async () => {
    const world = open({ pin: 'on', languages: ['en'] })
    for (const text of ['', pin, `${pin}*${pin}`]) await world.deliver(0, 'first', text)
    await world.play(`pay: ${paid} -> ${made}
      settle
      ask: ${ask}
      ask: ${choice}*${pin} -> ${held('0.001 tRBTC')}
      new@1: -> CON Choose a PIN…
      new@1: ${pin}*${pin} -> ${told('0.001 tRBTC')}
      new@1: ${pin}*${pin} -> same
      new@1: ${pin}*${pin}*00 -> CON Rootstock DeFi…
      new@1: ${pin}*${pin}*92*${pin} -> END You keep it…`)
  })

  plays('that is strict nothing of it is shown before', () => openWithPin('strict'))`
      pay: ${paid} -> ${made}
      settle
      ask: 5*${pin}*2 -> …
      ask: 5*${pin}*2*1*${pin} -> ${held('0.001 tRBTC')}
      see@1: -> CON A payment to you may be a mistake, its sender says.|Enter your PIN|0. Back
      see@1: ${pin} -> ${told('0.001 tRBTC')}
      see@1: ${pin}*92*${pin} -> END You keep it. It is not held any more.`
})

test('of a give-back in two sessions at once, one is sent', async () => {
  const world = open()
  await world.play(isHeld)
  for (const session of ['one', 'two']) await world.deliver(1, session, '')
  const give = (session: string) => world.deliver(1, session, '91*1')
  const screens = await Promise.all(['one', 'two', 'one', 'two'].map(give))
  expect(screens.filter((screen) => screen.includes('Transfer Submitted'))).toHaveLength(2)
  expect(await world.paid(1)).toBe(1)
})

test('while lost rows may hold payments, nothing is held', async () => {
  const world = open()
  await world.play(`pay: ${pay('0.001')} -> ${made}
    settle
    ask: ${ask} -> ${listed}`)
  await world.ledger.recordAction({ id: 'back', action: 'set-back', detail: {} })
  await world.play(`ask: ${hold} -> ${unseen}`)
  expect(await world.ledger.listRecalled(world.accountOf(1))).toEqual([])
})

plays('a payment of another kind is no mistake: a loan, its repayment', open)`
    loan: 3*1 -> END Loan Requested…
    settle
    ask: 5 -> not …Wrong number?…
    ask: ${ask} -> ${nothing}
    repaid: 4*1 -> END Repayment Submitted…
    settle
    back: 5 -> not …Wrong number?…
    back: ${ask} -> ${nothing}
    back: ${hold} -> CON Please choose from the list.|No payment of yours can be held now.|0. Back`

test.for([
  ['an agent made, who took cash for it', 0, 'agent'],
  ['an agent got, also by the phone number', 1, 'agent'],
  ['came for a bill, also by the phone number', 1, 'bill'],
] as const)('of a payment that %s, nothing is held', async ([, keeper, kind]) => {
  const world = open()
  const to = { account: world.accountOf(keeper), name: 'Duka', kind }
  await world.ledger.setTill({ id: 'a', till: '12344', to })
  await world.play(`pay: ${pay('0.001')} -> ${made}
    settle
    ask: 5 -> not …Wrong number?…
    ask: ${ask} -> ${nothing}`)
})
