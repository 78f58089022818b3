import { describe, expect, test } from 'vitest'
import { menus } from '../../../scripts/dev/menu-ways.ts'
import { type PhoneNumber, parseCaller, parseTypedPhone } from '../../../src/account/phone.ts'
import { cashOutRequest } from '../../../src/operator/answers.ts'
import { friend, openWorld } from './world.ts'

/** The zeros of all scripts, ASCII's among them: a script's digits are ten in a row. */
const zeros: number[] = []
for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
  if (!/^\p{Nd}$/u.test(String.fromCodePoint(codePoint))) continue
  zeros.push(codePoint)
  codePoint += 9
}
/** Writes the same in the digits of each script. */
const scripts = zeros.map(
  (zero) => (text: string) =>
    text.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit))),
)

const pin = '482615'
const send = `2*${friend}*0.001`

async function open(chosen = `${pin}*${pin}`) {
  const product = { ...menus.strict, settings: { ...menus.strict.settings, pin: 'on' as const } }
  const world = openWorld({ product })
  await world.play(`
    first:
    first: ${chosen}`)
  return world
}

describe('the digits of every script of Unicode', () => {
  test('choose, name a phone, an amount and a PIN, and what is typed again in others is paid once', async () => {
    const { deliver, paid } = await open()
    const submitted = await deliver(0, 'pay', `${send}*${pin}`)
    expect(submitted).toMatch(/^END Transfer Submitted\n/)
    for (const write of scripts) {
      expect(await deliver(0, 'pay', write(`${send}*${pin}`))).toBe(submitted)
    }
    expect(scripts.length).toBeGreaterThan(60)
    expect(await paid(0)).toBe(1)
  })

  test('are one PIN in whichever they were chosen and are typed', async () => {
    for (const write of scripts) {
      const { deliver } = await open(`${write(pin)}*${pin}`)
      expect(await deliver(0, 'next', `${send}*${write(pin)}`)).toMatch(/^END Transfer Submitted\n/)
    }
  })

  test('are one number to gateways, callers and operators', () => {
    for (const write of scripts) {
      expect(parseCaller(write('+254700000002'))).toBe('+254700000002')
      const typed = parseTypedPhone(write('0700 000 002'), '+254700000001' as PhoneNumber)
      expect(typed).toBe('+254700000002')
      const asked = { phone: '', to: '0x', key: `1700000000-${'k'.repeat(16)}` }
      expect(cashOutRequest.parse({ ...asked, amount: write('1.5') }).amount).toBe('1.5')
    }
  })

  test('have their own decimal separators', async () => {
    const { play } = await open()
    for (const amount of ['٠٫٠٠١', '٠،٠٠١', '۰٫۰۰۱', '０．００１', '０，００１'])
      await play(`${amount}: 2*${friend}*${amount} -> CON Send 0.001 tRBTC|…`)
    // Three digits after a comma may be thousands, in any script.
    await play(`s: ٢*${friend}*١،٠٠٠ -> not CON Send…`)
  })
})
