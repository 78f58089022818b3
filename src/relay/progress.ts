import { type PaymentState, phases } from './ledger/transitions.ts'

/** Is the one word that all read of a payment; `arriving` may still fail. */
export type Progress = 'arriving' | 'done' | 'failed'

/** Returns the progress of a payment in this stored state. Nothing else decides the word. */
export function getProgress(state: PaymentState): Progress {
  if (phases[state] !== 'settled') return 'arriving'
  return state === 'confirmed' ? 'done' : 'failed'
}
