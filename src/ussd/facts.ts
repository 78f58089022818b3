import type { PinState } from '../account/pin.ts'
import type { Wallet } from '../account/wallets.ts'
import type { LoanTerms } from '../loan/calls.ts'
import type { PaymentKind } from '../loan/kinds.ts'
import type { Rate } from '../loan/local-worth.ts'
import type { Taking } from '../relay/ledger/port.ts'
import type { KnownRecipient } from './recipient.ts'

/** Stands where a fact cannot be read now: silence would say something else. */
export type Unread = 'unread'

/** Holds what chain and ledger say for a screen. A place has all that it names. */
export type Facts = {
  debt: Debt | Unread
  terms: ShownTerms
  address: string
  earlierMinutes: number
  failure: 'untold' | 'none'
  pin: PinState
  recipients: readonly KnownRecipient[] | Unread
  wallets: readonly Wallet[] | Unread
  /** Gives the rate that a session goes by; `none` where no feed tells a fresh one. */
  rate: Rate | 'none'
  registration: 'registered' | 'unregistered' | Unread
  activity:
    | {
        own: readonly Activity[]
        received: readonly Activity[] | Unread
        till?: TillDay | undefined
      }
    | Unread
}

export type FactName = keyof Facts

export type ShownTerms = LoanTerms & { dueAt: number }

export type Debt = { owedWei: bigint; dueAt: number; isOverdue: boolean }

/** Tells an agent of the day (UTC), and of what came last, by the codes that callers have. */
export type TillDay = {
  inWei: bigint
  outWei: bigint
  floatWei: bigint
  last: readonly Took[]
}

export type Took = Pick<Taking, 'amountWei' | 'state' | 'reference'> & { code: string }

/** Tells of what moved money of an account, or was to; `all` that there was, or was owed. */
export type Activity = {
  kind: PaymentKind | 'received'
  amountWei: bigint | 'all'
  /** Names the other one in short: as a number where one was typed, else as an address. */
  who?: string
  state: ActivityState
}

export type ActivityState =
  | { kind: 'under_way' }
  | { kind: 'done' }
  /** Gives the chain's refusal; empty where it came too late. */
  | { kind: 'failed'; reason: string }
