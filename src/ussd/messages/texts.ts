import type { Language } from '../../account/language.ts'
import type { PhoneNumber } from '../../account/phone.ts'
import type { AmountFault } from '../../loan/amounts.ts'
import type { LoanRefusal } from '../../loan/calls.ts'
import type { RecipientFault } from '../recipient.ts'

/** A language, or the demonstration's own words. */
type Wording = Language | 'demo'

/** What one thing says in each wording: the demonstration says it in English where it has no words of its own. */
export const inEach =
  <Words extends object>(
    words: Readonly<Record<Language, Words>> & { readonly demo?: Partial<Words> },
  ) =>
  ({ wording }: Pick<Messages, 'wording'>): Words =>
    wording === 'demo' ? { ...words.en, ...words.demo } : words[wording]

/**
 * Everything that a screen can say in one language, but for what an entry of the menu says of its own. Amounts come
 * formatted, with their currency.
 */
export type Messages = {
  wording: Wording
  /** The first line of the main menu. */
  mainTitle: (phone: PhoneNumber) => string
  /** `to` is the recipient as it is shown before a payment. */
  enterAmount: (to: string) => string
  /** What the line says that sends it again. */
  sendAgain: string
  /** What the line of `0` says where it leads back to an amount. */
  change: string
  /** The same was sent a moment ago. */
  repeated: (amount: string | 'all', to: string, minutes: number) => string
  /** A day (Unix time in s, UTC). */
  date: (time: number) => string
  /** Above the main menu. */
  hasFailed: string
  /** Of a payment that has failed, in such a message. */
  nothingMoved: string
  pin: PinWords
  languageChosen: string
  more: string
  back: string

  /** Instead of a hash. */
  queued: string

  unknownChoice: string
  /** Why a question is asked again, with how to go on. */
  askAgain: (why: string) => string
  badRecipient: Readonly<Record<RecipientFault, string>>
  badAmount: Readonly<Record<AmountFault, string>>
  tooLittle: (least: string) => string
  tooManyMistakes: string
  tooLong: string
  sessionEnded: string
  /** The same of one that has paid nothing. */
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
  /** So far, and it may still be sent. */
  unsent: string
  uncertain: string
  unavailable: string
  unlistedNumber: string
  outOfService: string
}

/** What the chain, or what is left for all, refuses. Amounts come formatted. */
export type RefusalWords = {
  [Reason in Exclude<LoanRefusal['reason'], 'withdrawal_limit'>]: Extract<
    LoanRefusal,
    { reason: Reason }
  > extends { owedWei: bigint } | { balanceWei: bigint }
    ? (amount: string) => string
    : string
} & {
  /** What is owed is more than the balance. */
  owesMore: (owed: string, balance: string) => string
  /** How much may leave now, where that is known. */
  withdrawal_limit: (left: string | undefined) => string
}

export type PinWords = {
  choose: string
  again: string
  /** Asks for the caller's own: to see what is the account's, or to change it. */
  enter: Readonly<Record<'see' | 'change', string>>
  form: string
  /** Easy to guess. */
  easy: string
  differs: string
  wrong: (left: number) => string
  locked: Readonly<Record<'blocked' | 'unset' | 'dormant', string>>
  /** One is set now; another session was faster. */
  chosen: string
  kept: string
  forgotten: string
  /** From when on another may be chosen is a day away. */
  requested: string
}

/** The languages in their own words, which are the same in all. */
export const languageLabels: Readonly<Record<Language, string>> = {
  en: 'English',
  sw: 'Kiswahili',
  fr: 'Français',
  es: 'Español',
}

/** An address before a payment to it: its first 10 and last 6 characters. */
export const longAddress = (address: string): string =>
  `${address.slice(0, 10)}...${address.slice(-6)}`

/** An address as a screen shows it: its first 10 characters. */
export const shortAddress = (address: string): string => `${address.slice(0, 10)}...`

/** A day (Unix time in s, UTC) with the names of months, from January on. */
export const dateWith =
  (months: string) =>
  (time: number): string => {
    const day = new Date(time * 1_000)
    return `${day.getUTCDate()} ${months.split(' ')[day.getUTCMonth()]} ${day.getUTCFullYear()}`
  }
