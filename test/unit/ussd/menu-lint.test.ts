import { describe, test } from 'vitest'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import {
  type Destination,
  type Draft,
  effects,
  isEffect,
  type MenuContext,
  menu,
  type NodeName,
} from '../../../src/ussd/menu.ts'
import { english } from '../../../src/ussd/messages/en.ts'
import type { Messages } from '../../../src/ussd/messages/texts.ts'
import { screenSeptets, septetsOf } from '../../../src/ussd/septets.ts'
import { walk } from '../../../src/ussd/walk.ts'
import { longestWords } from './longest-words.ts'

const languages: Readonly<Record<string, Messages>> = { english }

/** Of 15 digits, the most that E.164 has. */
const caller = parseCaller('+999700000000001') as PhoneNumber

const contextIn = (say: Messages): MenuContext => ({
  ...{ chainId: 31, caller, reserved: [], say },
  least: { wei: 1_000n, text: '0.000000000000001 tRBTC' },
})

/** An answer that each question takes. */
const good: Partial<Record<NodeName, string>> = {
  recipient: '0x1111111111111111111111111111111111111111',
  amount: '20999999.123456789012345678',
  repayAmount: '20999999.123456789012345678',
}

/** Answers that some question takes and others do not, and what is typed by mistake. */
const typed = [
  ...['', '0', '00', '98', '1', '2', '3', '4', '5', '9', '42', 'x', '#', '0700000002', caller],
  ...[`0x${'0'.repeat(40)}`, '0.0', '0.0000000000000000001', '99999999'],
  ...['0.0000000000000001', ...Object.values(good)],
]

/** How each place is reached. */
function waysIn(): Map<Destination, string[]> {
  const ways = new Map<Destination, string[]>([['main', []]])
  for (const [place, way] of ways) {
    if (isEffect(place)) continue
    const node = menu[place]
    const steps: (readonly [string | undefined, Destination])[] =
      node.kind === 'list'
        ? node.entries.map(({ digit, leads }) => [digit, leads])
        : [[good[place], node.leads]]
    for (const [answer, leads] of steps) {
      if (answer === undefined) throw new Error(`no good answer to ${place} is known here`)
      if (!ways.has(leads)) ways.set(leads, [...way, answer])
    }
  }
  return ways
}

const ways = waysIn()

test('every place and every effect of the menu is reached', ({ expect }) => {
  expect(new Set(ways.keys())).toEqual(new Set([...Object.keys(menu), ...Object.keys(effects)]))
})

test('no list has a digit twice, or one that pages need', ({ expect }) => {
  for (const node of Object.values(menu)) {
    if (node.kind !== 'list') continue
    const digits = node.entries.map(({ digit }) => digit)
    expect(new Set(digits).size).toBe(digits.length)
    for (const digit of digits) expect(digit).toMatch(/^[1-9]$/)
  }
})

describe.for(Object.entries(languages))('in %s', ([, say]) => {
  const context = contextIn(say)

  test.for([...ways])(
    '%s is reached as declared, and handles every answer',
    ([place, way], { expect }) => {
      const result = walk(way, context)
      if (isEffect(place)) {
        // An outcome has in it what was answered, by the same names.
        expect(result).toEqual(effects[place](result as Draft))
        return
      }
      expect(result).toMatchObject({ kind: 'ask' })
      for (const answer of typed) {
        const after = walk([...way, answer], context)
        if (after.kind !== 'ask') continue
        expect(after.prompt, `${place} after ${answer}`).toMatch(/\S/)
        expect(septetsOf(after.prompt), after.prompt).toBeLessThanOrEqual(screenSeptets)
      }
      expect(walk([...way, '00'], context)).toEqual(walk([], context))
    },
  )

  test.for(longestWords(say))(
    '%s fits a screen with its longest values',
    ([, words], { expect }) => {
      expect(septetsOf(words), words).toBeLessThanOrEqual(screenSeptets)
    },
  )
})
