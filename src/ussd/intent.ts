import type { Address } from 'viem'
import type { LoanTerms } from '../loan/calls.ts'
import type { OfKind } from '../loan/kinds.ts'
import type { Recipient } from './recipient.ts'

/** What a caller wants to happen: a session has at most one intent. */
export type Intent = OfKind<{
  /**
   * `all`: the whole balance when it is accepted. `isRepeat`: the caller was told of an equal transfer of
   * a moment ago, and wants another one.
   */
  transfer: { recipient: Recipient; amountWei: bigint | 'all'; isRepeat?: true }
  /** `terms`: as they were shown. Undefined: they were not, and are what they are when it is signed. */
  loan: { terms?: LoanTerms | undefined }
  /** `all`: all that is owed when it executes. */
  repayment: { amountWei: bigint | 'all' }
  /** Out to an address outside. `all`: all that the account has when it is signed. `isRepeat` as above. */
  cashOut: { to: Address; amountWei: bigint | 'all'; isRepeat?: true }
}>
