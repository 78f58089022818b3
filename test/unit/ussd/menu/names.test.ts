import { describe, expect, test } from 'vitest'
import { menus } from '../../../../scripts/dev/menu-ways.ts'
import { secret } from '../../../../scripts/dev/simulator/relay/programs.ts'
import { createMemory, eraseMemory } from '../../../../src/account/memory.ts'
import { createNames, isTakenName, shortenName } from '../../../../src/account/names.ts'
import { unlockPin } from '../../../../src/account/pin.ts'
import { createSeal } from '../../../../src/account/secrets.ts'
import type { MenuSettings } from '../../../../src/ussd/menu/node.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { createMemoryStore } from '../../../support/memory-store.ts'
import { friend, openWorld, plays } from '../world.ts'

const pin = '482615'
const languages = ['en'] as const
const dayMs = 86_400_000
const mine = `8*5*${pin}`
const enter = (name: string) => `${mine}*1*${name}*1`
const [hide, agree] = [`${mine}*2`, `${mine}*3`]
const send = `2*${friend}*0.001`
const to = 'Send 0.001 tRBTC|To: +254 700 000 001'
const beforePin = `CON ${to}|Fee: none|Enter your PIN|0. Change`
const nameless = `CON Not sent yet.|${to}|0. Change|1. Send`
const named = (line: string) => `CON Not sent yet.|${to}|${line}|0. Change|1. Send`
const done = 'END Done. Payers see it from 24 hours on.'
const hidden = 'END Done. Payers see no name now.'
const agreed = 'END Done. Payers see the checked name now.'
const taken = 'END This looks like the name of the service or a till. Nothing was changed.'

/** A service that shows names, whose first three callers have chosen PINs. */
async function open(changes: Partial<MenuSettings> = {}, store = {}, clock = createHandClock()) {
  const memoryStore = { ...createMemoryStore(clock.now), ...store }
  const settings = { ...menus.agents.settings, recipientNames: true, languages, ...changes }
  const logged: unknown[] = []
  const log = (event: object) => void logged.push(event)
  const world = openWorld({ clock, memory: memoryStore, product: { settings }, log })
  const memory = createMemory(() => memoryStore)
  for (const caller of [0, 1, 2]) {
    for (const text of ['', pin, `${pin}*${pin}`]) await world.deliver(caller, 'first', text)
  }
  return {
    ...world,
    memory,
    logged,
    names: createNames({ memory, seal: createSeal(secret, 'name') }),
    holder: world.accountOf(1),
  }
}

/** The same a day after the second caller has typed a name. */
async function openNamed(changes?: Partial<MenuSettings>) {
  const opened = await open(changes)
  await opened.play(`name@1: ${enter('Amina Wanjiru')} -> ${done}`)
  // The chain's blocks stay at this day, so that payments go on.
  await opened.memory.change(opened.holder, ({ names, ...kept }) => ({
    ...kept,
    names: { ...names, typedAt: (names.typedAt ?? 0) - dayMs },
  }))
  return opened
}

/** The same where the operator verified a name of the second caller. */
async function openVerified() {
  const opened = await open()
  await opened.names.verify(opened.holder, 'Amina W.')
  // What was verified in the PIN's millisecond may have come after it.
  opened.clock.forward(1)
  return opened
}

