import type { PhoneNumber } from '../../../src/account/phone.ts'
import type { AmountFault } from '../../../src/loan/amounts.ts'
import type { LoanRefusal } from '../../../src/loan/calls.ts'
import type { Messages } from '../../../src/ussd/messages/texts.ts'
import type { RecipientFault } from '../../../src/ussd/recipient.ts'

const amount = '20999999.123456 tRBTC'
const recipient = '0x12345678...123456'
const date = '30 Sep 2026'
const tx = '0x0123456789...'
const phone = '+999700000000001' as PhoneNumber
const wei = 20_999_999_123_456_789_012_345_678n

const amountFaults: Readonly<Record<AmountFault, true>> = {
  ...{ not_a_number: true, zero: true, too_fine: true, too_large: true },
}

const recipientFaults: Readonly<Record<RecipientFault, true>> = {
  ...{ unknown_form: true, bad_checksum: true, own_number: true, zero_address: true },
  contract: true,
}

const payments = ['transfer', 'loan', 'repayment', 'cashOut'] as const

const refusals: Readonly<Record<LoanRefusal['reason'], LoanRefusal>> = {
  balance_too_low: { reason: 'balance_too_low', balanceWei: wei, neededWei: wei },
  existing_loan: { reason: 'existing_loan', owedWei: wei },
  no_loan: { reason: 'no_loan' },
  repayment_too_large: { reason: 'repayment_too_large', owedWei: wei },
  no_liquidity: { reason: 'no_liquidity' },
  not_listed: { reason: 'not_listed' },
  loan_limit: { reason: 'loan_limit' },
  principal_changed: { reason: 'principal_changed' },
  invalid_recipient: { reason: 'invalid_recipient' },
  paused: { reason: 'paused' },
  withdrawal_limit: { reason: 'withdrawal_limit', leftWei: wei },
  nothing_there: { reason: 'nothing_there' },
  unknown: { reason: 'unknown' },
}

/** Each function of a language, called with values as long as they come. One that is forgotten does not compile. */
const calls: {
  [Key in keyof Messages as Messages[Key] extends (...args: never[]) => string ? Key : never]: (
    words: Messages[Key],
  ) => string[]
} = {
  mainTitle: (words) => [words(phone)],
  enterAmount: (words) => [words(recipient)],
  confirmPhone: (words) => [words(amount, recipient)],
  confirmAddress: (words) => [words(amount, recipient)],
  repeated: (words) => [words(amount, recipient, 10)],
  loanTerms: (words) => [words(amount, date)],
  debt: (words) => [words(amount, date)],
  confirmCashOut: (words) => [words(amount, recipient)],
  receive: (words) => [words('+999 700 000 000 001', `0x${'1'.repeat(40)}`)],
  claimed: (words) =>
    [
      { kind: 'sent', amount, tx } as const,
      { kind: 'unknown' } as const,
      { kind: 'under_way' } as const,
      { kind: 'too_little', there: '0.000001 tRBTC', fee: '0.000080 tRBTC' } as const,
      { kind: 'nothing', last: undefined } as const,
      { kind: 'nothing', last: amount } as const,
    ].map(words),
  // Its lines go to pages: menu-lint has them all.
  activity: (words) => [words(undefined, () => amount)],
  date: (words) => [words(1_798_000_000)],
  help: (words) => [words('+254 700 000 000 099')],
  balance: (words) => [words(amount)],
  transferSubmitted: (words) => [words('0x12345678...', tx)],
  loanRequested: (words) => [words(amount, tx)],
  cashOutSubmitted: (words) => [words('0x12345678...', amount, tx)],
  repaymentSubmitted: (words) => [words(amount, tx), words('all', tx)],
  failed: (words) => payments.map(words),
  badAmount: (words) => (Object.keys(amountFaults) as AmountFault[]).map(words),
  tooLittle: (words) => [words(amount)],
  refused: (words) =>
    payments.flatMap((payment) =>
      Object.values(refusals).map((refusal) => words(refusal, () => amount, payment)),
    ),
  askAgain: () => [],
  badRecipient: (words) => (Object.keys(recipientFaults) as RecipientFault[]).map(words),
  tooManyOpen: (words) => [words(16)],
  tooManyToday: (words) => [words(1_000)],
  tooMuchToday: (words) => [words(amount)],
  tooManyWait: (words) => [words(1_000)],
}

/** Everything that a language can say, by its key, with the longest values. */
export function longestWords(say: Messages): [key: string, words: string][] {
  return Object.entries(say).flatMap(([key, words]): [string, string][] => {
    if (typeof words === 'string') return [[key, words]]
    if (typeof words === 'object') return Object.values(words).map((label) => [key, label])
    const call = calls[key as keyof typeof calls] as (words: unknown) => string[]
    return call(words).map((text) => [key, text])
  })
}
