import type { PhoneNumber } from '../../account/phone.ts'
import type { AmountFault } from '../../loan/amounts.ts'
import type { LoanRefusal } from '../../loan/calls.ts'
import type { Facts } from '../facts.ts'
import type { Intent } from '../intent.ts'
import type { RecipientFault } from '../recipient.ts'

/** Everything that a screen can say, in one language. Amounts come formatted, with their currency. */
export type Messages = {
  /** The first line of the main menu. */
  mainTitle: (phone: PhoneNumber) => string
  enterRecipient: string
  /** `to` is the recipient as it is shown before a payment. */
  enterAmount: (to: string) => string
  enterRepayment: string
  /** What a transfer will do, to a phone number and to an address; `all` is the whole balance. */
  confirmPhone: (amount: string | 'all', to: string) => string
  confirmAddress: (amount: string | 'all', to: string) => string
  enterWallet: string
  /** A phone number was typed for a wallet. */
  noWallet: string
  confirmCashOut: (amount: string | 'all', to: string) => string
  /** Where money for the account can be sent to: its number, and its address for deposits. */
  receive: (phone: string, address: string) => string
  /** What came of bringing a deposit in, besides what payments are refused with. */
  claimed: (claim: ClaimWords) => string
  /** The same was sent a moment ago. */
  repeated: (amount: string | 'all', to: string, minutes: number) => string
  loanTerms: (amount: string, date: string) => string
  /** What is owed, and until when. */
  debt: (amount: string, date: string) => string
  noLoan: string
  /** A day (Unix time in s, UTC). */
  date: (time: number) => string
  help: (number: string) => string
  /** Above the main menu. */
  lastFailed: string
  /** A line for each, below a title. Undefined: it cannot be read. */
  activity: (activity: Facts['activity'], format: (wei: bigint) => string) => string
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
  failed: (payment: Intent['kind']) => string

  unknownChoice: string
  /** Why a question is asked again, with how to go on. */
  askAgain: (why: string) => string
  badRecipient: (fault: RecipientFault) => string
  badAmount: (fault: AmountFault) => string
  tooLittle: (least: string) => string
  tooManyMistakes: string
  tooLong: string
  sessionEnded: string
  /** The same of one that has paid nothing. */
  sessionClosed: string

  refused: (
    refusal: LoanRefusal,
    format: (wei: bigint) => string,
    payment: Intent['kind'],
  ) => string
  nothingWasSent: string
  tooManyDials: string
  tooManyOpen: (most: number) => string
  tooManyToday: (most: number) => string
  tooMuchToday: (left: string) => string
  tooManyWait: (minutes: number) => string
  feesTooHigh: string
  cannotPayFees: string
  paused: string
  uncertain: string
  unavailable: string
  outOfService: string
}

/** A deposit that was asked for. Amounts come formatted, with their currency. */
export type ClaimWords =
  | { kind: 'sent'; amount: string; tx: string }
  /** It is not known whether a node has it. */
  | { kind: 'unknown' }
  | { kind: 'under_way' }
  /** Less than the network's fee is there. */
  | { kind: 'too_little'; there: string; fee: string }
  | { kind: 'nothing'; last: string | undefined }

/** The lines of lists, whichever list they are in. */
export type Labels = Readonly<Record<LabelName, string>>

export type LabelName =
  | ('balance' | 'send' | 'borrow' | 'repay' | 'activity' | 'help' | 'all' | 'part')
  | ('receive' | 'claim' | 'cashOut' | 'cashOutNow')
  | ('confirmSend' | 'credit' | 'change' | 'sendAgain' | 'agree')

/** An address before a payment to it: its first 10 and last 6 characters. */
export const longAddress = (address: string): string =>
  `${address.slice(0, 10)}...${address.slice(-6)}`

/** An address as a screen shows it: its first 10 characters. */
export const shortAddress = (address: string): string => `${address.slice(0, 10)}...`