describe('a name that its holder types', () => {
  plays('is shown as its own word after 24 hours', open)`
      n@1: ${mine} -> CON Payers see no name for this number.|1. Type my name|2. Show no name|3. Show checked name|0. Back
      n@1: ${mine}*1 -> CON Your first name and family name. Payers see the first, and one letter of the other:|0. Back
      n@1: ${mine}*1*amina  WANJIRU -> CON Payers see in 24 h:|Name (not checked): Amina W.|1. Show this name|0. Back
      n@1: ${mine}*1*amina  WANJIRU*1 -> ${done}
      n@1: ${mine}*1*amina  WANJIRU*1 -> same
      1439 min
      early: ${send}*${pin} -> ${nameless}
      own@1: ${mine} -> CON Payers see in 1 h:|Name (not checked): Amina W.|…
      1 min
      own@1: ${mine} -> CON Payers see:|Name (not checked): Amina W.|…
      later: ${send}*${pin} -> ${named('Name (not checked): Amina W.')}`

  plays('is shown behind the PIN, before the money leaves', openNamed)`
      s: ${send} -> ${beforePin}
      s: ${send}*739164 -> CON Wrong PIN. Tries left: 2. Forgot it? Type 00, then 8.|${to}|Fee: none|Enter your PIN|0. Change
      s: ${send}*739164*${pin} -> ${named('Name (not checked): Amina W.')}
      s: ${send}*739164*${pin}*1 -> END Transfer Submitted|…
      s: ${send}*739164*${pin}*1 -> same
      again:
      again: 11*${pin} -> CON Not sent yet.|Send 0.001 tRBTC|To: 2547...001|Name (not checked): Amina W.|0. Change|1. Send
      again: 11*${pin}*1 -> CON You sent 0.001 tRBTC…
      paid 1
      other: ${send}*${pin}*9 -> CON Please choose from the list.|${to}|Name (not checked): Amina W.|0. Change|1. Send`

  test('is changed once in 24 hours, is gone at once when taken away, and rests again', async () => {
    const early = 'END A name can be changed once in 24 hours. Nothing was changed.'
    const { play } = await openNamed()
    await play(`
      b@1: ${enter('Beatrice')} -> ${done}
      b@1: ${enter('Beatrice')} -> same
      c@1: ${enter('Carol')} -> ${early}
      s: ${send}*${pin} -> ${nameless}
      none@1: ${hide} -> ${hidden}
      d@1: ${enter('Carol')} -> ${early}
      1 days
      t: ${send}*${pin} -> ${nameless}
      e@1: ${enter('Carol')} -> ${done}
      1 days
      u: ${send}*${pin} -> ${named('Name (not checked): Carol')}
      none@1: ${hide} -> same
      gone@1: ${hide} -> ${hidden}
      v: ${send}*${pin} -> ${nameless}`)
  })

  test.each([
    ['amina wanjiru kamau', 'Amina K.'],
    ["  ng'ang’a   mwangi ", "Ng'ang'a M."],
    ['jean-paul ÉTIENNE', 'Jean-Paul É.'],
    ['Amina', 'Amina'],
    ['Ａｍｉｎａ', 'Amina'],
  ])('%s is stored as its first word and an initial', (name, short) => {
    expect(shortenName(name)).toBe(short)
  })

  test.each([
    ...['Amina 2', 'Am1na', '٣٤ Amina', 'A', '', '4826', 'Ⅷ 8', 'Checked name: Amina'],
    ...['(checked) Amina', 'Amina W.', 'Амина', 'عمر', `A${'m'.repeat(15)}`],
    'one two three four five six',
  ])('%j is no name: it has a digit, a mark or letters that phones do not show', (name) => {
    expect(shortenName(name)).toBe(undefined)
  })

  test('cannot look verified, whatever is typed', async () => {
    const { play } = await open()
    const form = 'Letters A to Z, also with accents: 2 to 15 in the first name.'
    const refused = `CON ${form} Please try again.|0. Back`
    await play(`
      s@1: ${mine}*1*Checked name: Amina -> ${refused}
      s@1: ${mine}*1*Checked name: Amina*Amina 1 -> ${refused}
      s@1: ${mine}*1*Checked name: Amina*Amina 1*Checked Amina*1 -> ${done}
      1 days
      pay: ${send}*${pin} -> ${named('Name (not checked): Checked A.')}`)
  })

  test('is not that of the service or of a till, in letters that look alike', async () => {
    const { play, ledger, accountOf } = await open({ serviceName: 'Pesa Bora' })
    const till = { account: accountOf(2), name: 'Mama Duka', kind: 'agent' } as const
    await ledger.setTill({ id: 'one', till: '12344', to: till })
    const names = ['PESA BORA', 'pesa support', 'Pesabora', 'Mama Duka', 'mama  duka', 'Mamaduka']
    for (const [index, name] of names.entries()) {
      await play(`s${index}@1: ${enter(name)} -> ${taken}`)
    }
    await play(`other@1: ${enter('Mama Njeri')} -> ${done}`)
    expect(isTakenName('Iuma', 'Pesa', ['Juma', 'luma'])).toBe(true)
    expect(isTakenName('Modern K.', 'M0dem', [])).toBe(true)
    expect(isTakenName('Amina W.', 'Pesa', ['Amina', 'Amina Shop 2', '80'])).toBe(false)
    expect(isTakenName('Amina S.', 'Pesa', ['Amina Shop 2'])).toBe(true)
  })

  test('is sealed, and in no log, ledger or name of a row', async () => {
    const { play, rows, logged } = await openNamed()
    await play(`s: ${send}*${pin} -> ${named('Name (not checked): Amina W.')}`)
    await play(`s: ${send}*${pin}*1 -> END …`)
    expect(JSON.stringify([rows(), logged])).not.toMatch(/amina|wanjiru/i)
  })

  test('of another account or kind is not opened, even if a store puts it there', async () => {
    const { play, memory, accountOf, holder } = await openNamed()
    const { names } = await memory.read(holder)
    await memory.change(accountOf(2), (before) => ({ ...before, names }))
    await play(`s: 2*+254700000002*0.001*${pin} -> not …Amina…`)
    await memory.change(holder, (before) => ({
      ...before,
      names: { shows: 'verified', verified: names.own },
    }))
    await play(`t: ${send}*${pin} -> ${nameless}`)
  })
})

