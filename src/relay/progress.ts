import type { PaymentState } from './ledger/port.ts'

/** Tells what callers, agents and operators read of a payment, in the same word everywhere. */
export type Progress =
  /** May still fail: no block that has it is as deep as the chain's confirmations. */
  | 'arriving'
  /** Has moved its money for good. */
  | 'done'
  /** Has moved nothing, and never will. */
  | 'failed'

const progressByState: Readonly<Record<PaymentState, Progress>> = {
  queued: 'arriving',
  signed: 'arriving',
  mined: 'arriving',
  confirmed: 'done',
  reverted: 'failed',
  expired: 'failed',
}

/** Returns the progress of a payment in this stored state. Nothing else decides the word. */
export const getProgress = (state: PaymentState): Progress => progressByState[state]
