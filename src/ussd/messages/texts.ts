import type { Language } from '../../account/language.ts'
import type { PhoneNumber } from '../../account/phone.ts'
import type { AmountFault } from '../../loan/amounts.ts'
import type { LoanRefusal } from '../../loan/calls.ts'
import type { KindsWith, PaymentKind } from '../../loan/kinds.ts'
import type { Activity, Facts } from '../facts.ts'
import type { RecipientFault } from '../recipient.ts'

/** Everything that a screen can say, in one language. Amounts come formatted, with their currency. */
export type Messages = {
  /** The first line of the main menu. */
  mainTitle: (phone: PhoneNumber) => string
  enterRecipient: string
  /** The same below those whom the caller sent to last. */
  orRecipient: string
  /** `to` is the recipient as it is shown before a payment. */
  enterAmount: (to: string) => string
  enterRepayment: string
  /** The lines of a transfer before it is made; `all` is the whole balance. */
  sending: (amount: string | 'all') => string
  /** What an amount is worth in the caller's own money, which comes formatted. */
  about: (worth: string) => string
  sendingTo: (to: string) => string
  /** The number never dialled here, and has nothing; or whether it did is not known now. */
  unregistered: Readonly<Record<Exclude<Facts['registration'], 'registered'>, string>>
  noFee: string
  creditsAccount: string
  enterWallet: string
  /** A phone number was typed for a wallet. */
  noWallet: string
  confirmCashOut: (amount: string | 'all', to: string) => string
  /** Where money for the account can be sent to: its number, and its address for deposits. */
  receive: (phone: string, address: string) => string
  claimed: ClaimWords
  /** The same was sent a moment ago. */
  repeated: (amount: string | 'all', to: string, minutes: number) => string
  loanTerms: (amount: string, owed: string, date: string) => string
  /** What is owed, and until when. */
  debt: (amount: string, date: string) => string
  noLoan: string
  /** A day (Unix time in s, UTC). */
  date: (time: number) => string
  help: (number: string) => string
  /** Above the main menu. */
  hasFailed: string
  /** What cannot be read now; `note`: behind a line of a list. */
  unread: Readonly<Record<'note' | 'debt' | 'recipients', string>>
  activity: ActivityWords
  /** What came into an account, in a message to a phone. Amounts come formatted. */
  credited: Readonly<
    Record<KindsWith<'isCredit', true> | 'received', (amount: string, who: string) => string>
  >
  /** Of a payment that has failed, in such a message. */
  nothingMoved: string
  /** The language was chosen. */
  pin: PinWords
  languageChosen: string
  /** What the lines of lists say, without their digits. */
  labels: Labels
  more: string
  back: string

  balance: (amount: string) => string
  /** `to` and `tx` are short forms already. */
  transferSubmitted: (to: string, tx: string) => string
  loanRequested: (amount: string, tx: string) => string
  repaymentSubmitted: (amount: string | 'all', tx: string) => string
  cashOutSubmitted: (to: string, amount: string, tx: string) => string
  queued: string
  /** What was submitted has failed. */
  failed: Readonly<Record<PaymentKind, string>>

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

/** What came of bringing a deposit in, besides what payments are refused with. Amounts come formatted. */
export type ClaimWords = {
  sent: (amount: string, tx: string) => string
  /** It is not known whether a node has it. */
  unknown: string
  underWay: string
  /** Less than the network's fee is there. */
  tooLittle: (there: string, fee: string) => string
  nothing: string
  /** Nothing since this much. */
  nothingSince: (last: string) => string
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

/** Money that moved, or was to: a line each, below a title. Amounts come formatted. */
export type ActivityWords = {
  unavailable: string
  nothing: string
  receivedUnknown: string
  /** Instead of an amount. */
  allOwed: string
  lines: Readonly<Record<Activity['kind'], (amount: string, who: string) => string>>
  underWay: string
  done: string
  failed: (why: string) => string
  /** Why something has failed. */
  reasons: Readonly<Record<LoanRefusal['reason'] | 'too_late', string>>
}

/** What a PIN is asked for. */
export type PinPurpose = 'send' | 'cashOut' | 'agree' | 'repay' | 'see' | 'change'

export type PinWords = {
  choose: string
  again: string
  enter: Readonly<Record<PinPurpose, string>>
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

/** The lines of lists, whichever list they are in. */
export type Labels = Readonly<Record<LabelName, string>>

export type LabelName =
  | ('balance' | 'send' | 'borrow' | 'repay' | 'activity' | 'help' | 'all' | 'part')
  | ('receive' | 'claim' | 'cashOut' | 'cashOutNow' | 'settings' | 'language')
  | ('changePin' | 'forgotPin' | 'newPin')
  | ('confirmSend' | 'credit' | 'change' | 'sendAgain' | 'agree')
  | Language

/** The languages in their own words, which are the same in all. */
export const languageLabels: Readonly<Record<Language, string>> = {
  ...{ en: 'English', sw: 'Kiswahili', fr: 'Français', es: 'Español' },
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