describe('a name that the operator verified', () => {
  test('is shown once its holder agrees, looks different, and can be taken away', async () => {
    const { play, names, holder } = await openVerified()
    await play(`
      s: ${send}*${pin} -> ${nameless}
      own@1: ${mine} -> CON Payers see no name for this number.|Your provider checked: Amina W.|…
      yes@1: ${agree} -> ${agreed}
      own@1: ${mine} -> CON Payers see:|Checked name: Amina W.|1. Type my name|…
      t: ${send}*${pin} -> ${named('Checked name: Amina W.')}
      no@1: ${hide} -> ${hidden}
      u: ${send}*${pin} -> ${nameless}
      back@1: ${agree} -> ${agreed}
      v: ${send}*${pin} -> ${named('Checked name: Amina W.')}`)
    await names.verify(holder, 'Amina K.')
    await play(`w: ${send}*${pin} -> ${nameless}`)
    await names.verify(holder, null)
    await play(`x@1: ${agree} -> END Your provider has checked no name yet.`)
  })

  test('is agreed to only as it was shown: not if another was verified since', async () => {
    const { play, names, holder } = await openVerified()
    await play(`yes@1: ${mine} -> CON …Your provider checked: Amina W.…`)
    await names.verify(holder, 'Beatrice')
    await play(`
      yes@1: ${agree} -> END Nothing was changed. Please dial again.
      s: ${send}*${pin} -> ${nameless}
      1 min
      own@1: ${mine} -> CON …Your provider checked: Beatrice…
      own@1: ${agree} -> ${agreed}
      t: ${send}*${pin} -> ${named('Checked name: Beatrice')}`)
  })

  plays('waits while its holder has chosen a word of their own', openVerified)`
      a@1: ${agree} -> END …
      b@1: ${enter('Beatrice')} -> ${done}
      s: ${send}*${pin} -> ${nameless}
      1 days
      t: ${send}*${pin} -> ${named('Name (not checked): Beatrice')}`
})

describe('names are no directory:', () => {
  const more = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => `look ${from + index}`)

  test('ten look-ups of a day that no payment follows are the last, in parallel too', async () => {
    const { deliver, play, clock } = await openNamed()
    const seen: string[] = []
    // More PINs at a time than an account's memory has would open no session.
    for (const from of [0, 4, 8]) {
      clock.forward(60_000)
      const looks = more(4, from).map(async (session) => {
        const look = () => deliver(0, session, `${send}*${pin}`)
        const [screen, same] = await Promise.all([look(), look()])
        expect([session, same]).toEqual([session, screen])
        if (screen.includes('Name (not checked): Amina W.')) seen.push(session)
      })
      await Promise.all(looks)
    }
    expect(seen).toHaveLength(10)
    await play(`
      more: ${send}*${pin} -> ${nameless}
      other@2: ${send}*${pin} -> ${named('Name (not checked): Amina W.')}
      more: ${send}*${pin}*1 -> END Transfer Submitted|…
      1 days
      next: ${send}*${pin} -> ${named('Name (not checked): Amina W.')}`)
  })

  test('one of a recipient who has no name does not count', async () => {
    const { deliver, play } = await openNamed()
    const back = `${send}*${pin}*0*0*+254700000002*0.001*${pin}`
    await play(
      `s: ${back} -> CON Not sent yet.|Send 0.001 tRBTC|To: +254 700 000 002|0. Change|1. Send`,
    )
    for (const session of more(10)) {
      expect(await deliver(0, session, `${send}*${pin}`)).toContain('Amina')
    }
    await play(`last: ${send}*${pin} -> ${nameless}`)
  })

  test('one that a payment follows does not count, in that session or the next', async () => {
    const { deliver, play, fail } = await openNamed()
    for (const session of more(10)) await deliver(0, session, `${send}*${pin}`)
    await play(`
      failed: ${send}*${pin} -> ${nameless}
      failed: ${send}*${pin}*1 -> END Transfer Submitted|…`)
    await fail('Balance too low')
    await play(`
      last: ${send}*${pin} -> ${nameless}
      last: ${send}*${pin}*1 -> END Transfer Submitted|…
      free: ${send}*${pin} -> ${named('Name (not checked): Amina W.')}`)
  })

  test('a choice that is delivered again is done once, and answered alike', async () => {
    const { names, memory, holder } = await open()
    const type = (text: string) => names.choose(holder, { kind: 'own', text }, 's', () => true)
    expect(await type('Amina W.')).toBe('done')
    const before = await memory.read(holder)
    expect(await type('Amina W.')).toBe('done')
    expect((await memory.read(holder)).names).toEqual(before.names)
  })
})

