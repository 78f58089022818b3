import type { PhoneNumber } from '../../../src/account/phone.ts'
import type { Messages } from '../../../src/ussd/messages/texts.ts'

const amount = '20999999.123456 tRBTC'
const recipient = '0x12345678...123456'
const shortRecipient = '0x12345678...'
const date = '30 Sep 2026'
const tx = '0x0123456789...'
const phone = '+999700000000001' as PhoneNumber
/** What of a language is to be called: it is no text, and holds more than texts. */
type IsCalled<Words> = Words extends string
  ? false
  : Words extends (...args: never[]) => string
    ? true
    : Words[keyof Words] extends string
      ? false
      : true

type Calls<Words> = {
  [Key in keyof Words as IsCalled<Words[Key]> extends true ? Key : never]: Words[Key] extends (
    ...args: never[]
  ) => string
    ? (words: Words[Key]) => string[]
    : Calls<Words[Key]>
}

/** Each function of a language, called with values as long as they come. One that is forgotten does not compile. */
const calls: Calls<Messages> = {
  mainTitle: (words) => [words(phone)],
  enterAmount: (words) => [words(recipient)],
  sending: (words) => [words(amount), words('all')],
  about: (words) => [words('KES 999999999999')],
  sendingTo: (words) => [words(recipient)],
  repeated: (words) => [words(amount, recipient, 10)],
  loanTerms: (words) => [words(amount, amount, date)],
  debt: (words) => [words(amount, date)],
  confirmCashOut: (words) => [words(amount, recipient)],
  receive: (words) => [words('+999 700 000 000 001', `0x${'1'.repeat(40)}`)],
  claimed: {
    sent: (words) => [words(amount, tx)],
    tooLittle: (words) => [words('0.000001 tRBTC', '0.000080 tRBTC')],
    nothingSince: (words) => [words(amount)],
  },
  activity: {
    lines: {
      transfer: (words) => [words(amount, shortRecipient)],
      received: (words) => [words(amount, shortRecipient)],
      loan: (words) => [words(amount, '')],
      repayment: (words) => [words(amount, '')],
      cashOut: (words) => [words(amount, shortRecipient)],
    },
    failed: (words) => [words(date)],
  },
  pin: { wrong: (words) => [words(2)] },
  credited: {
    transfer: (words) => [words(amount, shortRecipient)],
    received: (words) => [words(amount, shortRecipient)],
    loan: (words) => [words(amount, '')],
  },
  date: (words) => [words(1_798_000_000)],
  help: (words) => [words('+254 700 000 000 099')],
  balance: (words) => [words(amount)],
  transferSubmitted: (words) => [words('0x12345678...', tx)],
  loanRequested: (words) => [words(amount, tx)],
  cashOutSubmitted: (words) => [words('0x12345678...', amount, tx)],
  repaymentSubmitted: (words) => [words(amount, tx), words('all', tx)],
  tooLittle: (words) => [words(amount)],
  refused: {
    balance_too_low: (words) => [words(amount)],
    owesMore: (words) => [words(amount, amount)],
    existing_loan: (words) => [words(amount)],
    repayment_too_large: (words) => [words(amount)],
    withdrawal_limit: (words) => [words(amount), words(undefined)],
  },
  askAgain: () => [],
  tooManyOpen: (words) => [words(16)],
  tooManyToday: (words) => [words(1_000)],
  tooMuchToday: (words) => [words(amount)],
  tooManyWait: (words) => [words(1_000)],
}

/** Everything that a language can say, by its key, with the longest values. */
export function longestWords(say: Messages): [key: string, words: string][] {
  return wordsIn(say, calls)
}

function wordsIn(say: object, calls: object): [key: string, words: string][] {
  return Object.entries(say).flatMap(([key, words]): [string, string][] => {
    if (typeof words === 'string') return [[key, words]]
    const call = (calls as Record<string, unknown>)[key]
    if (typeof words === 'function') {
      const texts = (call as (words: unknown) => string[])(words)
      return texts.map((text) => [key, text])
    }
    return wordsIn(words, (call ?? {}) as object).map(([inner, text]) => [`${key}.${inner}`, text])
  })
}
