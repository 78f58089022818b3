import type { Language } from '../../account/language.ts'
import type { PhoneNumber } from '../../account/phone.ts'
import type { AmountFault } from '../../loan/amounts.ts'
import type { LoanRefusal } from '../../loan/calls.ts'
import type { RecipientFault } from '../recipient.ts'

type Wording = Language | 'demo'

/** Words one thing in each language, and for the demonstration where that differs. */
export const inEach =
  <Words extends object>(
    words: Readonly<Record<Language, Words>> & { readonly demo?: Partial<Words> },
  ) =>
  ({ wording }: Pick<Messages, 'wording'>): Words =>
    wording === 'demo' ? { ...words.en, ...words.demo } : words[wording]

/** Says what screens can in one language. Amounts come formatted. */
export type Messages = {
  wording: Wording
  mainTitle: (phone: PhoneNumber) => string
  enterAmount: (to: string) => string
  sendAgain: string
  /** Leads back to an amount. */
  change: string
  repeated: (amount: string | 'all', to: string, minutes: number) => string
  /** Writes a day (Unix time in s, UTC). */
  date: (time: number) => string
  hasFailed: string
  nothingMoved: string
  pin: PinWords
  languageChosen: string
  more: string
  back: string

  queued: string

  unknownChoice: string
  /** Says why a question is asked again, with how to go on. */
  askAgain: (why: string) => string
  badRecipient: Readonly<Record<RecipientFault, string>>
  badAmount: Readonly<Record<AmountFault, string>>
  tooLittle: (least: string) => string
  tooManyMistakes: string
  tooLong: string
  sessionEnded: string
  /** Says the same of a session that has paid nothing. */
  sessionClosed: string

  refused: RefusalWords
  nothingWasSent: string
  tooManyDials: string
  tooManyOpen: (most: number) => string
  tooManyToday: (most: number) => string
  tooMuchToday: (left: string) => string
  tooManyWait: (minutes: number) => string
  feesTooHigh: string
  cannotPayFees: string
  paused: string
  unsent: string
  uncertain: string
  unavailable: string
  unlistedNumber: string
  outOfService: string
}

export type RefusalWords = {
  [Reason in Exclude<LoanRefusal['reason'], 'withdrawal_limit'>]: Extract<
    LoanRefusal,
    { reason: Reason }
  > extends { owedWei: bigint } | { balanceWei: bigint }
    ? (amount: string) => string
    : string
} & {
  owesMore: (owed: string, balance: string) => string
  withdrawal_limit: (left: string | undefined) => string
}

export type PinWords = {
  choose: string
  again: string
  /** Asks for the caller's own: to see what is the account's, or to change it. */
  enter: Readonly<Record<'see' | 'change', string>>
  form: string
  easy: string
  differs: string
  wrong: (left: number) => string
  locked: Readonly<Record<'blocked' | 'unset' | 'dormant', string>>
  chosen: string
  kept: string
  forgotten: string
  requested: string
}

export const languageLabels: Readonly<Record<Language, string>> = {
  en: 'English',
  sw: 'Kiswahili',
  fr: 'Français',
  es: 'Español',
}

/** Shows the first 10 and last 6 characters of an address. */
export const longAddress = (address: string): string =>
  `${address.slice(0, 10)}...${address.slice(-6)}`

/** Shows the first 10 characters of an address. */
export const shortAddress = (address: string): string => `${address.slice(0, 10)}...`

/** Writes a day (Unix time in s, UTC) with the names of months, from January on. */
export const dateWith =
  (months: string) =>
  (time: number): string => {
    const day = new Date(time * 1_000)
    return `${day.getUTCDate()} ${months.split(' ')[day.getUTCMonth()]} ${day.getUTCFullYear()}`
  }