describe('no name is shown', () => {
  test.each(['on', 'strict'] as const)(
    'to who has the phone without the PIN (%s)',
    async (kind) => {
      const { play, names, holder } = await open({ pin: kind })
      await names.verify(holder, 'Amina W.')
      await play(`
      s@1: 8*5 -> CON Enter your PIN|0. Back
      s@1: 8*5*739164 -> CON Wrong PIN. Tries left: 2. Forgot it? Type 00, then 8.|Enter your PIN|0. Back
      s@1: 8*5*739164*3 -> not …Amina…
      t@1: ${mine} -> CON …Your provider checked: Amina W.…`)
    },
  )

  test('of a number that an operator unblocked after 90 days', async () => {
    const { play, memory, holder, clock, deliver } = await openNamed()
    for (const month of [1, 2]) {
      clock.forward(46 * dayMs)
      await deliver(0, `month ${month}`, '1')
    }
    await play(`late@1: -> END …`)
    await memory.change(holder, unlockPin)
    await play(`
      back@1: ${mine} -> CON Payers see no name for this number.|1. Type my name|…
      s: ${send}*${pin} -> ${nameless}`)
    expect((await memory.read(holder)).names).toEqual({})
  })

  test('before the PIN, with a wrong one, or of a number whose holder agreed to none', async () => {
    const { play, memory, accountOf } = await openNamed()
    await play(`
      s: ${send} -> ${beforePin}
      s: ${send}*000000 -> not …Amina…
      s: ${send}*000000*000001*000002 -> not …Amina…
      none@2: 2*+254700000003*0.001*${pin} -> CON Not sent yet.|Send 0.001 tRBTC|To: +254 700 000 003|0. Change|1. Send`)
    expect((await memory.read(accountOf(0))).lookUps).toEqual([])
  })

  test('of an erased person', async () => {
    const { play, memory, holder } = await openNamed()
    await memory.change(holder, (before) => eraseMemory(before, true))
    await play(`s: ${send}*${pin} -> ${nameless}`)
    expect((await memory.read(holder)).names).toEqual({})
  })

  test('of a number that nobody dialled from for 90 days, or whose PIN was replaced', async () => {
    const { play, clock } = await openNamed()
    await play(`forgot@1: 8*3*1 -> END You can choose a new PIN from …`)
    clock.forward(dayMs)
    await play(`
      s: ${send}*${pin} -> ${named('Name (not checked): Amina W.')}
      new@1: -> CON Choose a PIN…
      new@1: 739164
      new@1: 739164*739164 -> CON Your PIN is set.|…
      t: ${send}*${pin} -> ${nameless}`)
    const unused = await openNamed()
    for (const _ of [1, 2]) {
      unused.clock.forward(46 * dayMs)
      await unused.deliver(0, `month ${_}`, '1')
    }
    await unused.play(`s: ${send}*${pin} -> ${nameless}`)
  })

  plays('in a session that takes up a cut one, before its own PIN', openNamed)`
      cut: ${send}*${pin} -> ${named('Name (not checked): Amina W.')}
      s: -> CON You were cut off. Nothing was sent.|Amount: 0.001 tRBTC|To: +254 700 000 001|90. Go on|0. Menu
      s: 90 -> ${beforePin}
      s: 90*${pin} -> ${named('Name (not checked): Amina W.')}
      cut: ${send}*${pin}*1 -> END …Nothing was sent…
      s: 90*${pin}*1 -> END Transfer Submitted|…
      paid 1`

  plays('where names are off, and the PIN pays at once', () => open({ recipientNames: false }))`
      s@1: 8*5 -> CON Please choose from the list.…
      t: ${send}*${pin} -> END Transfer Submitted|…`
})

test.each(['fails', 'is silent'])(
  'a payment goes on if the memory of its recipient %s',
  async (how) => {
    let isBroken = false
    const lost: { account?: string } = {}
    const base = createMemoryStore()
    const load: typeof base.load = async (account) => {
      if (!isBroken || account !== lost.account) return base.load(account)
      if (how === 'fails') throw new Error('no answer')
      return new Promise(() => {})
    }
    const { play, holder } = await open({}, { ...base, load }, createHandClock(0.1))
    lost.account = holder
    await play(`s: ${send} -> ${beforePin}`)
    isBroken = true
    await play(`
    s: ${send}*${pin} -> ${nameless}
    s: ${send}*${pin}*1 -> END Transfer Submitted|…
    paid 1`)
  },
)
