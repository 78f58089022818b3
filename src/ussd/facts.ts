import type { KnownRecipient } from './recipient.ts'

/** What the chain and the ledger say for a screen. It changes no screen's place in the flow. */
export type Facts = {
  debt?: Debt
  terms?: LoanTerms
  /** Of the account, with its checksum. */
  address?: string
  /** How long ago an equal transfer was accepted, in minutes. */
  earlierMinutes?: number
  /** The caller has not been told yet that the last payment has failed. */
  hasFailed?: true
  /** Whom the caller sent to last; each by its digit, from 1 on. */
  recipients?: readonly KnownRecipient[]
  /** What the amount is worth, in the operator's local currency. */
  worth?: string
  /** The recipient's number never dialled here, and has nothing. */
  isUnregistered?: true
  /** What moved money of the account, the newest first. `received` is undefined where it cannot be read. */
  activity?: { own: readonly Activity[]; received: readonly Activity[] | undefined }
}

/** What is read for a place. */
export type FactName =
  | ('debt' | 'terms' | 'failure' | 'activity' | 'address')
  | ('worth' | 'registration' | 'recipients')

/** What a loan would be, in wei, and until when it would be owed (Unix time in s). */
export type LoanTerms = { principalWei: bigint; dueAt: number }

/** What is owed, in wei, and until when (Unix time in s). */
export type Debt = { owedWei: bigint; dueAt: number }

/** Something that moved money of an account, or was to. `amountWei` may be all that there was, or was owed. */
export type Activity = {
  kind: 'sent' | 'received' | 'borrowed' | 'repaid' | 'cashed_out'
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
