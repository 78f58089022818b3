import type { Address, Hex } from 'viem'
import type { LoanCall } from '../../loan/calls.ts'
import type { PaymentKind } from '../../loan/kinds.ts'
import type { LocalWorth } from '../../loan/local-worth.ts'
import type { SignedRequest } from '../forwarder/requests.ts'

/** Identifies a step of a session by its account and digests of session and input, not by words. */
export type StepKey = { session: string; input: string; account: Address }

/** Holds what a caller is shown, by any gateway. After `ask` the session continues. */
export type Screen = { kind: 'ask' | 'end'; lines: readonly string[] }

/**
 * Limits the age of what a session is decided by, in ms: an answer is due 6.5 s after its delivery,
 * and a session may close a second later.
 */
export const maxReadAgeMs = 7_500

/** Holds a message's recipient and content, sealed for its session and party. */
export type HeldSms = { party: SmsParty; sealed: string }

export const smsParties = ['sender', 'receiver'] as const

export type SmsParty = (typeof smsParties)[number]

/** Names the first value of a step that asked for a payment's last answer. */
export const askedName = 'asked'

/** Stands in a queued payment's screen for the minutes that it waits. */
export const minutesPlaceholder = '####'

/** Stands in a screen for the start of a transaction's hash. No other text contains it. */
export const hashPlaceholder = '0x##########'

/** Gives what a payment takes of the pool, of the day's loan cap and of the withdrawal limit. */
export type ReservedAmounts = { poolWei: bigint; capWei: bigint; outWei?: bigint | undefined }

/** Holds what the caller signed, and what is recorded with it. */
export type Order = {
  request: SignedRequest
  /** Is the same request for a day: it takes the other's place once the payment is assured. */
  lasting?: SignedRequest | undefined
  kind: PaymentKind
  /** Is what leaves the account's balance; 0 for other calls. */
  spendsWei: bigint
  /** Holds what the caller agreed to in local money, which no chain knows. */
  agreed?: LocalWorth | undefined
  reserves?: ReservedAmounts | undefined
  /** Holds what others keep of it: who composes the ledger parses it, and writes it with it. */
  attached?: unknown
  sms?: readonly HeldSms[] | undefined
  /** Holds the borrower's sealed number if loan reminders are sent. */
  reminder?: string | undefined
}

/** Returns what a call takes of its account, and of the limits that all accounts share. */
export function computeTaken(call: LoanCall): Pick<Order, 'spendsWei' | 'reserves'> {
  if (call.kind === 'loan') {
    const { principalWei: poolWei } = call
    return { spendsWei: 0n, reserves: { poolWei, capWei: poolWei, outWei: undefined } }
  }
  // The chain computes a whole debt only when it executes the call.
  const spendsWei = call.amountWei === 'all' ? 0n : call.amountWei
  const isOut = call.kind === 'cashOut'
  return { spendsWei, reserves: isOut ? { poolWei: 0n, capWei: 0n, outWei: spendsWei } : undefined }
}

export const maxRetryMs = 3_600_000

/** Delays what failed so many times: by 30 s, and twice as long each time, up to an hour. */
export const getRetryDelayMs = (failures: number): number =>
  Math.min(maxRetryMs, 30_000 * 2 ** (failures - 1))

/** Limits the age of a payment that its sender calls a mistake, and how often; 0 is never. */
export type RecallTimes = { withinMs: number; everyMs: number }

/** Sets how long money is held back. Lost rows end that earlier. */
export const recallMs = 24 * 60 * 60 * 1000

/** Names the message that tells of a hold, in the place of a session, and its audit entry. */
export const nameRecall = (intentId: Hex): string => `recall:${intentId}`

export const readRecallName = (name: string): Hex => name.slice('recall:'.length) as Hex

export type SignedTransaction = { hash: Hex; raw: Hex; gasPriceWei: bigint }

export type BlockId = { number: number; hash: Hex }

/** Tells what the chain did with a request, and where. */
export type Execution = {
  outcome: 'executed' | 'failed'
  /** Says why it failed; empty when executed. */
  reason: string
  hash: Hex
  block: BlockId
}

/** Adds the signed request that was executed. After lost rows it may be another of the session. */
export type IntentExecution = Execution & { executed: SignedRequest }
