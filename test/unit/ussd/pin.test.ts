import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import type { MenuSettings } from '../../../src/ussd/menu/node.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { friend, openWorld, plays, stranger } from './world.ts'

const [own, other] = ['482615', '739164']
const send = `2*${friend}*0.001`
/** With one language a new caller is asked for a PIN at once. */
const languages = ['en'] as const
const ended = 'END This session has ended. Please dial again.'
const nothingSent = 'END This session has ended. Nothing was sent. Please dial again.'
const main = 'CON Rootstock DeFi…'
const choose = 'Choose a PIN of 4 to 6 digits. It guards your money: tell it to nobody.'
const set = 'CON Your PIN is set.|1. My Balance|…'
const submitted = 'END Transfer Submitted|…'
const shown = 'Send 0.001 tRBTC|To: +254 700 000 001|'
const again = `${shown}Fee: none|Enter PIN to send|0. Change`
const wrong = `CON Wrong PIN. Tries left: 2. Forgot it? Type 00, then 8.|${again}`

function open(
  pin: MenuSettings['pin'] = 'on',
  options: Parameters<typeof openWorld>[0] & { memory?: ReturnType<typeof createMemoryStore> } = {},
) {
  const { clock = createHandClock(), memory = createMemoryStore(clock.now) } = options
  const product = { ...menus.strict, settings: { ...menus.strict.settings, pin, languages } }
  const logged: unknown[] = []
  const log = (event: object) => void logged.push(event)
  return { ...openWorld({ ...options, clock, memory, product, log }), memory, logged }
}

/** The same where the first caller has chosen a PIN. */
async function chosen(pin?: MenuSettings['pin'], typed = own, options = {}) {
  const opened = open(pin, options)
  await opened.play(`
    first:
    first: ${typed}
    first: ${typed}*${typed}`)
  return opened
}

describe('the first dial', () => {
  plays('asks for a new PIN, typed twice, before anything else', open)`
      s: -> CON ${choose}
      s: 12 -> CON A PIN has 4 to 6 digits.|${choose}
      s: 12*1984 -> CON This PIN is easy to guess.|${choose}
      s: 12*1984*${own} -> CON Type the same PIN again.|0. Back
      s: 12*1984*${own}*${other} -> CON The two PINs differ.|Type the same PIN again.|0. Back
      s: 12*1984*${own}*${other}*${own} -> ${set}
      s: 12*1984*${own}*${other}*${own} -> same
      s: 12*1984*${own}*${other}*${own}*2 -> CON Phone number or address…
      next: -> ${main}
      s: -> CON ${choose}`

  const typed = `${own}*${own}`

  plays('goes on with the menu, as any other session', open)`
      s:
      s: ${typed} -> ${set}
      s: ${typed}*${send} -> CON ${again}
      s: ${typed}*${send}*${other} -> ${wrong}
      s: ${typed}*${send}*${other}*00 -> ${main}
      s: ${typed}*${send}*${other}*00*${send}*${own} -> ${submitted}
      s: ${typed}*${send}*${other}*00*${send}*${own} -> same
      s: ${typed} -> ${ended}
      paid 1
      at once@1:
      at once@1: ${typed}*1 -> END Your Balance: 0.02 tRBTC`

  plays('tells with the menu that a payment failed', chosen)`
      loan: 3*${own}
      fail Loan limit reached
      forgot: 8*3*1
      1 days
      s:
      s: ${other}*${other} -> CON A payment failed: see 5|Your PIN is set.|1. My Balance|…`

  plays('is over where its session comes back, and changes no PIN', open)`
      s:
      s: ${typed} -> ${set}
      599 s
      s: ${typed} -> same
      2 s
      s: -> ${nothingSent}
      s: ${other}*${other} -> ${nothingSent}
      later: ${send}*${own} -> ${submitted}`

  plays('may change the PIN that it chose', open)`
      s:
      s: ${typed}*8*2*${own}*${other}*${other} -> END Your PIN is set. Please dial again.
      old: ${send}*${own} -> ${wrong}
      new: ${send}*${other} -> ${submitted}
      s@1:
      s@1: ${typed}*8*3*1 -> END You can choose a new PIN from …
      waits@1: -> CON New PIN in 24 h|…`

  plays('leads to the PIN first, and then to the dialled answers', open)`
      s: ${send} -> CON ${choose}
      s: ${send}*0 -> CON A PIN has 4 to 6 digits…
      s: ${send}*0*${own} -> CON Type the same PIN again.|0. Back
      s: ${send}*0*${own}*${own} -> CON ${again}
      s: ${send}*0*${own}*${own} -> same
      s: ${send} -> same
      paid 0
      s: ${send}*0*${own}*${own}*${other} -> ${wrong}
      s: ${send}*0*${own}*${own}*${other}*${own} -> ${submitted}
      s: ${send}*0*${own}*${own} -> ${ended}
      s: ${send}*0*${own}*${own}*${other}*${own} -> same
      paid 1
      balance@1: 1 -> CON ${choose}
      balance@1: 1*${other}*${other} -> END Your Balance: 0.02 tRBTC
      none@2: 5*1 -> CON ${choose}
      none@2: 5*1*12*13*14 -> END Too many wrong answers…
      none@2: 5*1*${own}*${own} -> ${nothingSent}
      next@2: -> CON ${choose}`
})

