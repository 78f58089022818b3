import type { HeldNames, ShownName } from '../account/names.ts'
import type { PinState } from '../account/pin.ts'
import type { Wallet } from '../account/wallets.ts'
import type { LoanTerms } from '../loan/calls.ts'
import type { PaymentKind } from '../loan/kinds.ts'
import type { LocalWorth, Rate } from '../loan/local-worth.ts'
import type { Taking, Takings, Withdrawal } from '../operator/kept/tills.ts'
import type { Answer } from '../relay/ledger/steps.ts'
import type { DraftRecall, KnownRecipient } from './recipient.ts'

/** Marks a fact that cannot be read now. A screen says so, since leaving it out would mislead. */
export type Unavailable = 'unavailable'

/** Lists what screens show from chain and ledger. A node gets the facts that it names. */
export type ScreenFacts = {
  debt: Debt | Unavailable
  terms: DatedLoanTerms
  /** Holds what the account may borrow at a time. */
  loanLimit: bigint
  address: string
  earlier: NonNullable<Answer<'recordEarlier'>> | 'unknown'
  failure: 'unreported' | 'none'
  /** Tells whether the account has a till. */
  till: 'own' | 'none'
  /** `isHeld`: no new PIN can be asked for while an operator holds the account. */
  pin: PinState & { isHeld?: true }
  recipients: readonly KnownRecipient[] | Unavailable
  wallets: readonly Wallet[] | Unavailable
  /** Tells the session's exchange rate; `none` if the feed has no fresh price. */
  rate: Rate | 'none'
  withdrawal: Withdrawal | Unavailable
  /** Holds what the recipient shows to payers; `none` too if that cannot be read. */
  recipientName: ShownName | 'none'
  heldNames: HeldNames | Unavailable
  /** Lists payments that may be called a mistake; empty too if they cannot be read. */
  recallable: readonly DraftRecall[]
  /** Is true if a payment could be called that, but its sender called another one that lately. */
  isRecallSpent: boolean
  registration: 'registered' | 'unregistered' | Unavailable
  activity:
    | {
        ownPayments: readonly Activity[]
        received: readonly Activity[] | Unavailable
        till?: TillDay | undefined
      }
    | Unavailable
}

export type ScreenFactName = keyof ScreenFacts

export type DatedLoanTerms = LoanTerms & { dueAt: number }

export type Debt = {
  owedWei: bigint
  dueAt: number
  isOverdue: boolean
  /** Is what a debt is worth by, if there is one. */
  rate: Rate | 'none'
}

/** Sums up a till's day, with the last payments and their codes. */
export type TillDay = Omit<Takings, 'last' | 'since' | 'waiting'> & {
  floatWei: bigint
  lastPayments: readonly TillPayment[]
}

export type TillPayment = Pick<
  Taking,
  'amountWei' | 'agreed' | 'state' | 'assuredAt' | 'reference' | 'isCash' | 'paidOut'
> & {
  /** Is empty of cash that is not paid out. */
  code: string
}

/** Describes a payment from or to an account; `all` is the whole balance or debt. */
export type Activity = {
  kind: PaymentKind | 'received'
  amountWei: bigint | 'all'
  agreed?: LocalWorth | null | undefined
  /** Names the other party by a shortened number, else by a shortened address. */
  counterparty?: string
  state: ActivityState
  /** Holds the payment's receipt number, where it is known which payment it was. */
  receipt?: string | undefined
  /** Tells when it was accepted (Unix time in ms), where that is known. */
  at?: number | undefined
}

export type ActivityState =
  /** Of cash at an agent, `done` is `given` or `due`. */
  | { kind: 'arriving' | 'done' | 'given' | 'due' }
  /** It was held back for its sender, and did not come back. */
  | { kind: 'kept' }
  /** It is held back for its sender until then (Unix time in ms). */
  | { kind: 'held'; until: number }
  /** `reason` is the contract's; empty if the payment expired. */
  | { kind: 'failed'; reason: string }
