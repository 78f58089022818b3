import type { PhoneNumber } from '../../account/phone.ts'
import type { AmountFault } from '../../loan/amounts.ts'
import type { LoanRefusal } from '../../loan/calls.ts'
import type { Intent } from '../intent.ts'
import type { RecipientFault } from '../recipient.ts'

/** Everything that a screen can say, in one language. Amounts come formatted, with their currency. */
export type Messages = {
  /** The first line of the main menu. */
  mainTitle: (phone: PhoneNumber) => string
  enterRecipient: string
  enterAmount: string
  repayTitle: string
  /** What the lines of lists say, without their digits. */
  labels: Labels
  more: string
  back: string

  balance: (amount: string) => string
  /** `to` and `tx` are short forms already. */
  transferSubmitted: (to: string, tx: string) => string
  loanRequested: (amount: string, tx: string) => string
  repaymentSubmitted: (amount: string | 'all', tx: string) => string
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

/** The lines of lists, whichever list they are in. */
export type Labels = Readonly<Record<LabelName, string>>

type LabelName = 'balance' | 'send' | 'borrow' | 'repay' | 'all' | 'part'

/** An address as a screen shows it: its first 10 characters. */
export const shortAddress = (address: string): string => `${address.slice(0, 10)}...`
