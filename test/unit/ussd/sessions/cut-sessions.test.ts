import { describe, expect, test } from 'vitest'
import { menus } from '../../../../scripts/dev/menu-ways.ts'
import { secret } from '../../../../scripts/dev/simulator/relay/programs.ts'
import { createSeal } from '../../../../src/account/secrets.ts'
import { createMemoryStore } from '../../../support/memory-store.ts'
import { friend, openWorld, plays } from '../world.ts'

const send = `2*${friend}*0.001`
const asked = 'CON Send 0.001 tRBTC|To: +254 700 000 001|Fee: none|1. Send|0. Change'
const goOn =
  'CON You were cut off. Nothing was sent.|Amount: 0.001 tRBTC|To: +254 700 000 001|90. Go on|0. Menu'
const menu = 'CON Rootstock DeFi …'
const made = 'END Transfer Submitted|…'
const closed = 'END This session has ended. Nothing was sent. Please dial again.'

const pin = '482615'
const choosesPin = `
      first:
      first: ${pin}
      first: ${pin}*${pin}`
const pinAsked = 'CON Send 0.001 tRBTC|To: +254 700 000 001|Fee: none|Enter PIN to send|0. Change'

const openWithPin = (kind: 'on' | 'strict') => {
  const settings = { ...menus.strict.settings, pin: kind, languages: ['en'] as const }
  return openWorld({ product: { ...menus.strict, settings } })
}

describe('a session that is cut before its payment', () => {
  plays('is taken up by the next dial, and its own late answer pays nothing')`
      cut: ${send} -> ${asked}
      next: -> ${goOn}
      cut: ${send}*1 -> ${closed}
      paid 0
      next: 90 -> ${asked}
      next: 90*1 -> ${made}
      next: 90*1 -> same
      cut: ${send}*1 -> ${closed}
      paid 1`

  plays('is offered to a redelivery of that dial again, and to no other dial')`
      cut: ${send} -> ${asked}
      next: -> ${goOn}
      other: -> ${goOn}
      next: -> same
      next: 90*1 -> ${closed}
      other: 90*1 -> ${made}
      paid 1`

  plays('is not offered once it has paid, or was refused')`
      cut: ${send} -> ${asked}
      cut: ${send}*1 -> ${made}
      next: -> ${menu}
      cut: ${send}*1 -> ${made}
      paid 1
      poor: 2*${friend}*9999 -> CON Send 9999 tRBTC|…
      poor: 2*${friend}*9999*1 -> END Your balance is too low…
      after: -> ${menu}`

  plays('is not offered after two minutes, and then its answer still pays once')`
      cut: ${send} -> ${asked}
      125 s
      next: -> ${menu}
      cut: ${send}*1 -> ${made}
      paid 1`

  plays('is not offered once its caller has gone elsewhere')`
      cut: ${send} -> ${asked}
      cut: ${send}*0 -> CON To: +254 700 000 001|…
      next: -> ${menu}
      cut: ${send} -> ${asked}
      cut: ${send}*00*1 -> END Your Balance: …
      more: -> ${menu}`

  plays('is offered to its own caller alone, and to a dial without answers')`
      cut: ${send} -> ${asked}
      next@1: -> ${menu}
      quick: 2 -> CON Phone number or address…
      cut: ${send}*1 -> ${made}
      paid 1`

  plays('may be left for the main menu, and is forgotten then')`
      cut: ${send} -> ${asked}
      next: -> ${goOn}
      next: 7 -> CON Please choose from the list.|Amount: 0.001 tRBTC|…
      next: 7*3*1 -> CON Please choose from the list.|Amount: 0.001 tRBTC|…|90. Go on|0. Menu
      next: 7*3*1*9*90 -> ${asked}
      next: 7*0 -> ${menu}
      next: 00 -> ${menu}
      last: -> ${menu}
      cut: ${send}*1 -> ${closed}
      paid 0`

  plays('is the newest one, also where that was cut at the question whether to go on')`
      cut: ${send} -> ${asked}
      90 s
      next: -> ${goOn}
      90 s
      last: -> ${goOn}
      next: 90*1 -> ${closed}
      last: 90 -> ${asked}
      last: 90*1 -> ${made}
      paid 1`

  plays('is offered for the time of a session, and not when the id of that comes back')`
      cut: ${send} -> ${asked}
      110 s
      next: -> ${goOn}
      170 s
      next: 7 -> CON Please choose from the list.|Amount: 0.001 tRBTC|…
      2 days
      next: -> ${closed}
      next: 90 -> END …
      paid 0`

  plays('tells of its payment again, also when its own time is over')`
      cut: ${send} -> ${asked}
      next: -> ${goOn}
      next: 90*1 -> ${made}
      2 days
      next: 90*1 -> END Sent 0.001 tRBTC to 2547...001: …
      paid 1`

  plays('asks for the PIN again', () => openWithPin('on'))`
      ${choosesPin}
      cut: ${send} -> ${pinAsked}
      next: -> ${goOn}
      cut: ${send}*${pin} -> ${closed}
      next: 90 -> ${pinAsked}
      next: 90*482614 -> CON Wrong PIN. Tries left: 2. Forgot it? Type 00, then 8.…
      next: 90*482614*${pin} -> ${made}
      paid 1`

  plays('is not offered before a strict PIN, which guards recipients', () => openWithPin('strict'))`
      ${choosesPin}
      cut: ${send} -> ${pinAsked}
      next: -> ${menu}
      cut: ${send}*${pin} -> ${made}`
})

