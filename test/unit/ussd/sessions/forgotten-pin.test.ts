import { describe, expect, test } from 'vitest'
import { menus } from '../../../../scripts/dev/menu-ways.ts'
import type { Language } from '../../../../src/account/language.ts'
import { messagesIn } from '../../../../src/ussd/messages/languages.ts'
import { toGsmAlphabet } from '../../../../src/ussd/screens/septets.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { createMemoryStore } from '../../../support/memory-store.ts'
import { heldIn, openWorld, plays } from '../world.ts'

const [own, other] = ['482615', '739164']

/** A world in one language, in which the first caller has chosen a PIN. */
async function openChosen(language: Language = 'en') {
  const settings = { ...menus.strict.settings, pin: 'on', languages: [language] } as const
  const clock = createHandClock()
  const kept = createMemoryStore(clock.now)
  const faults = { breaksAfterSave: false, isBroken: false }
  const memory: typeof kept = {
    ...kept,
    async load(account) {
      if (faults.isBroken) throw new Error('the memory gives no answer')
      return await kept.load(account)
    },
    async save(...row) {
      const isSaved = await kept.save(...row)
      faults.isBroken = faults.breaksAfterSave
      return isSaved
    },
  }
  const world = openWorld({ clock, memory, product: { settings } })
  await world.play(`
    first:
    first: ${own}
    first: ${own}*${own}`)
  return { ...world, clock, faults }
}

const held = `END ${heldIn.en}`

describe('while the account is held, a forgotten PIN', () => {
  test.for(Object.entries(heldIn))(
    'cannot be called that, in the words of %s',
    async ([language, words]) => {
      const { play } = await openChosen(language as Language)
      const choose = toGsmAlphabet(messagesIn[language as Language].pin.choose)
      await play(`
        hold 0
        ask: 8*3 -> CON ${words}|0. …
        ask: 8*3*1 -> END ${words}
        ask: 8*3*1 -> same
        menu: -> CON Rootstock DeFi (+254700000000)|…
        release 0
        ask: 8*3*1 -> END ${words}
        1 days
        menu: -> CON Rootstock DeFi (+254700000000)|…
        pin: 8*2*${own} -> CON ${choose}|0. …`)
    },
  )

  plays('is not replaced, though that was asked for before', openChosen)`
      ask: 8*3*1 -> END You can choose a new PIN …
      1 days
      begun: -> CON Choose a PIN …
      begun: ${other} -> CON Type the same PIN again.|0. Back
      hold 0
      begun: ${other}*${other} -> ${held}
      begun: ${other}*${other} -> same
      late: -> ${held}
      late: ${other}*${other} -> ${held}
      typed: 1*${other}*${other} -> ${held}
      release 0
      begun: ${other}*${other} -> ${held}
      late: -> ${held}
      free: -> CON Choose a PIN …
      free: ${other}*${other} -> CON Your PIN is set.|…
      pin: 8*2*${other} -> CON Choose a PIN …`

  plays(
    'is not promised another, while balance, activity and a change by the PIN stay',
    openChosen,
  )`
      ask: 8*3*1
      hold 0
      menu: -> CON Rootstock DeFi (+254700000000)|…
      again: 8*3 -> CON ${heldIn.en}|0. Back
      balance: 1 -> END Your Balance: 0.02 tRBTC
      activity: 5 -> CON My Activity|…
      change: 8*2*${own}*${other}*${other} -> END Your PIN is set. Please dial again.
      release 0
      2 days
      pin: 8*2*${other} -> CON Choose a PIN …`

  test('is no first PIN either', async () => {
    const { ledger, accountOf, play } = await openChosen()
    await play(`
      hold 1
      new@1: -> ${held}
      new@1: ${own}*${own} -> ${held}
      1 min
      new again@1: 1*${own}*${own} -> ${held}`)
    const { refusals } = await ledger.readStanding(accountOf(1))
    expect(refusals.map(({ reason }) => reason)).toEqual(['held', 'held'])
  })
})

test('what was done is told, also if the memory gives no answer after that', async () => {
  const { faults, play } = await openChosen()
  // The dial of today is recorded before.
  await play('see: 1')
  faults.breaksAfterSave = true
  await play('ask: 8*3*1 -> END A new PIN can be chosen in 24 hours.')
  Object.assign(faults, { breaksAfterSave: false, isBroken: false })
  await play(`change: 8*2*${own} -> CON Choose a PIN …`)
  faults.breaksAfterSave = true
  await play(`change: 8*2*${own}*${other}*${other} -> END Your PIN is set. Please dial again.`)
})

test('a new PIN is promised for a time, which a second ask does not change', async () => {
  const { clock, play } = await openChosen()
  const time = new Date(clock.now() + 24 * 60 * 60_000).toISOString().slice(11, 16)
  const told = `You can choose a new PIN from ${time} UTC, <date>: dial again then. Without a PIN you can receive money, not send it. Asking again changes nothing.`
  await play(`
    ask: 8*3*1 -> END ${told}
    600 min
    again: 8*3 -> CON ${told}|0. Back
    again: 8*3*1 -> END ${told}
    ask: 8*3*1 -> same
    839 min
    early: -> CON New PIN in 1 h|…
    2 min
    due: -> CON Choose a PIN …`)
})
