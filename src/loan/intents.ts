import type { Address } from 'viem'

/** What a caller wants of the loan contract. */
export type Intent =
  | { kind: 'transfer'; to: Address; amountWei: bigint }
  | { kind: 'loan' }
  /** `all`: whatever is owed when it executes. */
  | { kind: 'repayment'; amountWei: bigint | 'all' }