test('two dials at once take a cut session up once', async () => {
  const { play, deliver, paid } = openWorld()
  await play(`cut: ${send} -> ${asked}`)
  const screens = await Promise.all(['a', 'b'].map((dial) => deliver(0, dial, '')))
  const offered = ['a', 'b'].filter((_, index) => screens[index]?.includes('You were cut off'))
  expect(offered).toHaveLength(1)
  await Promise.all([deliver(0, 'cut', `${send}*1`), deliver(0, `${offered}`, '90*1')])
  expect(await paid(0)).toBe(1)
})

test('of a late answer and the next dial at once, only one pays or goes on', async () => {
  for (const dials of [
    ['next', 'cut'],
    ['cut', 'next'],
  ]) {
    const { play, deliver, paid } = openWorld()
    await play(`cut: ${send} -> ${asked}`)
    const shown = await Promise.all(
      dials.map((dial) => deliver(0, dial, dial === 'cut' ? `${send}*1` : '')),
    )
    const goesOn = shown.some((screen) => screen.includes('You were cut off'))
    expect(await paid(0)).toBe(goesOn ? 0 : 1)
    expect(shown.some((screen) => screen.includes('Transfer Submitted'))).toBe(!goesOn)
  }
})

test('nothing of what a cut session asked to confirm, or of a PIN, can be read in storage', async () => {
  const { play, rows } = openWithPin('on')
  await play(`${choosesPin}
    cut: ${send} -> ${pinAsked}
    next: -> ${goOn}
    next: 90*${pin} -> ${made}
    more: ${send} -> CON …`)
  const stored = rows().join()
  expect(stored).toMatch(/unconfirmed.*sealed/)
  expect(stored).not.toMatch(/700000001|482615|africa|"more"|"cut"/i)
})

test('what a session asked to confirm leaves the memory with the first dial after its time', async () => {
  const { play, memoryRows } = openWorld()
  await play(`cut: ${send} -> ${asked}`)
  expect(memoryRows().join()).toContain('unconfirmed')
  await play(`119 s
    # A dial with answers takes nothing up.
    other: 1 -> …`)
  expect(memoryRows().join()).toContain('unconfirmed')
  await play(`2 s
    cut: ${send}*0 -> CON To: …`)
  expect(memoryRows().join()).not.toMatch(/unconfirmed|sealed/)
})

test('a cut session is no refusal that support would read', async () => {
  const { play, ledger, accountOf } = openWorld()
  await play(`some: 2*${friend}*0.001*1
    poor: 2*${friend}*9999*1 -> END Your balance is too low…`)
  const { refusals } = await ledger.readStanding(accountOf(0))
  await play(`cut: ${send} -> ${asked}
    next: -> ${goOn}`)
  expect((await ledger.readStanding(accountOf(0))).refusals).toEqual(refusals)
  expect(refusals).toHaveLength(1)
})

test('what another version wrote of a cut session is not offered', async () => {
  const memory = createMemoryStore()
  const { play, accountOf } = openWorld({ memory })
  const account = accountOf(0)
  const sealed = await createSeal(secret, 'text').encrypt('{}', `cut ${account.toLowerCase()}`)
  const { now } = await memory.load(account)
  const unconfirmed = { session: 'of another version', sealed, at: now }
  await memory.save(account, JSON.stringify({ unconfirmed }), 0)
  await play(`next: -> ${menu}`)
})
