import fc from 'fast-check'
import { type ExpectStatic, test } from 'vitest'
import { languages } from '../../../src/account/language.ts'
import { formatAmountDown } from '../../../src/loan/amounts.ts'
import type { LoanRefusal } from '../../../src/loan/calls.ts'
import { africasTalking } from '../../../src/ussd/gateways/africas-talking.ts'
import { demonstration } from '../../../src/ussd/messages/demonstration.ts'
import { english } from '../../../src/ussd/messages/en.ts'
import { messagesIn } from '../../../src/ussd/messages/languages.ts'
import type { Messages } from '../../../src/ussd/messages/texts.ts'
import { refusedText } from '../../../src/ussd/refused.ts'
import { end, goOn } from '../../../src/ussd/screens/screen.ts'
import { screenSeptets, septetsOf } from '../../../src/ussd/screens/septets.ts'
import { holds } from '../../support/properties.ts'
import { longestWords } from './longest-words.ts'

const payments = ['transfer', 'loan', 'repayment', 'cashOut'] as const
const format = (wei: bigint) => `${formatAmountDown(wei)} tRBTC`
const wei = fc.bigInt({ min: 0n, max: 21_000_000n * 10n ** 18n })
const tx = fc.constantFrom('0x0123456789...', english.queued)

const reasons = [
  ...(['no_loan', 'no_liquidity', 'not_listed', 'loan_limit', 'principal_changed'] as const),
  ...(['invalid_recipient', 'paused', 'unknown', 'nothing_there'] as const),
]
const refusal: fc.Arbitrary<LoanRefusal> = fc.oneof(
  fc.record({ reason: fc.constantFrom(...reasons) }),
  fc.record({ reason: fc.constant('balance_too_low' as const), balanceWei: wei, neededWei: wei }),
  fc.record({
    reason: fc.constant('withdrawal_limit' as const),
    leftWei: fc.option(wei, { nil: undefined }),
  }),
  fc.record({
    reason: fc.constantFrom('existing_loan' as const, 'repayment_too_large' as const),
    owedWei: wei,
  }),
)

/** What a language says, with any values. */
const textIn = (say: Messages) =>
  fc.oneof(
    fc.constantFrom(...longestWords(say)).map(([, words]) => words),
    wei.map((amount) => say.balance(format(amount))),
    tx.map((hash) => say.transferSubmitted('0x11111111...', hash)),
    fc.tuple(wei, tx).map(([amount, hash]) => say.loanRequested(format(amount), hash)),
    fc.tuple(wei, tx).map(([amount, hash]) => say.repaymentSubmitted(format(amount), hash)),
    fc
      .tuple(wei, tx)
      .map(([amount, hash]) => say.cashOutSubmitted('0x11111111...', format(amount), hash)),
    fc
      .tuple(refusal, fc.constantFrom(...payments))
      .map(([why, payment]) => refusedText(say.refused, why, format, payment)),
    wei.map((amount) => say.tooLittle(format(amount))),
    wei.map((amount) => say.tooMuchToday(format(amount))),
    fc
      .tuple(
        fc.constantFrom(say.tooManyOpen, say.tooManyToday, say.tooManyWait),
        fc.integer({ min: 1, max: 120 }),
      )
      .map(([words, most]) => words(most)),
  )

const screenOf = (kind: typeof end, words: string, expect: ExpectStatic): string => {
  const body = africasTalking.render(kind(words))
  expect(body).toMatch(kind === end ? /^END \S/ : /^CON \S/)
  expect(body).not.toMatch(/undefined|null|NaN|\[object/)
  for (const line of body.split('\n')) expect(line).toMatch(/\S$/)
  expect(septetsOf(body.slice(4)), body).toBeLessThanOrEqual(screenSeptets)
  return body.slice(4)
}

test('each screen in English is printable ASCII without trailing spaces, and says whether it goes on', async ({
  expect,
}) => {
  // A language is named in itself.
  const text = fc
    .oneof(textIn(english), textIn(demonstration))
    .filter((words) => !/Français|Español/.test(words))
  await holds(
    fc.property(text, fc.constantFrom(goOn, end), (words, kind) => {
      const shown = screenOf(kind, words, expect)
      expect(shown).toBe(words)
      expect(shown).toMatch(/^[\x20-\x7e\n]*$/)
    }),
  )
})

test.for([...languages])(
  'each screen in %s is whole in the alphabet of phones',
  async (language, { expect }) => {
    await holds(
      fc.property(textIn(messagesIn[language]), fc.constantFrom(goOn, end), (words, kind) => {
        const shown = screenOf(kind, words, expect)
        expect(shown.length).toBe(words.length)
        expect(shown.split('?').length).toBe(words.split('?').length)
      }),
    )
  },
)
