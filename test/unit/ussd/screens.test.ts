import fc from 'fast-check'
import { test } from 'vitest'
import { parseCaller } from '../../../src/account/phone.ts'
import { formatAmountDown } from '../../../src/loan/amounts.ts'
import type { LoanRefusal } from '../../../src/loan/calls.ts'
import { africasTalking } from '../../../src/ussd/gateways/africas-talking.ts'
import { demonstration } from '../../../src/ussd/messages/demonstration.ts'
import { english } from '../../../src/ussd/messages/en.ts'
import { end, goOn } from '../../../src/ussd/screen.ts'
import { holds } from '../../support/properties.ts'
import { longestWords } from './longest-words.ts'

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

const payments = ['transfer', 'loan', 'repayment', 'cashOut'] as const

const caller = parseCaller('+254700000001')
if (caller === undefined) throw new Error('the fixture is no phone number')

const text = fc.oneof(
  fc.constantFrom(...Object.values(english).filter((words) => typeof words === 'string')),
  fc
    .constantFrom(...longestWords(english), ...longestWords(demonstration))
    .map(([, words]) => words),
  fc.constant(english.mainTitle(caller)),
  wei.map((amount) => english.balance(format(amount))),
  tx.map((hash) => english.transferSubmitted('0x11111111...', hash)),
  fc.tuple(wei, tx).map(([amount, hash]) => english.loanRequested(format(amount), hash)),
  fc.tuple(wei, tx).map(([amount, hash]) => english.repaymentSubmitted(format(amount), hash)),
  fc
    .tuple(wei, tx)
    .map(([amount, hash]) => english.cashOutSubmitted('0x11111111...', format(amount), hash)),
  fc.constantFrom(...payments).map(english.failed),
  fc
    .tuple(refusal, fc.constantFrom(...payments))
    .map(([why, payment]) => english.refused(why, format, payment)),
  wei.map((amount) => english.tooLittle(format(amount))),
  wei.map((amount) => english.tooMuchToday(format(amount))),
  fc
    .tuple(
      fc.constantFrom(english.tooManyOpen, english.tooManyToday, english.tooManyWait),
      fc.integer({ min: 1, max: 120 }),
    )
    .map(([words, most]) => words(most)),
  fc
    .constantFrom(
      'not_a_number' as const,
      'zero' as const,
      'too_fine' as const,
      'too_large' as const,
    )
    .map(english.badAmount),
)

test('each screen is printable ASCII without trailing spaces, and says whether it goes on', async ({
  expect,
}) => {
  await holds(
    fc.property(text, fc.constantFrom(goOn, end), (words, kind) => {
      const body = africasTalking.render(kind(words))
      expect(body).toMatch(kind === end ? /^END \S/ : /^CON \S/)
      expect(body.slice(4)).toBe(words)
      for (const line of body.split('\n')) expect(line).toMatch(/^[\x20-\x7e]*[\x21-\x7e]$/)
      expect(body).not.toMatch(/undefined|null|NaN|\[object/)
    }),
  )
})