describe('a payment', () => {
  test('goes on after a wrong PIN, which counts as one try however often it is delivered', async () => {
    const { deliver, play } = await chosen()
    const delivered = await Promise.all(
      Array.from({ length: 50 }, () => deliver(0, 's', `${send}*${other}`)),
    )
    const told = wrong.replaceAll('|', '\n')
    expect(delivered).toContain(told)
    for (const screen of delivered)
      expect([told, 'END Service not available. Please try again later.']).toContain(screen)
    await play(`
      s: ${send}*${other} -> ${wrong}
      paid 0
      s: ${send}*${other} -> same
      s: ${send}*${other}*${own} -> ${submitted}
      s: ${send}*${other} -> ${ended}
      s: ${send}*${other}*${own} -> same
      paid 1`)
  })

  const blocked =
    'END 3 wrong PINs: nothing can be sent. Nothing was sent. Dial again and type 8, then 3, for a new PIN in 24 hours.'

  plays('is refused for good after three wrong PINs over all sessions', chosen)`
      one: ${send}*1357
      two: ${send}*1358
      three: ${send}*1359 -> ${blocked}
      three: ${send}*1359 -> same
      menu: -> CON Blocked. New PIN: 8, then 3|1. My Balance|…
      send: 2 -> ${blocked}
      loan: 3 -> ${blocked}
      out: 7 -> ${blocked}
      ask: 8*3 -> CON A new PIN can be chosen in 24 hours.|1. I need a new PIN|0. Back
      forgotten: 8*3*1
      waits: -> CON New PIN in 24 h|1. My Balance|…
      three: ${send}*1359*${own} -> ${nothingSent}
      four: ${send}*${own} -> ${blocked}
      one: ${send}*1357*${own} -> ${blocked}
      other phone@1: -> CON ${choose}
      paid 0`

  plays('of each kind asks for it', chosen)`
      loan: 3 -> CON Loan: …|Enter PIN to confirm|0. Back
      loan: 3*${own} -> END Loan Requested|…
      settle
      part: 4*2*0.001 -> CON Repay Loan: 0.001 tRBTC|Enter PIN to confirm|0. Back
      part: 4*2*0.001*${own} -> END Repayment Submitted|…
      settle
      all: 4*1 -> CON Repay Loan: All of it, 0.009 tRBTC|Enter PIN to confirm|0. Back
      all: 4*1*${own} -> END Repayment Submitted|…
      settle
      out: 7*${stranger}*0.001 -> …|Enter PIN to confirm|…
      out: 7*${stranger}*0.001*${other} -> CON Wrong PIN.…
      address: 2*${stranger}*0.001*1 -> …|Enter PIN to send|…
      address: 2*${stranger}*0.001*1*${own} -> ${submitted}
      wallet: 2*${stranger}*0.001*2 -> …|Enter PIN to confirm|…`

  plays(
    'that equals one made a moment ago is asked about after the PIN, and made without a second PIN',
    chosen,
  )`
      one: ${send}*${own}
      two: ${send}*${own} -> CON You sent 0.001 tRBTC|…
      three: ${send}*${other}*2 -> not ${submitted}
      two: ${send}*${own}*2 -> ${submitted}
      paid 2`
})

