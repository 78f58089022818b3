import type { Recipient } from './recipient.ts'

/** What a caller wants to happen: a session has at most one intent. */
export type Intent =
  /** `all`: the whole balance when it is accepted. */
  | { kind: 'transfer'; recipient: Recipient; amountWei: bigint | 'all' }
  | { kind: 'loan' }
  /** `all`: all that is owed when it executes. */
  | { kind: 'repayment'; amountWei: bigint | 'all' }
