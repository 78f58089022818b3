import type { PhoneNumber } from '../../../src/account/phone.ts'
import { menuParts } from '../../../src/ussd/menu/entries.ts'
import type { Messages } from '../../../src/ussd/messages/en.ts'

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
  repeated: (words) => [words(amount, recipient, 10)],
  pin: { wrong: (words) => [words(2)] },
  date: (words) => [words(1_798_000_000)],
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

type Called = (...args: string[]) => string

/** What an entry of the menu says of its own, as long as it comes: mostly of an amount, to whom, and a hash. */
const ownCalls: Record<string, (words: Called) => string[]> = {
  about: (words) => [words('KES 999999999999')],
  confirmCashOut: (words) => [words(amount, recipient), words('all', recipient)],
  credited: (words) => [words(amount, shortRecipient)],
  debt: (words) => [words(amount, date)],
  failed: (words) => [words(date)],
  help: (words) => [words('+254 700 000 000 099')],
  line: (words) => [words(amount, shortRecipient)],
  receive: (words) => [words('+999 700 000 000 001', `0x${'1'.repeat(40)}`)],
  received: (words) => [words(amount, shortRecipient)],
  sendingTo: (words) => [words(recipient)],
  submitted: (words) => [words(amount, shortRecipient, tx), words('all', shortRecipient, tx)],
  terms: (words) => [words(amount, amount, date)],
  tooLittle: (words) => [words('0.000001 tRBTC', '0.000080 tRBTC')],
}
const ownCall = (key: string) =>
  ownCalls[key] ?? ((words: Called) => [words(amount, tx), words('all', tx)])

/** Everything that a language can say, by its key, with the longest values. */
export function longestWords(say: Messages): [key: string, words: string][] {
  const own = menuParts.flatMap(({ words }) => Object.entries(words(say)))
  return [...wordsIn(say, calls), ...own.flatMap(([key, words]) => ownWordsIn(key, words))]
}

function ownWordsIn(key: string, words: unknown): [key: string, words: string][] {
  if (typeof words === 'string') return [[key, words]]
  if (typeof words === 'function') {
    return ownCall(key)(words as Called).map((text) => [key, text])
  }
  return Object.entries(words as object).flatMap(([inner, each]) => ownWordsIn(inner, each))
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