test('a strict PIN is asked for before balance and activity, and a normal one is not', async () => {
  const strict = await chosen('strict')
  await strict.play(`
    b: 1 -> CON Enter your PIN|0. Back
    b: 1*${other} -> CON Wrong PIN. Tries left: 2. Forgot it? Type 00, then 8.|Enter your PIN|0. Back
    b: 1*${other}*${own} -> END Your Balance: 0.02 tRBTC
    a: 5 -> CON Enter your PIN|0. Back
    a: 5*${own} -> CON My Activity|…`)
  const usual = await chosen('on')
  await usual.play(`
    b: 1 -> END Your Balance: 0.02 tRBTC
    a: 5 -> CON My Activity|…`)
})

describe('settings', () => {
  plays('let a forgotten PIN be replaced after a day', () => chosen('strict'))`
      s: 8*3 -> CON A new PIN can be chosen in 24 hours.…
      s: 8*3*1 -> END You can choose a new PIN from …
      s: 8*3*1 -> same
      early: -> CON New PIN in 24 h|1. My Balance|…
      1 days
      late: -> CON ${choose}
      late: ${other}*${other} -> ${set}
      old: 1*${own} -> CON Wrong PIN.…
      new: 1*${other} -> END Your Balance…`

  plays('keep the PIN if the old one is typed before that', chosen)`
      s: 8*3*1
      pay: ${send}*${own} -> ${submitted}
      1 days
      late: -> ${main}`
})

describe('what is known before the PIN is asked for', () => {
  plays('includes that a balance is too low and that there is no loan to repay', chosen)`
    s: 2*${friend}*0.03 -> CON Your balance is too low: 0.02 tRBTC. Please try again.|To: +254 700 000 001|…
    s: 2*${friend}*0.03 -> same
    out: 7*${stranger}*0.03 -> CON Your balance is too low…
    repay: 4 -> END You have no loan to repay. Dial again for the menu.
    paid 0`

  plays('takes no PIN for an amount, where both were dialled at once', chosen)`
    s: 2*${friend}*0.03*${own} -> END Your balance is too low: 0.02 tRBTC. Nothing was sent.…
    s: 2*${friend}*0.03 -> END This session has ended.…
    paid 0`

  test.for(['0.0', '0.0000000000000000001', 'much'])(
    'takes no PIN for the amount, where one was dialled at once behind %s',
    async (amount) => {
      const { play, rows } = await chosen()
      await play(`
        s: 2*${friend}*${amount}*${own} -> ${nothingSent}
        s: 2*${friend}*${amount} -> ${nothingSent}
        back: 2*${friend}*0*${own} -> CON Not a valid address or phone number…
        number: 2*12*0.001*${own} -> ${nothingSent}
        choice: x*${friend}*0.001*${own} -> ${nothingSent}
        out: 7*${stranger}*${amount}*${own} -> ${nothingSent}
        later: 2*${friend}*${amount} -> CON …|Amount, or all:|0. Back
        later: 2*${friend}*${amount}*0.001 -> CON ${again}
        new@1: 2*${stranger}*${amount}*1 -> CON ${choose}
        new@1: 2*${stranger}*${amount}*1*${other}*${other} -> ${nothingSent}
        next@2: 2*${stranger}*${amount} -> CON ${choose}
        next@2: 2*${stranger}*${amount}*${other}*${other} -> CON …|Amount, or all:|0. Back
        next@2: 2*${stranger}*${amount}*${other}*${other}*0.001 -> CON Send 0.001 tRBTC|…
        paid 0`)
      expect(rows().join()).not.toMatch(new RegExp(`[*"](${own}|${other})`))
    },
  )

  plays('does not reveal the balance that a strict PIN guards', () => chosen('strict'))`
    repay: 4 -> END You have no loan to repay. Dial again for the menu.
    s: 2*${friend}*0.03 -> CON Send 0.03 tRBTC|…|Enter PIN to send|0. Change
    s: 2*${friend}*0.03*${own} -> END Your balance is too low: 0.02 tRBTC. …`

  plays('does not include a balance that an open payment changes', chosen)`
    loan: 3*${own} -> END Loan Requested|…
    s: 2*${friend}*0.025 -> CON Send 0.025 tRBTC|…
    s: 2*${friend}*0.025*${own} -> ${submitted}`

  const limits = { openPayments: 2, transfersADay: 3, sentADayWei: 3n * 10n ** 15n }
  plays('includes too many open payments and a reached limit of the day', () =>
    chosen('on', own, { limits }),
  )`
    one: ${send}*${own}
    two: 2*${friend}*0.0015*${own}
    three: 2 -> END Only 2 payments at a time.…
    settle
    more: 2*${friend}*0.001 -> END You can send 0.0005 tRBTC more within a day.…
    more: 2*${friend}*0.001 -> same
    last: 2*${friend}*0.0005*${own} -> ${submitted}
    settle
    none: 2 -> END Only 3 transfers a day.…
    out: 7 -> END Only 3 transfers a day.…
    loan: 3 -> CON Loan: …`

  plays('is checked with the payment if it cannot be read', chosen)`
    break
    s: 2*${friend}*0.03 -> CON Send 0.03 tRBTC|…
    repair
    other: 2*${friend}*0.03 -> CON Your balance is too low…`
})

