import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { type PhoneNumber, parseCaller, parseTypedPhone } from '../../../src/account/phone.ts'
import { actions } from '../../../src/operator/actions/list.ts'
import { friend, openWorld } from './world.ts'

/** Writes the same in the digits of each script, ASCII's among them: they are ten in a row. */
const scripts: ((text: string) => string)[] = []
for (let zero = 0; zero <= 0x10ffff; zero++) {
  if (!/^\p{Nd}$/u.test(String.fromCodePoint(zero))) continue
  const first = zero
  scripts.push((text) =>
    text.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(first + Number(digit))),
  )
  zero += 9
}

const pin = '482615'
const send = `2*${friend}*0.001*${pin}`
const settings = { ...menus.strict.settings, pin: 'on' as const, languages: ['en'] as const }

describe('the digits of every script of Unicode', () => {
  test('can choose entries and write numbers, amounts and PINs, and the same answers in other digits pay once', async () => {
    expect(scripts.length).toBeGreaterThan(60)
    for (const [index, write] of scripts.entries()) {
      const { deliver, paid } = openWorld({ product: { ...menus.strict, settings } })
      const texts = [send, write(send), (scripts.at(index - 1) ?? write)(send)]
      await deliver(0, 'first', '')
      await deliver(0, 'first', `${write(pin)}*${pin}`)
      const screens = []
      for (const text of texts) screens.push(await deliver(0, 'pay', text))
      expect(screens).toEqual(texts.map(() => expect.stringMatching(/^END Transfer Submitted\n/)))
      expect(new Set(screens).size).toBe(1)
      expect(await paid(0)).toBe(1)
    }
  })

  test('are the same number to gateways, callers and operators', () => {
    for (const write of scripts) {
      expect(parseCaller(write('+254700000002'))).toBe('+254700000002')
      const typed = parseTypedPhone(write('0700 000 002'), '+254700000001' as PhoneNumber)
      expect(typed).toBe('+254700000002')
      const asked = { phone: '', to: '0x', key: `1700000000-${'k'.repeat(16)}` }
      expect(actions['cash-out'].request.parse({ ...asked, amount: write('1.5') }).amount).toBe(
        '1.5',
      )
    }
  })

  test('have their own decimal separators', async () => {
    const { play } = openWorld()
    for (const amount of ['٠٫٠٠١', '٠،٠٠١', '۰٫۰۰۱', '０．００１', '０，００１'])
      await play(`${amount}: 2*${friend}*${amount} -> CON Send 0.001 tRBTC|…`)
    // Three digits after a comma may be thousands, in any script.
    await play(`s: ٢*${friend}*١،٠٠٠ -> not CON Send…`)
  })
})
