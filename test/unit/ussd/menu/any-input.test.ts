import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { goodAnswers, menus } from '../../../../scripts/dev/menu-ways.ts'
import { pinMark } from '../../../../src/account/pin.ts'
import { toPlainDigits } from '../../../../src/runtime/digits.ts'
import { loan } from '../../../../src/ussd/menu/entries/loan.ts'
import { maxAnswers, splitAnswers } from '../../../../src/ussd/menu/walk.ts'
import { messagesIn } from '../../../../src/ussd/messages/languages.ts'
import { countSeptets, maxSeptets, toGsmAlphabet } from '../../../../src/ussd/screens/septets.ts'
import { anyCharacter, holds } from '../../../support/properties.ts'
import { openWorld } from '../world.ts'

const runs = { sampled: 60, full: 5_000 }

/** Mostly what leads somewhere, and whatever a keypad, a gateway or an attacker may send. */
const answer = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8', '9', '0', '00', '98', '1#'),
  },
  { weight: 4, arbitrary: fc.constantFrom(...goodAnswers, '+254700000001', '0,001', '0.002') },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 30 }) },
  { weight: 1, arbitrary: fc.stringMatching(/^[0-9*#.,+x€[\]-]{0,60}$/) },
)

test('answers are split as they were typed, with ASCII digits', async () => {
  await holds(
    fc.property(fc.array(answer, { minLength: 1, maxLength: 6 }), (typed) => {
      const answers = typed.map((each) => each.replaceAll('*', ''))
      const text = answers.join('*')
      if (text !== '')
        expect(splitAnswers(text)).toEqual(
          answers.map((each) => toPlainDigits(each).replaceAll(pinMark, '')),
        )
    }),
  )
})

const all = Object.values(messagesIn)
const anyOf = (words: readonly string[]) => words.map(toGsmAlphabet).join('|')
/** That nothing was sent, in every language as phones show it. */
const none = all.flatMap((say) => [say.nothingSent, loan.words(say).notTaken])
const nothingSent = new RegExp(`^END .*(${anyOf(none)})`, 's')
const unavailable = new RegExp(`^END (${anyOf(all.map(({ unavailable }) => unavailable))})$`)

describe.for(Object.entries(menus))('whatever is typed into the menu of %s', ([, menu]) => {
  function open() {
    const options = { poolLoans: 99_999, capLoans: 99_999, balanceWei: 10n ** 24n }
    const relay = openWorld({ ...options, product: menu })
    let sessions = 0
    return {
      ...relay,
      /** A session of its own, at a time when the phone may dial again. */
      begin() {
        sessions += 1
        relay.clock.forward(61_000)
        const session = `s${sessions}`
        return (answers: readonly string[]) => relay.deliver(0, session, answers.join('*'))
      },
    }
  }

  test('each delivery gets a screen that fits a handset', async () => {
    const { begin, settle } = open()
    await holds(
      fc.asyncProperty(fc.array(answer, { maxLength: 10 }), async (answers) => {
        const deliver = begin()
        for (let given = 0; given <= answers.length; given++) {
          const screen = await deliver(answers.slice(0, given))
          expect(screen).toMatch(/^(CON|END) \S/)
          expect(screen).not.toMatch(unavailable)
          expect(countSeptets(screen.slice(4)), screen).toBeLessThanOrEqual(maxSeptets)
        }
        await settle()
      }),
      runs,
    )
  })

  test('a session pays at most once, and never after a screen said that nothing was sent', async () => {
    const { begin, settle, paid } = open()
    await holds(
      fc.asyncProperty(
        fc.array(answer, { minLength: 1, maxLength: 10 }),
        fc.infiniteStream(fc.nat(10)),
        async (answers, order) => {
          const deliver = begin()
          const before = await paid(0)
          let isClosed = false
          // Each beginning of it, and then some of them again, in any order.
          const beginnings = answers.map((_, index) => index + 1)
          const again = beginnings.map(() => (order.next().value ?? 0) % (answers.length + 1))
          for (const given of [...beginnings, ...again]) {
            const known = await paid(0)
            const screen = await deliver(answers.slice(0, given))
            const now = await paid(0)
            if (isClosed) expect(now, screen).toBe(known)
            isClosed ||= nothingSent.test(screen)
            expect(now - before).toBeLessThanOrEqual(1)
            if (nothingSent.test(screen)) expect(now).toBe(before)
          }
          await settle()
        },
      ),
      runs,
    )
  })

  test('a session with too many answers ends, whatever is typed', async () => {
    const { begin, settle } = open()
    await holds(
      fc.asyncProperty(
        fc.array(answer, { minLength: maxAnswers, maxLength: maxAnswers }),
        async (answers) => {
          const deliver = begin()
          expect(await deliver(answers)).toMatch(/^END /)
          await settle()
        },
      ),
      runs,
    )
  })
})
