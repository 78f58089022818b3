import type { LoanTerms } from '../loan/calls.ts'
import type { PaymentKind } from '../loan/kinds.ts'
import type { KnownRecipient } from './recipient.ts'

/** It cannot be read now: a screen says so, since silence would say something else. */
export type Unread = 'unread'

/**
 * What the chain and the ledger say for a screen. It changes no screen's place in the flow. None of it can be
 * absent: a place has all that it names.
 */
export type Facts = {
  debt: Debt | Unread
  terms: ShownTerms
  /** Of the account, with its checksum. */
  address: string
  /** How long ago an equal transfer was accepted, in minutes. */
  earlierMinutes: number
  /** The caller has not been told yet that a payment has failed. What cannot be read now is told later. */
  failure: 'untold' | 'none'
  /** Whom the caller sent to last; each by its digit, from 1 on. */
  recipients: readonly KnownRecipient[] | Unread
  /** What the amount is worth, in the operator's local currency; `none` where no feed tells. */
  worth: { text: string } | 'none'
  /** `unregistered`: the recipient's number never dialled here, and has nothing. */
  registration: 'registered' | 'unregistered' | Unread
  /** What moved money of the account, the newest first. */
  activity: { own: readonly Activity[]; received: readonly Activity[] | Unread } | Unread
}

/** What is read for a place. */
export type FactName = keyof Facts

/** What a loan would be, and until when it would be owed (Unix time in s). */
export type ShownTerms = LoanTerms & { dueAt: number }

/** What is owed, in wei, and until when (Unix time in s). */
export type Debt = { owedWei: bigint; dueAt: number }

/** Something that moved money of an account, or was to. `amountWei` may be all that there was, or was owed. */
export type Activity = {
  kind: PaymentKind | 'received'
  amountWei: bigint | 'all'
  /** The other one, in short: as a number where one was typed, else as an address. */
  who?: string
  state: ActivityState
}

export type ActivityState =
  /** No block has it, or not for long enough. */
  | { kind: 'under_way' }
  | { kind: 'done' }
  /** Nothing was moved, and nothing will be. In the words of the chain's refusal; empty where it came too late. */
  | { kind: 'failed'; reason: string }