describe.for(['on', 'strict'] as const)(
  'a number without a dial for 90 days, with PIN=%s',
  (pin) => {
    const isDormant =
      'END This phone was not used for 90 days. Nothing was sent. Call 0700 000 099 to open the account again.'

    test('spends nothing, and shows nothing of its former owner', async () => {
      const { clock, memory, play, rows } = await chosen(pin)
      await play(`
      paid: ${send}*${own} -> ${submitted}
      settle
      91 days
      menu: -> ${isDormant}
      menu: 1 -> ${isDormant}
      s: ${send}*${own} -> ${isDormant}
      s: ${send}*${own} -> same`)
      for (const [index, digit] of Array.from({ length: 20 }, (_, digit) => `${digit}`).entries()) {
        await play(`
        entry ${index}: ${digit} -> ${isDormant}
        with PIN ${index}: ${digit}*${own} -> ${isDormant}
        further ${index}: ${digit}*1*${own}*1 -> ${isDormant}`)
      }
      await play('paid 1')
      expect(JSON.stringify(rows())).not.toContain(`*${own}`)
      clock.forward(60_000)
      await open(pin, { clock, memory }).play(`again: -> ${isDormant}`)
    })

    test('chooses no PIN, and is offered none: neither a forgotten nor a first one', async () => {
      const { play } = await chosen(pin)
      await play(`
      reset: 8*3*1 -> END You can choose a new PIN from …
      91 days
      s: -> ${isDormant}
      late: ${other}*${other} -> ${isDormant}
      forgotten: 8*3 -> ${isDormant}`)
      const clock = createHandClock()
      const memory = createMemoryStore(clock.now)
      await open(pin, { clock, memory }).play(`
      first: -> CON ${choose}
      91 days
      s: -> ${isDormant}
      s: ${own}*${own} -> ${isDormant}`)
    })
  },
)

test('dials from a time without PINs do not count for the 90 days', async () => {
  const { clock, memory, play } = await chosen('strict')
  await play('45 days')
  await open('off', { clock, memory }).play('balance: 1 -> END Your Balance…')
  await play('46 days')
  await open('strict', { clock, memory }).play(`s: 1*${own} -> END Your Balance…`)
})

describe('a PIN', () => {
  /** All that a caller may do with it, wrong ones too. */
  async function live(typed: string) {
    const opened = await chosen('strict', typed)
    await opened.play(`
      wrong: ${send}*135790
      back: 2*${friend}*0*${typed}
      one: ${send}*${typed}
      one: ${send}*${typed}*${typed}
      settle
      balance: 1*${typed}
      change: 8*2*${typed}*${typed}*${typed}
      suffix@1: 1
      suffix@1: 1*${typed}*${typed}
      lost first@2: ${typed}
      lost first@2: ${typed}*${typed}*${typed}*3`)
    return opened
  }

  test('is in no stored, logged or signed value', async () => {
    const { rows, logged } = await live(own)
    expect(rows().filter((row) => row.startsWith('transactions '))).toHaveLength(1)
    const all = [...rows(), JSON.stringify(logged)].join('\n')
    expect(all).not.toMatch(new RegExp(`(?<![0-9a-f])(${own}|135790)(?![0-9a-f])`))
  })

  test('does not change the name of a session, a step or an intent', async () => {
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

plays('a wrong PIN names no entry for a forgotten one where the demonstration has none', () =>
  openWorld({
    product: { ...menus.demo, settings: { ...menus.demo.settings, pin: 'on', confirms: true } },
  }),
)`
  new:
  new: ${own}
  new: ${own}*${own} -> CON Your PIN is set.|1. …
  s: 2*${friend}*0.001*739164 -> CON Wrong PIN. Tries left: 2.|…`
